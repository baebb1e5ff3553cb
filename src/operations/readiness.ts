import { Injectable } from '@nestjs/common';
import { Clock } from '../configuration/clock.js';
import { DatabasePing } from '../database/connection/database-ping.js';
import { withinDeadline } from '../database/connection/deadline.js';
import { DatabaseStructure } from '../database/structure/database-structure.js';

/** How long a probe waits for the database, below the 2 seconds within which it responds. */
const probeTimeoutMs = 1_500;
/** How long the structure counts as what it was; looking at it costs some fifty commands. */
const completeForMs = 30_000;
const incompleteForMs = 1_000;

type Phase = 'starting' | 'running' | 'draining';

/** Whether requests should come to this process, and why not. */
export interface ReadinessReport {
  readonly ready: boolean;
  /** `running` once it listens, `draining` once it is to end. */
  readonly phase: Phase;
  readonly hasPrimary: boolean;
  readonly isStructureComplete: boolean;
}

interface Structure {
  readonly checkedAt: number;
  readonly isComplete: boolean;
}

/** Whether the process can take requests or, as a worker, deliver webhooks (rule OPS-10). */
@Injectable()
export class Readiness {
  private phase: Phase = 'starting';
  /** Complete until it was looked at: the start has just done so. */
  private structure: Structure = { checkedAt: Number.NEGATIVE_INFINITY, isComplete: true };
  private check: Promise<void> | undefined;

  constructor(
    private readonly database: DatabasePing,
    private readonly databaseStructure: DatabaseStructure,
    private readonly clock: Clock,
  ) {}

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
    const [hasPrimary, isStructureComplete] = await Promise.all([
      this.database.hasPrimary(probeTimeoutMs),
      this.isStructureComplete(),
    ]);
    const { phase } = this;
    const ready = phase === 'running' && hasPrimary && isStructureComplete;
    return { ready, phase, hasPrimary, isStructureComplete };
  }

  /** What is known; looked at again, by one probe at a time, when that is too old. */
  private async isStructureComplete(): Promise<boolean> {
    const { isComplete, checkedAt } = this.structure;
    const age = this.clock.now().getTime() - checkedAt;
    const isFresh = age >= 0 && age < (isComplete ? completeForMs : incompleteForMs);
    if (!isFresh) {
      this.check ??= this.checkStructure().finally(() => (this.check = undefined));
      await withinDeadline(this.check, probeTimeoutMs).catch(() => undefined);
    }
    return this.structure.isComplete;
  }

  /** @throws when the database does not say; then what was known stays */
  private async checkStructure(): Promise<void> {
    const { isComplete } = await this.databaseStructure.status();
    this.structure = { checkedAt: this.clock.now().getTime(), isComplete };
  }
}
