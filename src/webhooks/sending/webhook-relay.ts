import { Injectable, Logger } from '@nestjs/common';
import type { Types } from 'mongoose';
import PQueue from 'p-queue';
import { Clock } from '../../core/configuration/clock.js';
import { mebibyte } from '../../core/values/numbers.js';
import { newDelivery } from '../deliveries/delivery-documents.js';
import { DeliveryQueueRepository } from '../deliveries/delivery-queue.repository.js';
import { WebhookAttemptsRepository } from '../deliveries/webhook-attempts.repository.js';
import type { WebhookDeliveryDocument } from '../deliveries/webhook-delivery.schema.js';
import type { WebhookEndpointDocument } from '../endpoints/webhook-endpoint.schema.js';
import { WebhookEndpointsRepository } from '../endpoints/webhook-endpoints.repository.js';
import { messageOf } from '../../events/outbox/message.js';
import { assertBodySize } from '../../events/outbox/event-size.js';
import { coversType } from '../../events/outbox/event-types.js';
import { EventNumbering } from '../../events/outbox/event-numbering.js';
import type { OutboxEventDocument } from '../../events/outbox/outbox-event.schema.js';
import { OutboxEventsRepository } from '../../events/outbox/outbox-events.repository.js';

/** How many events, and how many bytes of them or of their deliveries, are in memory together. */
const batchSize = 250;
const batchBytes = 16 * mebibyte;

/** What a run of the relay did. */
export interface Relayed {
  /** The endpoints that have something new to deliver. */
  readonly endpointIds: readonly Types.ObjectId[];
  /** Whether there was anything to do, and whether more may wait. */
  readonly hasDone: boolean;
  readonly hasMore: boolean;
}

/**
 * Creates the deliveries of committed events to the endpoints that are subscribed (rule HOOK-4), and has
 * all events numbered.
 */
@Injectable()
export class WebhookRelay {
  private readonly logger = new Logger(WebhookRelay.name);
  private readonly runs = new PQueue({ concurrency: 1 });

