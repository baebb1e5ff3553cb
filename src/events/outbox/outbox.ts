import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { afterTransaction } from '../../core/database/transactions/open-session.js';
import { OutboxEventsRepository } from './outbox-events.repository.js';
import { type OutboundEvent, type PendingEvent, pendingEvent } from './pending-event.js';

/** Where features publish events, inside the transaction of the change that they are about. */
@Injectable()
export class Outbox {
  private listener = () => {};
  private readonly report = () => this.listener();

  constructor(
    private readonly events: OutboxEventsRepository,
    private readonly clock: Clock,
  ) {}

  /** Calls the listener when a transaction that published events through this process has ended. */
  onPublished(listener: () => void): void {
    this.listener = listener;
  }

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

  /** Stores events of one organization that were made ready. */
  async store(events: readonly PendingEvent[]): Promise<void> {
    if (events.length === 0) return;
    await this.events.insert(events);
    afterTransaction(this.report);
  }
}
