import { randomUUID } from 'node:crypto';
import type { Clock } from '../../configuration/clock.js';
import type { DutiesRepository, DutyState } from './duties.repository.js';

/**
 * Work that one process of all does at a time: its owner confirms it again and again, and another
 * process takes it over when it has seen no confirmation for the time of a lease. Each process
 * measures that by its own clock, so that the clocks need not agree.
 *
 * A process that is stopped in the middle of the work may go on with it beside the next owner for a
 * moment: the work has to allow that.
 */
export class Duty {
  private readonly owner = randomUUID();
  private state: DutyState | undefined;
  /** When the state was seen first, in milliseconds since 1970. */
  private seenAt = 0;
  private lookedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param leaseMs how long the owner may be silent; the next one has it at most half as long later
   */
  constructor(
    private readonly duties: Pick<DutiesRepository, 'read' | 'take' | 'release'>,
    private readonly clock: Clock,
    private readonly name: string,
    private readonly leaseMs: number,
  ) {}

  /** Whether this process has the duty, which it takes where it is free. Mostly costs no command. */
  async isMine(): Promise<boolean> {
    const now = this.clock.now().getTime();
    const { state } = this;
    const passed = now - this.lookedAt;
    // A clock that was put back says nothing of what has passed.
    const isRecent = passed >= 0 && passed < this.leaseMs / 2;
    if (isRecent && state !== undefined && state.owner !== null) return state.owner === this.owner;
    this.lookedAt = now;
    if (state?.owner === this.owner && (await this.take(state, now))) return true;
    const stored = await this.duties.read(this.name);
    if (stored.owner !== state?.owner || stored.beats !== state.beats) this.see(stored, now);
    const isFree = stored.owner === null || now - this.seenAt >= this.leaseMs;
    return isFree && this.take(stored, now);
  }

  /** Lets another process have it at once. */
  async release(): Promise<void> {
    if (this.state?.owner !== this.owner) return;
    this.state = undefined;
    await this.duties.release(this.name, this.owner);
  }

  private async take(state: DutyState, now: number): Promise<boolean> {
    const taken = await this.duties.take(this.name, state, this.owner);
    if (taken !== null) this.see(taken, now);
    return taken !== null;
  }

  private see(state: DutyState, now: number): void {
    this.state = state;
    this.seenAt = now;
  }
}
