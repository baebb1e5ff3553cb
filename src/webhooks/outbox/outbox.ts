import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../configuration/clock.js';
import { besideTransaction } from '../../database/transactions/open-session.js';
import { WebhookEndpointsRepository } from '../endpoints/webhook-endpoints.repository.js';
import { coversType } from './event-types.js';
import { OutboxChangeStream } from './outbox-change-stream.js';
import { OutboxEventsRepository } from './outbox-events.repository.js';
import { type OutboundEvent, type PendingEvent, pendingEvent } from './pending-event.js';

/** What the enabled endpoints of an organization are subscribed to. */
export type Subscriptions = Promise<readonly unknown[]>;

/** Where features publish events, inside the transaction of the change that they are about. */
@Injectable()
export class Outbox {
  constructor(
    private readonly events: OutboxEventsRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly changes: OutboxChangeStream,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores an event; it is sent when, and only when, the open transaction commits.
   *
   * @throws EventTooLargeError when it could not be sent, so that the change is not made either
   */
  async publish(organizationId: Types.ObjectId, event: OutboundEvent): Promise<void> {
    await this.publishAll(organizationId, [event]);
  }

  /** As {@link publish}, for many events of one organization. */
  async publishAll(
    organizationId: Types.ObjectId,
    events: readonly OutboundEvent[],
  ): Promise<void> {
    const now = this.clock.now();
    await this.store(events.map((event) => pendingEvent(organizationId, event, now)));
  }

  /** Begins to ask who is subscribed. To be called once the transaction is open. */
  askForSubscriptions(organizationId: Types.ObjectId): Subscriptions {
    return besideTransaction(() => this.endpoints.findSubscriptions(organizationId));
  }

  /** Stores events of one organization that were made ready. */
  async store(events: readonly PendingEvent[], subscriptions?: Subscriptions): Promise<void> {
    const [first] = events;
    if (first === undefined) return;
    const subscribed = await (subscriptions ?? this.askForSubscriptions(first.organizationId));
    const isSubscribed = ({ type }: PendingEvent) =>
      subscribed.some((types) => covers(types, type));
    await this.events.insert(
      events.map((event) => (isSubscribed(event) ? event : asUnsubscribed(event))),
    );
    this.changes.reportOwn();
  }
}

/** Whether the relay has to look at the event: it marks endpoints whose types are no list. */
function covers(eventTypes: unknown, type: string): boolean {
  return !Array.isArray(eventTypes) || coversType(eventTypes as string[], type);
}

/** An event that nobody is subscribed to: there is nothing to relay, it only gets its number (rule HOOK-4). */
function asUnsubscribed(event: PendingEvent): PendingEvent {
  return { ...event, relayedAt: event.createdAt };
}
