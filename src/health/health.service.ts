import { Injectable } from '@nestjs/common';
import { DatabasePing } from '../database/connection/database-ping.js';
import type { HealthDto } from './health.dto.js';

/** How long a probe waits for the database, below the 2 seconds within which it responds. */
const pingTimeoutMs = 1_500;

/** Whether the service can do its work (rule HTTP-3). */
@Injectable()
export class HealthService {
  private isShuttingDown = false;

  constructor(private readonly database: DatabasePing) {}

  /** From now on the service is not well, so that load balancers look elsewhere (rule HTTP-13). */
  reportShutdown(): void {
    this.isShuttingDown = true;
  }

  /** The health of the service, within 2 seconds. */
  async check(): Promise<HealthDto> {
    const ok = !this.isShuttingDown && (await this.database.respondsWithin(pingTimeoutMs));
    return { description: 'Integration API', ok, version: 'v1.0' };
  }
}
