import { Injectable } from '@nestjs/common';
import { DatabasePing } from '../../core/database/connection/database-ping.js';

/** How long a probe waits for the database, below the 2 seconds within which it responds. */
const probeTimeoutMs = 1_500;

type Phase = 'starting' | 'running' | 'draining';

/** Whether requests should come to this process, and why not. */
export interface ReadinessReport {
  readonly ready: boolean;
  /** `running` once it listens, `draining` once it is to end. */
  readonly phase: Phase;
  readonly hasPrimary: boolean;
}

/**
 * Whether the process can take requests or, as a worker, deliver webhooks (rule OPS-10). Indexes and
 * migrations do not count: one that is missing would stop all instances, which work without it.
 */
@Injectable()
export class Readiness {
  private phase: Phase = 'starting';

  constructor(private readonly database: DatabasePing) {}

  /** From now on the process does its work. */
  reportStart(): void {
    this.phase = 'running';
  }

  /** From now on the process takes nothing new (rule HTTP-13). */
  reportShutdown(): void {
    this.phase = 'draining';
  }

  /** Within 2 seconds. */
  async report(): Promise<ReadinessReport> {
    const hasPrimary = await this.database.hasPrimary(probeTimeoutMs);
    const { phase } = this;
    return { ready: phase === 'running' && hasPrimary, phase, hasPrimary };
  }
}
