import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../configuration/clock.js';
import type { TenantCollection } from '../../database/documents/tenant-collection.js';
import { InjectCollection } from '../../database/documents/inject-collection.js';
import type { EventType } from './event-types.js';
import type { OutboxEventDocument } from './outbox-event.schema.js';

/** What a feature tells the world ("Outbound webhooks" 1). */
export interface OutboundEvent {
  readonly type: EventType;
  /** The object as the API shows it, in the default language. */
  readonly data: object;
  /** For updates, what changed. */
  readonly changes?: readonly object[];
}

/** Where features leave events, inside the transaction of the change that they are about. */
@Injectable()
export class Outbox {
  constructor(
    @InjectCollection('OutboxEvent') private readonly events: TenantCollection<OutboxEventDocument>,
    private readonly clock: Clock,
  ) {}

  /** Stores an event; it is sent when, and only when, the open transaction commits. */
  async publish(organizationId: Types.ObjectId, event: OutboundEvent): Promise<void> {
    const now = this.clock.now();
    await this.events.insert({
      _id: new Types.ObjectId(),
      organizationId,
      ...event,
      relayedAt: null,
      createdAt: now,
      updatedAt: now,
    });
  }
}
