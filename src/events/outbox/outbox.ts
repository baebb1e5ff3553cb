import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { afterTransaction } from '../../core/database/transactions/open-session.js';
import { OutboxEventsRepository } from './outbox-events.repository.js';
import { type OutboundEvent, type PendingEvent, pendingEvent } from './pending-event.js';

/** Takes the events of features, inside the transaction of the change that they are about. */
@Injectable()
export class Outbox {
  private listener = () => {};
  private readonly report = () => this.listener();

  constructor(private readonly events: OutboxEventsRepository) {}

  /** Calls the listener when a transaction that published events through this process has ended. */
  onPublished(listener: () => void): void {
    this.listener = listener;
  }

  /**
   * Stores events of one organization; they are sent only if the open transaction commits.
   *
   * @throws DomainError 400 when one is too large to be sent
   */
  async publish(
    organizationId: Types.ObjectId,
    events: readonly OutboundEvent[],
    now: Date,
  ): Promise<void> {
    await this.store(events.map((event) => pendingEvent(organizationId, event, now)));
  }

  async store(events: readonly PendingEvent[]): Promise<void> {
    if (events.length === 0) return;
    await this.events.insert(events);
    afterTransaction(this.report);
  }
}
