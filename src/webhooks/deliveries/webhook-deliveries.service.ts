import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import type { BatchedUpdates } from '../../core/database/documents/tenant-queries.js';
import type { KeysetPage, KeysetRequest } from '../../core/database/documents/keyset.js';
import { parseObjectId } from '../../core/database/documents/tenant-document.js';
import { dayMs, minuteMs } from '../../core/values/time.js';
import { withoutUndefined } from '../../core/values/json.js';
import { pingType } from '../../events/outbox/event-types.js';
import { eventIdOf, messageIdOf, messageOf } from '../../events/outbox/message.js';
import { OutboxEventsRepository } from '../../events/outbox/outbox-events.repository.js';
import type { WebhookEndpointDocument } from '../endpoints/webhook-endpoint.schema.js';
import { WebhookEndpointsRepository } from '../endpoints/webhook-endpoints.repository.js';
import { SecretKeys } from '../endpoints/secret-keys.js';
import { WebhookSender } from '../sending/webhook-sender.js';
import { type AttemptResult, attemptsPerRound, attemptOutcome } from './attempt-outcome.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import { WebhookReplaysRepository } from './webhook-replays.repository.js';
import { newDelivery } from './webhook-fan-out.js';
import type { WebhookDeliveryDocument } from './webhook-delivery.schema.js';

export interface DeliveryFilter {
  readonly _id?: Types.ObjectId | undefined;
  readonly endpointId?: Types.ObjectId | undefined;
  readonly eventIds?: readonly Types.ObjectId[] | undefined;
  /** Ids of leads, clients, units or wallets. */
  readonly objectIds?: readonly string[] | undefined;
  readonly status?: WebhookDeliveryDocument['status'] | undefined;
  readonly type?: string | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

export type ListedDelivery = ReturnType<typeof listedDelivery>;
export type DeliveryDetails = NonNullable<Awaited<ReturnType<WebhookDeliveriesService['find']>>>;

const maxResumeMs = dayMs;
/** Concurrent or interrupted calls of `sendAll` share one run for this time, in ms. */
const maxSharedMs = 10 * minuteMs;
const sendAllName = 'everything';

export interface SentAll {
  /** Number of pending deliveries that were made due. */
  readonly waiting: number;
  /** Number of failed deliveries that got a new round of attempts. */
  readonly failed: number;
  /** Start of the run, for `progressSince`. */
  readonly since: Date;
}

@Injectable()
export class WebhookDeliveriesService {
  constructor(
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly replays: WebhookReplaysRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly events: OutboxEventsRepository,
    private readonly secrets: SecretKeys,
    private readonly sender: WebhookSender,
    private readonly clock: Clock,
  ) {}

  /** Returns attempts oldest first; the body is null if its event has expired. */
  async find(_id: Types.ObjectId) {
    const delivery = await this.deliveries.find(_id);
    if (delivery === null) return null;
    const { organizationId, eventId, log } = delivery;
    const [event] = await this.events.findWithContents(organizationId, [eventId]);
    const body = delivery.body ?? (event === undefined ? null : messageOf(event).body);
    return { ...listedDelivery(delivery), body, log };
  }

  /** Searches by own id and by the `webhook-id` of the event. */
  async search(
    organizationIds: readonly Types.ObjectId[],
    reference: string,
    limit: number,
  ): Promise<ListedDelivery[]> {
    const isMessage = reference.startsWith('msg_');
    const _id = parseObjectId(isMessage ? eventIdOf(reference) : reference);
    if (_id === null) return [];
    const filter = isMessage ? { eventId: _id } : { _id };
    const found = await this.deliveries.search(organizationIds, filter, limit);
    return found.map(listedDelivery);
  }

  async listPage(
    organizationId: Types.ObjectId,
    filter: DeliveryFilter,
    part: KeysetRequest,
  ): Promise<KeysetPage<ListedDelivery>> {
    const query = deliveryQuery(filter);
    const { items, next } = await this.deliveries.listPage(organizationId, query, part);
    return { items: items.map(listedDelivery), next };
  }

  /** Starts a new round of attempts (rule HOOK-14). An interrupted replay continues if repeated within a day. */
  async replay(
    { organizationId, _id: endpointId }: WebhookEndpointDocument,
    filter: DeliveryFilter,
    progress: (done: number, total: number) => void = () => {},
  ): Promise<number> {
    const now = this.clock.now();
    const name = replayName(filter);
    const resumable = new Date(now.getTime() - maxResumeMs);
    const replayRun = await this.endpoints.beginReplay(endpointId, name, resumable, now);
    // Later events are sent without a replay.
    const until = filter.until !== undefined && filter.until < now ? filter.until : now;
    const query = deliveryQuery({ ...filter, endpointId, until });
    const total = await this.deliveries.count(organizationId, query);
    let done = 0;
    for await (const count of this.replays.startRounds(organizationId, query, replayRun)) {
      done += count;
      progress(done, total);
    }
    await this.endpoints.endReplay(endpointId, name);
    return done;
  }

