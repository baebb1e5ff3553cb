import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { isDatabaseUnavailable } from '../../core/database/connection/database-errors.js';
import { Leases } from '../../core/database/leases/leases.js';
import { PollingLoop } from '../../core/database/leases/polling-loop.js';
import { Transactions } from '../../core/database/transactions/transactions.js';
import { Metrics } from '../../core/observability/metrics.js';
import { EventFanOut, type UnnumberedEvent } from './event-fan-out.js';
import { EventFeedsRepository } from './event-feeds.repository.js';
import { EventSignals } from './event-signals.js';
import { OutboxEventsRepository } from './outbox-events.repository.js';

/** Another process takes over if the lease was not renewed for this time, in ms (rule HOOK-9). */
const leaseMs = 2_000;
const intervalMs = 250;
/** The relay pauses after the last events, in ms, because many small batches cost the database more. */
const batchingDelayMs = 100;
const batchSize = 250;
/** A single failure may be random, so an event is set aside only after this many attempts on its own. */
const maxSingleAttempts = 3;

/**
 * Numbers committed events and creates their deliveries (rules FEED-2 and HOOK-4). One process serves the
 * organizations in turn, so that no backlog delays another; a second relay would only conflict.
 */
@Injectable()
export class EventRelay implements OnModuleDestroy {
  private readonly logger = new Logger(EventRelay.name);
  private readonly loop: PollingLoop;
  private lastOrganization: Types.ObjectId | null = null;
  private delaysNextBatch = false;
  private readonly numbered;

  constructor(
    private readonly events: OutboxEventsRepository,
    private readonly feeds: EventFeedsRepository,
    private readonly transactions: Transactions,
    private readonly fanOut: EventFanOut,
    private readonly signals: EventSignals,
    private readonly clock: Clock,
    leases: Leases,
    metrics: Metrics,
  ) {
    this.numbered = metrics.counter('events_numbered_total', 'Events numbered by this process.');
    this.loop = new PollingLoop(
      'Could not number events; retrying in 250 ms',
      () => this.run(),
      () => intervalMs,
      leases.create('event-relay', leaseMs),
    );
  }

  start(): void {
    this.loop.start();
    this.signals.stored.subscribe(() => this.loop.wake());
  }

  async onModuleDestroy(): Promise<void> {
    await this.loop.stop();
  }

  /** Numbers some events of the next organization; returns false when no event is unnumbered. */
  async relayNext(): Promise<boolean> {
    // A failure must not give the same organization the next turn, so this is set before the work.
    this.lastOrganization = await this.events.nextOrganization(this.lastOrganization);
    if (this.lastOrganization === null) return false;
    await this.relay(this.lastOrganization, batchSize);
    return true;
  }

  private async run(): Promise<void> {
    const hasRelayed = await this.relayNext();
    if (hasRelayed) this.loop.wake();
    else if (this.delaysNextBatch) await delay(batchingDelayMs);
    this.delaysNextBatch = hasRelayed;
  }

  /** Halves the batch if the fan-out of some events fails. */
  private async relay(organizationId: Types.ObjectId, limit: number, attempt = 1): Promise<void> {
    let found = limit;
    try {
      await this.numberEvents(organizationId, limit, (events) => {
        found = events.length;
        return this.fanOut.fanOut(organizationId, events);
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
      this.logger.error(
        { eventId, reason },
        'Could not create the deliveries of an event; `webhook events --failed` lists it',
      );
      return 1;
    };
    await this.numberEvents(organizationId, 1, report, reason);
  }

  /** Gives the next numbers to as many of the first events as the fan-out accepts. */
  private async numberEvents(
    organizationId: Types.ObjectId,
    limit: number,
    take: (events: readonly UnnumberedEvent[]) => Promise<number>,
    failureReason?: string,
  ): Promise<void> {
    const work = async () => {
      const events = await this.events.findUnnumbered(organizationId, limit);
      if (events.length === 0) return 0;
      const ids = events.slice(0, await take(events)).map(({ _id }) => _id);
      const now = this.clock.now();
      // Another process's clock may be ahead, but times must not decrease.
      const feedUpdate = { $inc: { last: ids.length }, $max: { numberedAt: now } };
      const feed = await this.feeds.update(organizationId, feedUpdate, now);
      const first = (feed?.last ?? 0) - ids.length + 1;
      const numberedAt = feed?.numberedAt ?? now;
      await this.events.number(organizationId, ids, first, numberedAt, failureReason);
      return ids.length;
    };
    const count = await this.transactions.run(work, {
      // After a restore, the feed may be older than its events: it continues after the last of them.
      onDuplicateKey: async () => {
        const last = await this.events.lastSequence(organizationId);
        await this.feeds.update(organizationId, { $max: { last } }, this.clock.now());
      },
    });
    this.numbered.inc(count);
    if (count > 0) this.signals.numbered.next(organizationId);
  }
}
