import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { afterTransaction } from '../../core/database/transactions/sessions.js';
import { OutboxEventsRepository } from './outbox-events.repository.js';
import { type OutboundEvent, type PendingEvent, pendingEvent } from './pending-event.js';

@Injectable()
export class Outbox {
  private listener = () => {};
  private readonly report = () => this.listener();

  constructor(private readonly events: OutboxEventsRepository) {}

  onPublished(listener: () => void): void {
    this.listener = listener;
  }

  /** @throws DomainError 400 when an event is too large to be sent */
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
