import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { DatabaseConnection } from '../core/database/connection/database-connection.js';

/** Rule HTTP-3. */
export class HealthDto {
  @ApiProperty({ type: String, example: 'Integration API' })
  description!: string;

  @ApiProperty({
    type: Boolean,
    description: 'Whether the database responds and the service continues to accept requests.',
    example: true,
  })
  ok!: boolean;

  @ApiProperty({ type: String, description: 'Version of the API.', example: 'v1.0' })
  version!: string;
}

export const healthy: HealthDto = { description: 'Integration API', ok: true, version: 'v1.0' };
export const unhealthy: HealthDto = { ...healthy, ok: false };

/** Probes get their response within 2 seconds. */
const pingTimeoutMs = 1_500;
/** However many probes arrive, the database is asked at most once in this time. */
const pingSharedMs = 250;

/** Whether the service works, for partners (rule HTTP-3) and for load balancers (rule OPS-10). */
@Injectable()
export class HealthService {
  private phase: 'starting' | 'running' | 'draining' = 'starting';
  private lastPing: { readonly at: number; readonly ok: Promise<boolean> } | undefined;

  constructor(private readonly database: DatabaseConnection) {}

  reportStart(): void {
    this.phase = 'running';
  }

  /** Load balancers look elsewhere from now on (rule HTTP-13). */
  reportShutdown(): void {
    this.phase = 'draining';
  }

  async check(): Promise<HealthDto> {
    return this.phase !== 'draining' && (await this.databaseResponds()) ? healthy : unhealthy;
  }

  /** A missing index or migration does not count: it would stop all instances, which work without it. */
  async readiness() {
    const hasPrimary = await this.database.hasPrimary(pingTimeoutMs);
    const { phase } = this;
    return { ready: phase === 'running' && hasPrimary, phase, hasPrimary };
  }

  private databaseResponds(): Promise<boolean> {
    const at = performance.now();
    if (this.lastPing === undefined || at - this.lastPing.at >= pingSharedMs) {
      this.lastPing = { at, ok: this.database.respondsWithin(pingTimeoutMs) };
    }
    return this.lastPing.ok;
  }
}
