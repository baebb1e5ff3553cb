import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../configuration/clock.js';
import { newDelivery } from '../deliveries/delivery-documents.js';
import { DeliveryQueueRepository } from '../deliveries/delivery-queue.repository.js';
import type { WebhookDeliveryDocument } from '../deliveries/webhook-delivery.schema.js';
import { WebhookEndpointsRepository } from '../endpoints/webhook-endpoints.repository.js';
import { messageOf } from '../sending/message.js';
import { coversType } from './event-types.js';
import type { OutboxEventDocument } from './outbox-event.schema.js';
import { OutboxEventsRepository } from './outbox-events.repository.js';

/** Events of 1 MiB each have to fit into memory, once as documents and once as bodies. */
const batchSize = 100;
/** A relay that has not finished its batch by then has died (rule HOOK-9). */
const leaseMs = 30_000;

/** Creates the deliveries of committed events to the endpoints that are subscribed (rule HOOK-4). */
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
   * Relays a batch of events. Running again over the same events, after a crash in between, adds
   * nothing.
   *
   * @returns how many deliveries were created, and whether more events may wait
   */
  async relay(): Promise<{ deliveries: number; hasMore: boolean }> {
    const now = this.clock.now();
    const until = new Date(now.getTime() + leaseMs);
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
      return subscribed.map((endpoint) => newDelivery({ event, message, endpoint }, now));
    });
  }
}
