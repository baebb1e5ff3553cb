import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Counter } from 'prom-client';
import { Clock } from '../../core/configuration/clock.js';
import { isDatabaseUnavailable } from '../../core/database/connection/database-errors.js';
import { type Lease, Leases } from '../../core/database/leases/leases.js';
import { PollingLoop } from '../../core/database/leases/polling-loop.js';
import { Transactions } from '../../core/database/transactions/transactions.js';
import { Metrics } from '../../core/observability/metrics.js';
import { OutboxEventsRepository, type UnnumberedEvent } from './outbox-events.repository.js';
import { Outbox } from './outbox.js';

/** Creates the deliveries of the first events in the open transaction; returns of how many, at least one. */
export type FanOut = (
  organizationId: Types.ObjectId,
  events: readonly UnnumberedEvent[],
) => Promise<number>;

/** How long a process that relays may be silent before another one takes over (rule HOOK-9). */
const leaseMs = 2_000;
const intervalMs = 250;
/** Pause after the last events were numbered: numbering a few at a time costs the database more. */
const batchingDelayMs = 100;
const batchSize = 250;
/** How often an event must fail alone before it is set aside: one failure may be chance. */
const maxSingleAttempts = 3;

/**
 * Numbers committed events and creates their deliveries (rules FEED-2 and HOOK-4). One process at a time takes
 * the organizations in turn, so that the backlog of one does not delay another; a second relay would only conflict.
 */
@Injectable()
export class EventRelay implements OnModuleDestroy {
  private readonly logger = new Logger(EventRelay.name);
  private readonly loop = new PollingLoop(
    'Could not number events; trying again in 250 ms',
    () => this.run(),
    () => intervalMs,
  );
  private readonly lease: Lease;
  private last: Types.ObjectId | null = null;
  private delaysNextBatch = false;
  private readonly numbered: Counter;
  private listener: (organizationId: Types.ObjectId) => void = () => {};
  private fanOut: FanOut = async (_organizationId, { length }) => length;

  constructor(
    private readonly events: OutboxEventsRepository,
    private readonly transactions: Transactions,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
    leases: Leases,
    metrics: Metrics,
  ) {
    this.numbered = new Counter(
      metrics.options('events_numbered_total', 'Events that this process has given their numbers.'),
    );
    this.lease = leases.of('event-relay', leaseMs);
  }

  fanOutBy(fanOut: FanOut): void {
    this.fanOut = fanOut;
  }

  onNumbered(listener: (organizationId: Types.ObjectId) => void): void {
    this.listener = listener;
  }

  start(): void {
    this.loop.start();
    this.outbox.onPublished(() => this.loop.wake());
  }

  async onModuleDestroy(): Promise<void> {
    await this.loop.stop();
    // If the database is out of reach, the lease simply expires.
    await this.lease.release().catch(() => undefined);
  }

  /** Numbers some events of the next organization; false when none has events without a number. */
  async relayNext(): Promise<boolean> {
    // Set before the work, so that a failure does not give the same organization the next turn.
    this.last = await this.events.nextUnnumbered(this.last);
    if (this.last === null) return false;
    await this.relay(this.last, batchSize);
    return true;
  }

  private async run(): Promise<void> {
    if (!(await this.lease.acquire())) return;
    const hasRelayed = await this.relayNext();
    if (hasRelayed) this.loop.wake();
    else if (this.delaysNextBatch) await delay(batchingDelayMs);
    this.delaysNextBatch = hasRelayed;
  }

  /** Numbers the first events of an organization, in halves if the fan-out of some fails. */
  private async relay(organizationId: Types.ObjectId, limit: number, attempt = 1): Promise<void> {
    let found = limit;
    try {
      await this.number(organizationId, limit, (events) => {
        found = events.length;
        return this.fanOut(organizationId, events);
      });
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      if (found > 1) {
        await this.relay(organizationId, Math.ceil(found / 2));
        await this.relay(organizationId, Math.floor(found / 2));
      } else if (attempt < maxSingleAttempts) await this.relay(organizationId, 1, attempt + 1);
      else await this.setAside(organizationId, (error as Error).message);
    }
  }

  private async setAside(organizationId: Types.ObjectId, reason: string): Promise<void> {
    const report = async ([event]: readonly UnnumberedEvent[]) => {
      const eventId = event?._id.toHexString();
      this.logger.error({ eventId, reason }, 'Could not create the deliveries of an event');
      return 1;
    };
    await this.number(organizationId, 1, report, reason);
  }

  private async number(
    organizationId: Types.ObjectId,
    limit: number,
    take: (events: readonly UnnumberedEvent[]) => Promise<number>,
    failureReason?: string,
  ): Promise<void> {
    let lastGiven = 0;
    const work = async () => {
      const events = await this.events.findUnnumbered(organizationId, limit);
      if (events.length === 0) return 0;
      const ids = events.slice(0, await take(events)).map(({ _id }) => _id);
      const options = { lastGiven, ...(failureReason !== undefined && { failureReason }) };
      await this.events.number(organizationId, ids, this.clock.now(), options);
      return ids.length;
    };
    const count = await this.transactions.run(work, {
      // A feed that was restored from an earlier moment than its events continues after the last of them.
      onDuplicateKey: async () => {
        lastGiven = await this.events.lastSequence(organizationId);
      },
    });
    this.numbered.inc(count);
    if (count > 0) this.listener(organizationId);
  }
}
