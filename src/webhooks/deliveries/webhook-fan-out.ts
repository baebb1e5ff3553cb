import { Injectable, Logger } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import {
  type CollectionAcrossTenants,
  InjectAcrossTenants,
} from '../../core/database/documents/across-tenants.js';
import { afterTransaction, openSession } from '../../core/database/transactions/sessions.js';
import { EventRelay } from '../../events/outbox/event-relay.js';
import { coversType } from '../../events/outbox/event-types.js';
import type { UnnumberedEvent } from '../../events/outbox/outbox-events.repository.js';
import { typesFault } from '../endpoints/endpoint-state.js';
import type { WebhookEndpointDocument } from '../endpoints/webhook-endpoint.schema.js';
import { DeliveryQueueRepository } from './delivery-queue.repository.js';
import type { WebhookDeliveryDocument } from './webhook-delivery.schema.js';

/** Deliveries of one transaction, unless a single event has more. */
const maxDeliveries = 2_000;

/** Creates the deliveries of events when these are numbered, for the endpoints that subscribe then (rule HOOK-4). */
@Injectable()
export class WebhookFanOut {
  private readonly logger = new Logger(WebhookFanOut.name);
  private listener = () => {};
  private readonly report = () => this.listener();

  constructor(
    @InjectAcrossTenants('WebhookEndpoint')
    private readonly endpoints: CollectionAcrossTenants<WebhookEndpointDocument>,
    private readonly queue: DeliveryQueueRepository,
    private readonly clock: Clock,
    relay: EventRelay,
  ) {
    relay.fanOutBy((organizationId, events) => this.fanOut(organizationId, events));
  }

  onCreated(listener: () => void): void {
    this.listener = listener;
  }

  private async fanOut(
    organizationId: Types.ObjectId,
    events: readonly UnnumberedEvent[],
  ): Promise<number> {
    const endpoints = await this.subscribersOf(organizationId);
    const now = this.clock.now();
    const deliveries: WebhookDeliveryDocument[] = [];
    let count = 0;
    for (const event of events) {
      const subscribed = endpoints.filter(({ eventTypes }) =>
        coversType(eventTypes ?? [], event.type),
      );
      if (count > 0 && deliveries.length + subscribed.length > maxDeliveries) break;
      deliveries.push(...subscribed.map(({ _id }) => newDelivery(event, _id, now)));
      count += 1;
    }
    await this.queue.insert(deliveries);
    if (deliveries.length > 0) afterTransaction(this.report);
    return count;
  }

  /** The enabled endpoints of an organization; faulty ones are marked and left out. */
  private async subscribersOf(organizationId: Types.ObjectId): Promise<WebhookEndpointDocument[]> {
    const { acrossTenants: collection } = this.endpoints;
    const enabled = { organizationId, isEnabled: true, removedAt: null };
    const endpoints = await collection.find(enabled, openSession()).toArray();
    for (const endpoint of endpoints) {
      const fault = hasTypes(endpoint) ? null : typesFault;
      const { _id } = endpoint;
      if ((fault === typesFault) === (endpoint.fault === typesFault)) continue;
      await collection.updateOne({ _id }, { $set: { fault } }, openSession());
      const message = 'An endpoint gets no events until its eventTypes are a list';
      if (fault !== null) this.logger.warn({ endpointId: _id, reason: fault }, message);
    }
    return endpoints.filter(hasTypes);
  }
}

function hasTypes({ eventTypes = [] }: WebhookEndpointDocument): boolean {
  return Array.isArray(eventTypes);
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
    objectId: event.objectId,
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
