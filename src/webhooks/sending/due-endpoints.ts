import type { Types } from 'mongoose';
import type { DeliveryQueueRepository } from '../deliveries/delivery-queue.repository.js';
import { minuteMs } from '../../core/values/durations.js';

/** How much later than it is due a delivery may be committed and still be found immediately. */
const overlapMs = 10_000;
/** How often all endpoints are looked through, for what came even later. */
const scanIntervalMs = minuteMs;
/** The part of the time that looking through all of them may take. */
const scanShare = 1 / 20;
/** How many deliveries are looked at for the endpoints that they go to. */
const limit = 1_000;

/**
 * Finds the endpoints with something that has become due. What waits for later costs nothing, and
 * what was found once is the caller's to remember (rule HOOK-10).
 */
export class DueEndpoints {
  private seenUpTo = new Date(0);
  private scannedAt = new Date(0);
  private scanMs = 0;
  private isIncomplete = false;

  constructor(
    private readonly queue: Pick<DeliveryQueueRepository, 'endpointsDue' | 'endpointsDueSince'>,
  ) {}

  /** Everything that is due is to be found again: the caller could not take it. */
  lookAgain(): void {
    this.isIncomplete = true;
  }

  /** The endpoints with something that became due since the last call, and possibly others. */
  async find(now: Date): Promise<readonly Types.ObjectId[]> {
    if (this.isScanDue(now)) return this.scan(now);
    const since = new Date(this.seenUpTo.getTime() - overlapMs);
    const { endpointIds, hasMore } = await this.queue.endpointsDueSince(since, now, limit);
    this.seenUpTo = now;
    if (!hasMore) return endpointIds;
    this.isIncomplete = true;
    return this.isScanDue(now) ? this.scan(now) : endpointIds;
  }

  private isScanDue(now: Date): boolean {
    const passed = now.getTime() - this.scannedAt.getTime();
    if (this.isIncomplete && passed >= this.scanMs / scanShare) return true;
    // A clock that was put back has nothing to do with what was seen.
    return passed < 0 || passed >= scanIntervalMs;
  }

  private async scan(now: Date): Promise<readonly Types.ObjectId[]> {
    const start = performance.now();
    this.isIncomplete = false;
    const endpointIds = await this.queue.endpointsDue(now).catch((error: unknown) => {
      this.isIncomplete = true;
      throw error;
    });
    this.scanMs = performance.now() - start;
    this.scannedAt = now;
    this.seenUpTo = now;
    return endpointIds;
  }
}