  /**
   * Makes everything due that waits or has failed, except test events, and ends a pause. Concurrent calls share the work; a call after an
   * interruption continues it.
   *
   * @throws Error when the endpoint is disabled
   */
  async sendAll(
    endpoint: WebhookEndpointDocument,
    progress: (done: number, total: number) => void = () => {},
  ): Promise<SentAll> {
    const { _id: endpointId, organizationId } = endpoint;
    const now = this.clock.now();
    if (!(await this.endpoints.resume(endpointId))) {
      throw new Error(`The endpoint ${endpointId.toHexString()} is disabled: enable it first.`);
    }
    const shared = sharedSince(now);
    const since = await this.endpoints.beginReplay(endpointId, sendAllName, shared, now);
    const failed = deliveryQuery({ endpointId, status: 'failed', until: now });
    const query = { ...failed, type: { $ne: pingType } };
    const pending = await this.deliveries.countPending(endpointId);
    const total = pending + (await this.deliveries.count(organizationId, query));
    const done = { waiting: 0, failed: 0 };
    for await (const count of this.replays.makeDue(endpoint, since, now)) {
      done.waiting += count;
      progress(done.waiting, total);
    }
    for await (const count of this.replays.startRounds(organizationId, query, since)) {
      done.failed += count;
      progress(done.waiting + done.failed, total);
    }
    await this.endpoints.endReplay(endpointId, sendAllName);
    return { ...done, since };
  }

  /** Returns the start of a run of `sendAll` that is unfinished, or null. */
  sendingSince({ replays }: WebhookEndpointDocument): Date | null {
    const since = replays?.[sendAllName];
    return since !== undefined && since > sharedSince(this.clock.now()) ? since : null;
  }

  /** Counts the deliveries that `sendAll` or a replay has queued since a time. */
  async progressSince(endpoint: WebhookEndpointDocument, since: Date) {
    const running = this.sendingSince(endpoint);
    const from = running !== null && running < since ? running : since;
    const counts = await this.replays.countReplayed(endpoint, from);
    const countOf = (isMeant: (id: (typeof counts)[number]['_id']) => boolean) =>
      counts.filter(({ _id }) => isMeant(_id)).reduce((sum, { count }) => sum + count, 0);
    return {
      delivered: countOf(({ status }) => status === 'delivered'),
      failed: countOf(({ status }) => status === 'failed'),
      /** Not attempted since. */
      waiting: countOf(({ status, isTried }) => status === 'pending' && !isTried),
      /** Attempted since without success, and to be attempted again. */
      retrying: countOf(({ status, isTried }) => status === 'pending' && isTried),
    };
  }

  /** Sends even to a disabled endpoint, once. @throws Error when the endpoint's secrets cannot be opened */
  async ping(endpoint: WebhookEndpointDocument): Promise<AttemptResult> {
    const { _id: endpointId, organizationId, url } = endpoint;
    const now = this.clock.now();
    const secrets = this.secrets.signing(endpoint, now);
    // The query may contain a secret of the receiver.
    const data = { endpointId: endpointId.toHexString(), url: url.replace(/[?#].*$/s, '') };
    const event = { _id: new Types.ObjectId(), organizationId, type: pingType, data };
    const message = messageOf({ ...event, createdAt: now });
    const delivery = {
      ...newDelivery({ ...event, bytes: message.body.length }, endpointId, now),
      body: message.body,
      // If the waiting command is interrupted, no worker may send the event.
      status: 'failed',
      failureReason: 'interrupted',
      completedAt: now,
    } as const;
    await this.deliveries.add([delivery]);
    const result = await this.sender.send({ url, secrets }, message);
    const ended = attemptOutcome(result, attemptsPerRound, this.clock.now(), 0);
    await this.deliveries.store([{ delivery, url, result, outcome: { ...ended, attempts: 1 } }]);
    return result;
  }

  /** Counts attempts, not deliveries. */
  async *eraseResponses(
    organizationId: Types.ObjectId,
    objectIds: readonly string[],
  ): AsyncGenerator<BatchedUpdates, void> {
    yield* this.deliveries.eraseResponses(organizationId, objectIds);
    // Must be a later transaction than that of the deliveries, as the worker checks them after storing an excerpt.
    yield { count: 0, write: () => this.endpoints.eraseExcerpts(organizationId, { objectIds }) };
  }
}

function listedDelivery(delivery: WebhookDeliveryDocument) {
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

function sharedSince(now: Date): Date {
  return new Date(now.getTime() - maxSharedMs);
}

function replayName({ _id, status, since, until }: DeliveryFilter): string {
  const what = _id?.toHexString() ?? status ?? 'all';
  return `${what}-${since?.getTime() ?? ''}-${until?.getTime() ?? ''}`;
}

function deliveryQuery({ eventIds, objectIds, since, until, ...equal }: DeliveryFilter) {
  const createdAt = withoutUndefined({ $gte: since, $lt: until });
  return withoutUndefined({
    ...equal,
    eventId: eventIds && { $in: eventIds },
    objectId: objectIds && { $in: objectIds },
    createdAt: Object.keys(createdAt).length > 0 ? createdAt : undefined,
  });
}
