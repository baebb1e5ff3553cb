import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { afterTransaction } from '../../core/database/transactions/sessions.js';
import { EventFanOut, type UnnumberedEvent } from '../../events/outbox/event-fan-out.js';
import { isSubscribedTo } from '../../events/outbox/event-types.js';
import { objectIdOf } from '../../events/outbox/message.js';
import { DeliveriesCreated } from './deliveries-created.js';
import { hasValidEventTypes } from './attempt-outcome.js';
import { WebhookEndpointsRepository } from '../endpoints/webhook-endpoints.repository.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import type { WebhookDeliveryDocument } from './webhook-delivery.schema.js';

/** Limit of one transaction, unless a single event has more deliveries. */
const maxDeliveries = 2_000;

/** Uses the subscriptions at the time of numbering (rule HOOK-4). */
@Injectable()
export class WebhookFanOut extends EventFanOut {
  private readonly report = () => this.created.next();

  constructor(
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly clock: Clock,
    private readonly created: DeliveriesCreated,
  ) {
    super();
  }

  override async fanOut(
    organizationId: Types.ObjectId,
    events: readonly UnnumberedEvent[],
  ): Promise<number> {
    const endpoints = await this.endpoints.findEnabled(organizationId);
    const now = this.clock.now();
    const deliveries: WebhookDeliveryDocument[] = [];
    let count = 0;
    for (const event of events) {
      const subscribed = endpoints.filter(
        (endpoint) =>
          hasValidEventTypes(endpoint) && isSubscribedTo(endpoint.eventTypes ?? [], event.type),
      );
      if (count > 0 && deliveries.length + subscribed.length > maxDeliveries) break;
      deliveries.push(...subscribed.map(({ _id }) => newDelivery(event, _id, now)));
      count += 1;
    }
    await this.deliveries.add(deliveries);
    if (deliveries.length > 0) afterTransaction(this.report);
    return count;
  }
}

export function newDelivery(
  event: UnnumberedEvent,
  endpointId: Types.ObjectId,
  now: Date,
): WebhookDeliveryDocument {
  return {
    _id: new Types.ObjectId(),
    organizationId: event.organizationId,
    endpointId,
    eventId: event._id,
    type: event.type,
    objectId: objectIdOf(event),
    bytes: event.bytes,
    ...(event.erasedAt ? { erasedAt: event.erasedAt } : {}),
    status: 'pending',
    failureReason: null,
    round: 1,
    attempts: 0,
    nextAttemptAt: now,
    log: [],
    completedAt: null,
    createdAt: now,
    updatedAt: now,
  };
}
