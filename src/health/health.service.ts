import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { DatabaseConnection } from '../core/database/connection/database-connection.js';

/** Body of the health check (rule HTTP-3). */
export class HealthDto {
  @ApiProperty({ type: String, example: 'Integration API' })
  description!: string;

  @ApiProperty({
    type: Boolean,
    description: 'True if the database responds and the service accepts requests.',
    example: true,
  })
  ok!: boolean;

  @ApiProperty({ type: String, description: 'Version of the API.', example: 'v1.0' })
  version!: string;
}

export const healthy: HealthDto = { description: 'Integration API', ok: true, version: 'v1.0' };
export const unhealthy: HealthDto = { ...healthy, ok: false };

/** A probe must get its response within 2 seconds. */
const pingTimeoutMs = 1_500;
/** Probes that arrive within this time share one database query. */
const pingSharedMs = 250;

/** Partners (rule HTTP-3) and load balancers (rule OPS-10) check it. */
@Injectable()
export class HealthService {
  private phase: 'starting' | 'running' | 'draining' = 'starting';
  private lastPing: { readonly at: number; readonly ok: Promise<boolean> } | undefined;

  constructor(private readonly database: DatabaseConnection) {}

  reportStart(): void {
    this.phase = 'running';
  }

  /** Tells load balancers to route elsewhere (rule HTTP-13). */
  reportShutdown(): void {
    this.phase = 'draining';
  }

  async check(): Promise<HealthDto> {
    return this.phase !== 'draining' && (await this.databaseResponds()) ? healthy : unhealthy;
  }

  /** Ignores missing indexes and migrations: they would stop all instances, which work without them. */
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
