import { Injectable } from '@nestjs/common';
import type { Filter } from 'mongodb';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import {
  type CrossTenantCollection,
  InjectCrossTenant,
} from '../../core/database/documents/cross-tenant-collection.js';
import {
  bufferedBatches,
  type BatchedUpdates,
} from '../../core/database/documents/tenant-queries.js';
import {
  type KeysetPage,
  type KeysetRequest,
  newestFirst,
  readPage,
} from '../../core/database/documents/keyset.js';
import { parseObjectId } from '../../core/database/documents/tenant-document.js';
import { dayMs } from '../../core/values/time.js';
import { withoutUndefined } from '../../core/values/json.js';
import { pingType } from '../../events/outbox/event-types.js';
import { eventIdOf, messageIdOf, messageOf } from '../../events/outbox/message.js';
import { EventHistoryService } from '../../events/outbox/event-history.service.js';
import type { WebhookEndpointDocument } from '../endpoints/webhook-endpoint.schema.js';
import { SecretKeys } from '../endpoints/secret-keys.js';
import { WebhookSender } from '../sending/webhook-sender.js';
import { type AttemptResult, attemptsPerRound, attemptOutcome } from './attempt-outcome.js';
import { DeliveryQueueRepository } from './delivery-queue.repository.js';
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
/** Larger statements would delay the workers. */
const replayBatchSize = 1_000;
const listProjection = { log: { $slice: -1 } } as const;

@Injectable()
export class WebhookDeliveriesService {
  constructor(
    @InjectCrossTenant('WebhookDelivery')
    private readonly deliveries: CrossTenantCollection<WebhookDeliveryDocument>,
    @InjectCrossTenant('WebhookEndpoint')
    private readonly endpoints: CrossTenantCollection<WebhookEndpointDocument>,
    private readonly events: EventHistoryService,
    private readonly queue: DeliveryQueueRepository,
    private readonly secrets: SecretKeys,
    private readonly sender: WebhookSender,
    private readonly clock: Clock,
  ) {}

  /** Returns attempts oldest first; the body is null if its event has expired. */
  async find(_id: Types.ObjectId) {
    const delivery = await this.deliveries.allTenants.findOne({ _id });
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
    const idFilter = isMessage ? { eventId: _id } : { _id };
    const filter = { organizationId: { $in: [...organizationIds] }, ...idFilter };
    const found = this.deliveries.allTenants.find(filter, { limit, projection: listProjection });
    return (await found.toArray()).map(listedDelivery);
  }

  async listPage(
    organizationId: Types.ObjectId,
    filter: DeliveryFilter,
    part: KeysetRequest,
  ): Promise<KeysetPage<ListedDelivery>> {
    const query: Filter<WebhookDeliveryDocument> = { organizationId, ...deliveryQuery(filter) };
    const { items, next } = await readPage(newestFirst, part, (after, { limit, sort }) =>
      this.deliveries.allTenants
        .find({ $and: [query, after] }, { limit, sort, projection: listProjection })
        .toArray(),
    );
    return { items: items.map(listedDelivery), next };
  }

  async count(organizationId: Types.ObjectId, filter: DeliveryFilter): Promise<number> {
    return this.deliveries.count(organizationId, deliveryQuery(filter));
  }

  /** Starts a new round of attempts (rule HOOK-14). An interrupted replay continues if repeated within a day. */
  async replay(
    { organizationId, _id: endpointId }: WebhookEndpointDocument,
    filter: DeliveryFilter,
    progress: (done: number, total: number) => void = () => {},
  ): Promise<number> {
    const now = this.clock.now();
    const name = replayName(filter);
    const replayRun = await this.beginReplay(endpointId, name, now);
    // Later events are sent without a replay.
    const until = filter.until !== undefined && filter.until < now ? filter.until : now;
    const query = deliveryQuery({ ...filter, endpointId, until });
    const total = await this.deliveries.count(organizationId, query);
    const remaining = { organizationId, ...query, replayRun: { $ne: replayRun } };
    const cursor = this.deliveries.allTenants
      .find<Pick<WebhookDeliveryDocument, '_id'>>(remaining, { projection: { _id: 1 } })
      .sort({ createdAt: 1, _id: 1 })
      .batchSize(replayBatchSize);
    let done = 0;
    for await (const found of bufferedBatches(cursor)) {
      const batch = { ...remaining, _id: { $in: found.map(({ _id }) => _id) } };
      const round = newRound(replayRun, this.clock.now());
      done += (await this.deliveries.allTenants.updateMany(batch, round)).modifiedCount;
      progress(done, total);
    }
    const $unset = { [`replays.${name}`]: '' as const };
    await this.endpoints.allTenants.updateOne({ _id: endpointId }, { $unset });
    return done;
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
    await this.deliveries.insert(delivery);
    const result = await this.sender.send({ url, secrets }, message);
    const ended = attemptOutcome(result, attemptsPerRound, this.clock.now(), 0);
    await this.queue.store([{ delivery, url, result, outcome: { ...ended, attempts: 1 } }]);
    return result;
  }

  /** Counts attempts, not deliveries. */
  async *eraseResponses(
    organizationId: Types.ObjectId,
    objectIds: readonly string[],
  ): AsyncGenerator<BatchedUpdates, void> {
    let count = 0;
    const about = { objectId: { $in: objectIds } };
    const parts = this.deliveries.batchedUpdates(
      organizationId,
      about,
      ({ log, erasedAt = null }) => {
        const answered = log.filter(({ response }) => response !== null).length;
        if (answered === 0 && erasedAt !== null) return null;
        count += answered;
        const removed = { 'log.$[].response': null, 'log.$[].redirectsTo': null };
        return { $set: { erasedAt: erasedAt ?? this.clock.now(), ...removed } };
      },
    );
    for await (const { write } of parts) {
      yield { count, write };
      count = 0;
    }
  }

  private async beginReplay(_id: Types.ObjectId, name: string, now: Date): Promise<Date> {
    const field = `replays.${name}`;
    const resumable = new Date(now.getTime() - maxResumeMs);
    const begun = { $cond: [{ $gt: [`$${field}`, resumable] }, `$${field}`, now] };
    const endpoint = await this.endpoints.allTenants.findOneAndUpdate(
      { _id },
      [{ $set: { [field]: begun } }],
      { returnDocument: 'after' },
    );
    return endpoint?.replays?.[name] ?? now;
  }
}

/** A running attempt still belongs to the old round. */
function newRound(replayRun: Date, now: Date) {
  const $set = {
    status: 'pending',
    failureReason: null,
    attempts: 0,
    nextAttemptAt: now,
    completedAt: null,
    replayRun,
    updatedAt: now,
  } as const;
  return { $set, $inc: { round: 1 } };
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
