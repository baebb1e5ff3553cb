import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Clock } from '../core/configuration/clock.js';
import { DatabasePing } from '../core/database/connection/database-ping.js';

/** Rule HTTP-3. */
export class HealthDto {
  @ApiProperty({ type: String, example: 'Integration API' })
  description!: string;

  @ApiProperty({
    type: Boolean,
    description: 'Whether the database responds and the service goes on accepting requests.',
    example: true,
  })
  ok!: boolean;

  @ApiProperty({ type: String, description: 'Version of the API.', example: 'v1.0' })
  version!: string;
}

export const healthy: HealthDto = { description: 'Integration API', ok: true, version: 'v1.0' };
export const unhealthy: HealthDto = { ...healthy, ok: false };

/** How long a probe waits for the database, below the 2 seconds within which it responds. */
const pingTimeoutMs = 1_500;
/** How long the requests that come after a ping share its result. */
const pingSharedMs = 250;

/** Whether the service can do its work (rule HTTP-3). */
@Injectable()
export class HealthService {
  private isShuttingDown = false;
  private lastPing: { readonly at: number; readonly ok: Promise<boolean> } | undefined;

  constructor(
    private readonly database: DatabasePing,
    private readonly clock: Clock,
  ) {}

  /** From now on the service is not well, so that load balancers look elsewhere (rule HTTP-13). */
  reportShutdown(): void {
    this.isShuttingDown = true;
  }

  /** The health of the service, within 2 seconds. */
  async check(): Promise<HealthDto> {
    return !this.isShuttingDown && (await this.databaseResponds()) ? healthy : unhealthy;
  }

  /** However many probes come, the database is asked at most once in a quarter of a second. */
  private databaseResponds(): Promise<boolean> {
    const at = this.clock.now().getTime();
    // A clock that was set back makes a ping look future, not fresh.
    if (this.lastPing === undefined || Math.abs(at - this.lastPing.at) >= pingSharedMs) {
      this.lastPing = { at, ok: this.database.respondsWithin(pingTimeoutMs) };
    }
    return this.lastPing.ok;
  }
}
