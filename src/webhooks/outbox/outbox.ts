import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../configuration/clock.js';
import { assertEventSize } from './event-size.js';
import type { EventType } from './event-types.js';
import type { OutboxEventDocument } from './outbox-event.schema.js';
import { OutboxEventsRepository } from './outbox-events.repository.js';

/** What a feature publishes (rule HOOK-2). */
export interface OutboundEvent extends Readonly<Pick<OutboxEventDocument, 'data' | 'changes'>> {
  readonly type: EventType;
}

/** Where features publish events, inside the transaction of the change that they are about. */
@Injectable()
export class Outbox {
  constructor(
    private readonly events: OutboxEventsRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores an event; it is sent when, and only when, the open transaction commits.
   *
   * @throws EventTooLargeError when it could not be sent, so that the change is not made either
   */
  async publish(organizationId: Types.ObjectId, event: OutboundEvent): Promise<void> {
    await this.events.insert(this.documentOf(organizationId, event));
  }

  /** As {@link publish}, for many events of one organization. */
  async publishAll(
    organizationId: Types.ObjectId,
    events: readonly OutboundEvent[],
  ): Promise<void> {
    const documents = events.map((event) => this.documentOf(organizationId, event));
    await this.events.insertAll(organizationId, documents);
  }

  private documentOf(organizationId: Types.ObjectId, event: OutboundEvent): OutboxEventDocument {
    const now = this.clock.now();
    const times = { relayedAt: null, createdAt: now, updatedAt: now };
    const document = { _id: new Types.ObjectId(), organizationId, ...event, ...times };
    assertEventSize(document);
    return document;
  }
}
