import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../configuration/clock.js';
import { DeliveryQueueRepository } from '../deliveries/delivery-queue.repository.js';
import { coversType } from './event-types.js';
import { messageOf, objectIdOf } from '../sending/message.js';
import type { OutboxEventDocument } from './outbox-event.schema.js';
import { OutboxEventsRepository } from './outbox-events.repository.js';
import type { WebhookDeliveryDocument } from '../deliveries/webhook-delivery.schema.js';
import type { WebhookEndpointDocument } from '../endpoints/webhook-endpoint.schema.js';
import { WebhookEndpointsRepository } from '../endpoints/webhook-endpoints.repository.js';

/** Events of 1 MiB each have to fit into memory, once as documents and once as bodies. */
const batchSize = 100;
/** A relay that has not finished its batch by then has died. */
const lease = 30_000;

/** Hands the events of committed changes to the endpoints that are subscribed now. */
@Injectable()
export class WebhookRelay {
  private readonly logger = new Logger(WebhookRelay.name);

  constructor(
    private readonly events: OutboxEventsRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly queue: DeliveryQueueRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Hands over a batch of events. Running again over the same events, after a crash in between,
   * adds nothing.
   *
   * @returns how many deliveries came of it, and whether more events may wait
   */
  async relay(): Promise<{ deliveries: number; hasMore: boolean }> {
    const now = this.clock.now();
    const until = new Date(now.getTime() + lease);
    const events = await this.events.lease({ owner: randomUUID(), from: now, until }, batchSize);
    if (events.length === 0) return { deliveries: 0, hasMore: false };
    const deliveries = await this.deliveriesOf(events, now);
    await this.queue.addMissing(deliveries);
    await this.events.markRelayed(events, now);
    this.logger.debug(`${events.length} events, ${deliveries.length} deliveries`);
    return { deliveries: deliveries.length, hasMore: events.length === batchSize };
  }

  private async deliveriesOf(
    events: readonly OutboxEventDocument[],
    now: Date,
  ): Promise<WebhookDeliveryDocument[]> {
    const ids = new Map(events.map(({ organizationId: id }) => [id.toHexString(), id]));
    const endpoints = await this.endpoints.findEnabled([...ids.values()]);
    return events.flatMap((event) => {
      const subscribed = endpoints.filter(
        ({ organizationId, eventTypes = [] }) =>
          organizationId.equals(event.organizationId) && coversType(eventTypes, event.type),
      );
      if (subscribed.length === 0) return [];
      const message = messageOf(event);
      return subscribed.map((endpoint) => newDelivery(event, endpoint, message, now));
    });
  }
}

/** A delivery that is due at once. */
export function newDelivery(
  event: OutboxEventDocument,
  endpoint: WebhookEndpointDocument,
  message: { readonly id: string; readonly body: string },
  now: Date,
): WebhookDeliveryDocument {
  return {
    _id: new Types.ObjectId(),
    organizationId: event.organizationId,
    endpointId: endpoint._id,
    eventId: event._id,
    messageId: message.id,
    type: event.type,
    objectId: objectIdOf(event),
    body: message.body,
    status: 'pending',
    failureReason: null,
    round: 1,
    attempts: 0,
    nextAttemptAt: now,
    leaseOwner: null,
    lastAttemptAt: null,
    lastStatusCode: null,
    lastError: null,
    completedAt: null,
    createdAt: now,
    updatedAt: now,
  };
}
