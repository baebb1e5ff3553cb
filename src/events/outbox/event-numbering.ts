import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { duplicateKey } from '../../core/database/connection/database-errors.js';
import type { EventFeedDocument } from './event-feed.schema.js';
import { EventFeedsRepository, type FeedPlan, planOf } from './event-feeds.repository.js';
import type { OutboxEventDocument } from './outbox-event.schema.js';
import { OutboxEventsRepository } from './outbox-events.repository.js';

/**
 * Gives events their numbers: per organization, from 1, in the order in which they were stored, without gaps
 * and repeats (rule FEED-2).
 *
 * Which events get which numbers is stored first, as the plan of their feed, then the numbers themselves, and
 * last how far they go, which shows the events. Each step may be repeated by anybody at any time: a plan never
 * changes, and there is no second one beside it. So it needs neither a transaction nor to be the only process
 * that numbers; that one at a time does spares them from getting into each other's way.
 */
@Injectable()
export class EventNumbering {
  private readonly logger = new Logger(EventNumbering.name);
  private readonly process = randomUUID();
  private mayHavePlans = true;
  private numbered = 0;
  private listener: (organizationIds: readonly Types.ObjectId[]) => void = () => {};

  constructor(
    private readonly events: OutboxEventsRepository,
    private readonly feeds: EventFeedsRepository,
    private readonly clock: Clock,
  ) {}

  /** How many events this process has numbered. */
  stats(): { readonly numbered: number } {
    return { numbered: this.numbered };
  }

  /** Tells the listener whose events this process has numbered. */
  onNumbered(listener: (organizationIds: readonly Types.ObjectId[]) => void): void {
    this.listener = listener;
  }

  /** Looks for what another process has begun, before anything else is numbered. */
  lookForPlans(): void {
    this.mayHavePlans = true;
  }

  /** Finishes what was begun and not finished; costs nothing where that cannot be. */
  async finishPlans(): Promise<void> {
    if (!this.mayHavePlans) return;
    const plans = await this.feeds.findPlans();
    await this.finishEach(plans);
    this.mayHavePlans = false;
  }

  /**
   * Numbers events in their order.
   *
   * @param events that had no number when they were read; cannot be taken back any more
   * @returns whether they have theirs; if not, another process has begun to number some of them
   */
  async number(events: readonly OutboxEventDocument[]): Promise<boolean> {
    if (events.length === 0) return true;
    const ofOrganizations = Map.groupBy(events, ({ organizationId: id }) => id.toHexString());
    const ids = [...ofOrganizations.values()].flatMap(([event]) => event?.organizationId ?? []);
    const feeds = await this.feeds.findMany(ids);
    const unfinished = feeds.flatMap(planOf);
    if (unfinished.length > 0) {
      await this.finishEach(unfinished);
      return false;
    }
    if (!(await this.areUnnumbered(events, feeds))) return false;
    const plans = plansFor(ofOrganizations, feeds, this.clock.now());
    // Whatever fails from here on may leave a plan.
    this.mayHavePlans = true;
    const known = new Set(feeds.map(({ organizationId }) => organizationId.toHexString()));
    if (!(await this.feeds.plan(plans, known))) return false;
    await this.finish(plans);
    this.mayHavePlans = false;
    return true;
  }

  /**
   * Whether events that were read without a number still had none when their feeds were read. Whatever
   * another process numbers after that changes the feed, so that no plan can be stored for it.
   */
  private async areUnnumbered(
    events: readonly OutboxEventDocument[],
    feeds: readonly EventFeedDocument[],
  ): Promise<boolean> {
    // What this process numbered last it did before it read the events.
    if (feeds.every(({ numberedBy }) => numberedBy === this.process)) return true;
    return (await this.events.countUnnumbered(events.map(({ _id }) => _id))) === events.length;
  }

  /** One after the other: one that cannot be finished keeps no other from it. */
  private async finishEach(plans: readonly FeedPlan[]): Promise<void> {
    for (const plan of plans) {
      const organizationId = plan.organizationId.toHexString();
      this.logger.warn({ organizationId }, 'Numbering that was begun before is finished');
      await this.finish([plan]).catch(async (error: unknown) => {
        if (duplicateKey(error) === undefined) throw error;
        // A feed that was restored from an earlier moment than its events may not hold up all others.
        this.logger.error(
          { organizationId, err: error },
          'Numbers are taken: it goes on behind them',
        );
        const last = await this.events.lastSequence(plan.organizationId);
        await this.feeds.replan(plan, last, this.clock.now());
      });
    }
  }

  private async finish(plans: readonly FeedPlan[]): Promise<void> {
    // All have the same, unless the clock was ahead once.
    for (const [at, ofTime] of Map.groupBy(plans, (plan) => plan.at.getTime())) {
      const numbers = ofTime.flatMap(({ eventIds, first }) =>
        eventIds.map((_id, index) => ({ _id, sequence: first + index })),
      );
      await this.events.setNumbers(numbers, new Date(at));
      this.numbered += numbers.length;
    }
    await this.feeds.publish(plans, this.process);
    this.listener(plans.map(({ organizationId }) => organizationId));
  }
}

/** The next numbers for events of organizations, of each at a time that is not before that of its numbers before. */
function plansFor(
  ofOrganizations: ReadonlyMap<string, readonly OutboxEventDocument[]>,
  feeds: readonly EventFeedDocument[],
  now: Date,
): FeedPlan[] {
  const feedOf = new Map(feeds.map((feed) => [feed.organizationId.toHexString(), feed]));
  return [...ofOrganizations].flatMap(([key, events]) => {
    const [event] = events;
    if (event === undefined) return [];
    const eventIds: Types.ObjectId[] = events.map(({ _id }) => _id);
    const { last = 0, numberedAt = null } = feedOf.get(key) ?? {};
    const at = numberedAt !== null && numberedAt > now ? numberedAt : now;
    return [{ organizationId: event.organizationId, first: last + 1, eventIds, at }];
  });
}