  constructor(
    private readonly events: OutboxEventsRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly queue: DeliveryQueueRepository,
    private readonly numbering: EventNumbering,
    private readonly attempts: WebhookAttemptsRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Relays a batch of events; one that cannot be relayed is set aside with its reason (rule HOOK-15).
   * Running again over the same events, after a crash in between or beside another run, adds nothing.
   */
  async relay(): Promise<Relayed> {
    // Numbering relies on it that nothing was numbered here since the events were read.
    return this.runs.add(() => this.relayNext());
  }

  private async relayNext(): Promise<Relayed> {
    const now = this.clock.now();
    await this.numbering.finishPlans();
    const { events, hasMore } = await this.events.findUnnumbered({
      count: batchSize,
      bytes: batchBytes,
    });
    if (events.length === 0) return { endpointIds: [], hasDone: false, hasMore };
    const endpointIds = await this.createDeliveries(events.filter(isWaiting), now);
    const areNumbered = await this.numbering.number(events);
    this.logger.debug(`${events.length} events for ${endpointIds.length} endpoints`);
    return { endpointIds, hasDone: true, hasMore: hasMore || !areNumbered };
  }

  /** @returns the endpoints that get some */
  private async createDeliveries(
    events: readonly OutboxEventDocument[],
    now: Date,
  ): Promise<Types.ObjectId[]> {
    if (events.length === 0) return [];
    const endpoints = await this.subscribersOf(events);
    const failures = new Map<OutboxEventDocument, string>();
    let waiting = new Map<WebhookDeliveryDocument, OutboxEventDocument>();
    let waitingBytes = 0;
    const endpointIds = new Map<string, Types.ObjectId>();
    const subscribed = new Set<OutboxEventDocument>();
    const store = async () => {
      for (const { delivery, reason } of await this.queue.addMissing([...waiting.keys()])) {
        const event = waiting.get(delivery);
        if (event) failures.set(event, `Endpoint ${String(delivery.endpointId)}: ${reason}`);
      }
      for (const { endpointId } of waiting.keys()) {
        endpointIds.set(endpointId.toHexString(), endpointId);
      }
      waiting = new Map();
      waitingBytes = 0;
    };
    for (const event of events) {
      for (const delivery of this.deliveriesOf(event, endpoints, failures, now)) {
        subscribed.add(event);
        const bytes = Buffer.byteLength(delivery.body);
        if (waitingBytes + bytes > batchBytes) await store();
        waiting.set(delivery, event);
        waitingBytes += bytes;
      }
    }
    await store();
    for (const [event, reason] of failures) await this.setAside(event, reason, now);
    const mayBeErased = events.filter((event) => subscribed.has(event) || isErased(event));
    await this.eraseDeliveries(mayBeErased);
    return [...endpointIds.values()];
  }

  /**
   * An event that was read before something of it was removed has made deliveries that still say it; it
   * counts as relayed only when they do so no longer (rule LEAD-15). What is removed later is removed from
   * the deliveries too, which are stored by now.
   */
  private async eraseDeliveries(events: readonly OutboxEventDocument[]): Promise<void> {
    if (events.length === 0) return;
    for (const event of await this.events.findErased(events)) {
      const ids = await this.queue.eraseDeliveriesOf(event, messageOf(event).body);
      await this.attempts.forgetResponses(event.organizationId, ids);
    }
  }

  /** The deliveries of an event; none of one that cannot be sent, which is added to the failures. */
  private deliveriesOf(
    event: OutboxEventDocument,
    endpoints: readonly WebhookEndpointDocument[],
    failures: Map<OutboxEventDocument, string>,
    now: Date,
  ): WebhookDeliveryDocument[] {
    try {
      return deliveriesOf(event, endpoints, now);
    } catch (error) {
      failures.set(event, (error as Error).message);
      return [];
    }
  }

  /** The enabled endpoints of the events' organizations; faulty ones are marked and left out. */
  private async subscribersOf(
    events: readonly OutboxEventDocument[],
  ): Promise<WebhookEndpointDocument[]> {
    const ids = new Map(events.map(({ organizationId: id }) => [String(id), id]));
    const endpoints = await this.endpoints.findEnabled([...ids.values()]);
    for (const endpoint of endpoints) {
      const fault = faultOf(endpoint);
      if (fault === (endpoint.fault ?? null)) continue;
      const isNew = await this.endpoints.setFault(endpoint._id, fault);
      if (!isNew || fault === null) continue;
      const endpointId = endpoint._id.toHexString();
      this.logger.warn({ endpointId, reason: fault }, 'An endpoint is faulty and gets no events');
    }
    return endpoints.filter((endpoint) => faultOf(endpoint) === null);
  }

  private async setAside(event: OutboxEventDocument, reason: string, now: Date): Promise<void> {
    await this.events.markFailed(event, reason, now);
    this.logger.error(
      { eventId: event._id.toHexString(), reason },
      'An event could not be relayed',
    );
  }
}

/** Whether an event may have deliveries that are not created yet. */
function isWaiting({ relayedAt }: OutboxEventDocument): boolean {
  return (relayedAt ?? null) === null;
}

function isErased({ erasedAt }: OutboxEventDocument): boolean {
  return (erasedAt ?? null) !== null;
}

/** Why an endpoint cannot get events; null when it can. */
function faultOf({ eventTypes = [] }: WebhookEndpointDocument): string | null {
  return Array.isArray(eventTypes) ? null : 'eventTypes is not a list';
}

/** @throws Error when the event cannot be sent */
function deliveriesOf(
  event: OutboxEventDocument,
  endpoints: readonly WebhookEndpointDocument[],
  now: Date,
): WebhookDeliveryDocument[] {
  const subscribed = endpoints.filter(
    ({ organizationId, eventTypes }) =>
      organizationId.equals(event.organizationId) && coversType(eventTypes ?? [], event.type),
  );
  if (subscribed.length === 0) return [];
  const message = messageOf(event);
  assertBodySize(message.body);
  return subscribed.map((endpoint) => newDelivery({ event, message, endpoint }, now));
}
