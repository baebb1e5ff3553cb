import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Counter } from 'prom-client';
import { Clock } from '../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { isDatabaseUnavailable } from '../../core/database/connection/database-errors.js';
import { type Lease, Leases } from '../../core/database/leases/leases.js';
import { PollingLoop } from '../../core/database/leases/polling-loop.js';
import { Transactions } from '../../core/database/transactions/transactions.js';
import { Metrics } from '../../core/observability/metrics.js';
import { EventFeedsRepository } from './event-feeds.repository.js';
import { OutboxEventsRepository, type UnnumberedEvent } from './outbox-events.repository.js';
import { Outbox } from './outbox.js';

/** Creates whatever events lead to, in the transaction that numbers them. */
export interface EventFanOut {
  /**
   * Takes events of one organization. May be called again for the same events after a failure.
   *
   * @returns how many of them it has taken, from the first on; at least one
   */
  fanOut(organizationId: Types.ObjectId, events: readonly UnnumberedEvent[]): Promise<number>;
}

/** How long a process that relays may be silent before another one takes over (rule HOOK-9). */
const leaseMs = 2_000;
/** How often events of other processes are looked for (rule HOOK-10). */
const intervalMs = 250;
/** How long events wait for others after some were numbered: few at a time cost the database more. */
const gatherMs = 100;
/** How many events of an organization one transaction numbers. */
const batchSize = 250;
/** How often an event must fail alone before it is set aside: one failure may be chance. */
const attemptsAlone = 3;

/**
 * Numbers committed events and fans them out (rules FEED-2 and HOOK-4). One process at a time takes each
 * organization in turn, so that the backlog of one delays no other. Everything happens in one transaction:
 * a second relay beside it would only conflict.
 */
@Injectable()
export class EventRelay implements OnModuleDestroy {
  private readonly logger = new Logger(EventRelay.name);
  private readonly loop = new PollingLoop(
    'Events could not be relayed',
    () => this.run(),
    () => intervalMs,
  );
  private readonly lease: Lease;
  /** The organization that had its turn last. */
  private last: Types.ObjectId | null = null;
  private mayGather = false;
  private readonly numbered: Counter;
  private listener: (organizationId: Types.ObjectId) => void = () => {};
  private target: EventFanOut = { fanOut: async (_organizationId, { length }) => length };

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly events: OutboxEventsRepository,
    private readonly feeds: EventFeedsRepository,
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

  /** Fans all events out to a target. */
  fanOutTo(target: EventFanOut): void {
    this.target = target;
  }

  /** Calls the listener after this process has numbered events of an organization. */
  onNumbered(listener: (organizationId: Types.ObjectId) => void): void {
    this.listener = listener;
  }

  /** Starts, unless this process serves the API only. */
  start(): void {
    if (this.environment.ROLE === 'api') return;
    this.loop.start();
    this.outbox.onPublished(() => this.loop.wake());
  }

  /** Begins nothing new. May be called again. */
  async stop(): Promise<void> {
    await this.loop.stop();
    // Where the database is gone, the lease ends by itself.
    await this.lease.release().catch(() => undefined);
  }

  async onModuleDestroy(): Promise<void> {
    await this.stop();
  }

  /**
   * Numbers some events of the organization whose turn it is.
   *
   * @returns false when no organization has events without a number
   */
  async relayNext(): Promise<boolean> {
    const organizationId = await this.events.nextUnnumbered(this.last);
    // A failure must not make the next turn that of the same organization.
    this.last = organizationId;
    if (organizationId !== null) await this.relay(organizationId, batchSize);
    return organizationId !== null;
  }

  private async run(): Promise<void> {
    if (!(await this.lease.acquire())) return;
    const hasRelayed = await this.relayNext();
    if (hasRelayed) this.loop.wake();
    else if (this.mayGather) await delay(gatherMs);
    this.mayGather = hasRelayed;
  }

  /** Numbers the first events of an organization, in halves where some of them cannot be fanned out. */
  private async relay(organizationId: Types.ObjectId, limit: number, attempt = 1): Promise<void> {
    let found = limit;
    const work = async () => {
      const events = await this.events.findUnnumbered(organizationId, limit);
      found = events.length;
      return this.number(organizationId, events);
    };
    try {
      await this.commit(organizationId, work);
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      if (found > 1) {
        await this.relay(organizationId, Math.ceil(found / 2));
        await this.relay(organizationId, Math.floor(found / 2));
      } else if (attempt < attemptsAlone) await this.relay(organizationId, 1, attempt + 1);
      else await this.setAside(organizationId, error as Error);
    }
  }

  /** Numbers the first event of an organization without deliveries, with its reason. */
  private async setAside(organizationId: Types.ObjectId, { message }: Error): Promise<void> {
    await this.commit(organizationId, async () => {
      const events = await this.events.findUnnumbered(organizationId, 1);
      const eventId = events[0]?._id.toHexString();
      this.logger.error({ eventId, reason: message }, 'An event could not be relayed');
      return this.number(organizationId, events, message);
    });
  }

  private async commit(organizationId: Types.ObjectId, work: () => Promise<number>): Promise<void> {
    const count = await this.transactions.run(work, {
      // A feed that was restored from an earlier moment than its events continues after the last of them.
      onDuplicateKey: async () =>
        this.feeds.advance(
          organizationId,
          await this.events.lastSequence(organizationId),
          this.clock.now(),
        ),
    });
    this.numbered.inc(count);
    if (count > 0) this.listener(organizationId);
  }

  /** Numbers events inside the open transaction. */
  private async number(
    organizationId: Types.ObjectId,
    events: readonly UnnumberedEvent[],
    failureReason?: string,
  ): Promise<number> {
    if (events.length === 0) return 0;
    const count =
      failureReason === undefined ? await this.target.fanOut(organizationId, events) : 1;
    const { last = 0, numberedAt = null } = (await this.feeds.find(organizationId)) ?? {};
    const now = this.clock.now();
    const at = numberedAt !== null && numberedAt > now ? numberedAt : now;
    const ids = events.slice(0, count).map(({ _id }) => _id);
    await this.events.setNumbers(organizationId, ids, { first: last + 1, at, failureReason });
    await this.feeds.advance(organizationId, last + ids.length, at);
    return ids.length;
  }
}
