import { Injectable } from '@nestjs/common';
import { DatabasePing } from '../database/connection/database-ping.js';
import type { HealthDto } from './health.dto.js';

/** How long a probe waits for the database, below the 2 seconds within which it responds. */
const pingTimeoutMs = 1_500;

/** Whether the service can do its work (rule HTTP-3). */
@Injectable()
export class HealthService {
  constructor(private readonly database: DatabasePing) {}

  /** The health of the service, within 2 seconds. */
  async check(): Promise<HealthDto> {
    const ok = await this.database.respondsWithin(pingTimeoutMs);
    return { description: 'Integration API', ok, version: 'v1.0' };
  }
}
