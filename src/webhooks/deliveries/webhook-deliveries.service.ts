import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import type { KeysetPage, KeysetRequest } from '../../core/database/documents/keyset.js';
import { dayMs } from '../../core/values/durations.js';
import { pingType } from '../../events/outbox/event-types.js';
import { messageIdOf, messageOf } from '../../events/outbox/message.js';
import { OutboxEventsRepository } from '../../events/outbox/outbox-events.repository.js';
import { EndpointSecrets } from '../endpoints/endpoint-secrets.js';
import type { WebhookEndpointDocument } from '../endpoints/webhook-endpoint.schema.js';
import { WebhookEndpointsRepository } from '../endpoints/webhook-endpoints.repository.js';
import { WebhookSender } from '../sending/webhook-sender.js';
import { type AttemptResult, isSuccess, type Outcome } from './delivery-outcome.js';
import { DeliveryQueueRepository } from './delivery-queue.repository.js';
import {
  type DeliveryFilter,
  WebhookDeliveriesRepository,
} from './webhook-deliveries.repository.js';
import type { DeliveryAttempt, WebhookDeliveryDocument } from './webhook-delivery.schema.js';
import { newDelivery } from './webhook-fan-out.js';

export type { DeliveryFilter };

/** A delivery as lists show it. */
export interface ListedDelivery extends Omit<WebhookDeliveryDocument, 'body' | 'log'> {
  readonly messageId: string;
  readonly lastAttemptAt: Date | null;
  readonly lastStatusCode: number | null;
  readonly lastError: string | null;
}

/** A delivery with its body, null where its event has expired, and its attempts, oldest first. */
export interface ShownDelivery extends ListedDelivery {
  readonly body: string | null;
  readonly log: readonly DeliveryAttempt[];
}

/** How long a replay that was cut short can be continued. */
const resumableMs = dayMs;

/** Operations on deliveries for the operator. */
@Injectable()
export class WebhookDeliveriesService {
  constructor(
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly events: OutboxEventsRepository,
    private readonly queue: DeliveryQueueRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly secrets: EndpointSecrets,
    private readonly sender: WebhookSender,
    private readonly clock: Clock,
  ) {}

  /** The delivery of an id, null when there is none. */
  async find(_id: Types.ObjectId): Promise<ShownDelivery | null> {
    const delivery = await this.deliveries.findById(_id);
    if (delivery === null) return null;
    const { organizationId, eventId, log } = delivery;
    const [event] = await this.events.findWhole(organizationId, [eventId]);
    const body = delivery.body ?? (event === undefined ? null : messageOf(event).body);
    return { ...listedDelivery(delivery), body, log };
  }

  /** The deliveries of an organization, newest first. */
  async list(
    organizationId: Types.ObjectId,
    filter: DeliveryFilter,
    limit: number,
  ): Promise<ListedDelivery[]> {
    return [...(await this.listPage(organizationId, filter, { limit })).items];
  }

  /** A part of the deliveries of an organization, newest first. */
  async listPage(
    organizationId: Types.ObjectId,
    filter: DeliveryFilter,
    part: KeysetRequest,
  ): Promise<KeysetPage<ListedDelivery>> {
    const { items, next } = await this.deliveries.list(organizationId, filter, part);
    return { items: items.map(listedDelivery), next };
  }

  /** How many deliveries match. */
  async count(organizationId: Types.ObjectId, filter: DeliveryFilter): Promise<number> {
    return this.deliveries.count(organizationId, filter);
  }

  /** The deliveries of events, in no order. */
  async ofEvents(
    organizationId: Types.ObjectId,
    eventIds: readonly Types.ObjectId[],
    limit: number,
  ): Promise<ListedDelivery[]> {
    return this.list(organizationId, { eventIds }, limit);
  }

  /** How many deliveries wait for an endpoint, counted up to a number where one is given. */
  async countWaiting(endpointId: Types.ObjectId, limit?: number): Promise<number> {
    return this.queue.countWaiting(endpointId, limit);
  }

  /**
   * Sends deliveries again, with the same ids and bodies, in a new round of attempts (rule HOOK-14).
   * A replay that was cut short goes on when it is repeated within a day.
   *
   * @param progress takes how many are put back, of how many, after each batch
   * @returns how many
   */
  async replay(
    { organizationId, _id: endpointId }: WebhookEndpointDocument,
    filter: DeliveryFilter,
    progress: (done: number, total: number) => void = () => {},
  ): Promise<number> {
    const now = this.clock.now();
    const name = replayName(filter);
    const resumable = new Date(now.getTime() - resumableMs);
    const run = await this.endpoints.beginReplay(endpointId, name, resumable, now);
    // What is created from now on is sent anyway.
    const until = filter.until !== undefined && filter.until < now ? filter.until : now;
    const wanted = { ...filter, endpointId, until };
    const total = await this.deliveries.count(organizationId, wanted);
    let done = 0;
    for await (const ids of this.deliveries.batchesToReplay(organizationId, wanted, run)) {
      done += await this.deliveries.startRound(ids, wanted, run, this.clock.now());
      progress(done, total);
    }
    await this.endpoints.endReplay(endpointId, name);
    return done;
  }

  /** Sends a ping to an endpoint, disabled or not, once and immediately, and logs it. */
  async ping(endpoint: WebhookEndpointDocument): Promise<AttemptResult> {
    const { _id: endpointId, organizationId, url } = endpoint;
    const now = this.clock.now();
    const data = { endpointId: endpointId.toHexString(), url: withoutQuery(url) };
    const times = { createdAt: now, updatedAt: now };
    const event = { _id: new Types.ObjectId(), organizationId, type: pingType, data, ...times };
    const message = messageOf(event);
    const size = { objectId: null, bytes: message.body.length };
    const delivery = {
      ...newDelivery({ ...event, ...size }, endpointId, now),
      body: message.body,
      // Whoever asked for it waits for the result; without them nobody is to send it again.
      status: 'failed',
      failureReason: 'interrupted',
      completedAt: now,
    } as const;
    await this.queue.insert([delivery]);
    const result = await this.sendSafely(endpoint, message);
    const outcome: Outcome = isSuccess(result)
      ? { status: 'delivered' }
      : { status: 'failed', reason: 'exhausted' };
    await this.queue.store([{ delivery, url, result, outcome, now: this.clock.now() }]);
    return result;
  }

  private async sendSafely(
    endpoint: WebhookEndpointDocument,
    message: Parameters<WebhookSender['send']>[1],
  ): Promise<AttemptResult> {
    const startedAt = this.clock.now();
    try {
      const secrets = this.secrets.signing(endpoint, startedAt);
      return await this.sender.send({ url: endpoint.url, secrets }, message);
    } catch (error) {
      const { message: reason } = error as Error;
      const nothing = { statusCode: null, response: null, retryAfter: null };
      return { ...nothing, startedAt, milliseconds: 0, error: reason };
    }
  }
}

function listedDelivery(delivery: WebhookDeliveryDocument): ListedDelivery {
  const { body: _body, log, ...fields } = delivery;
  const last = log.at(-1);
  return {
    ...fields,
    messageId: messageIdOf(delivery.eventId),
    lastAttemptAt: last?.startedAt ?? null,
    lastStatusCode: last?.statusCode ?? null,
    lastError: last?.error ?? null,
  };
}

/** A query may hold what only the receiver is to know. */
function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '');
}

/** The same for replays of the same deliveries. */
function replayName({ _id, status, since, until }: DeliveryFilter): string {
  const what = _id?.toHexString() ?? status ?? 'all';
  return `${what}-${since?.getTime() ?? ''}-${until?.getTime() ?? ''}`;
}
