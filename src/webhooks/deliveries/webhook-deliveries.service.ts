import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import type { KeysetPage, KeysetRequest } from '../../core/database/documents/keyset.js';
import type { WebhookEndpointDocument } from '../endpoints/webhook-endpoint.schema.js';
import { WebhookEndpointsRepository } from '../endpoints/webhook-endpoints.repository.js';
import { pingType } from '../../events/outbox/event-types.js';
import type { OutboxEventDocument } from '../../events/outbox/outbox-event.schema.js';
import { messageOf } from '../../events/outbox/message.js';
import { WebhookSender } from '../sending/webhook-sender.js';
import { dayMs } from '../../core/values/durations.js';
import { attemptOf, attemptUpdate, newDelivery } from './delivery-documents.js';
import { type AttemptResult, isSuccess, type Outcome } from './delivery-outcome.js';
import { DeliveryQueueRepository } from './delivery-queue.repository.js';
import type { WebhookAttemptDocument } from './webhook-attempt.schema.js';
import { WebhookAttemptsRepository } from './webhook-attempts.repository.js';
import {
  type DeliveryFilter,
  type ListedDelivery,
  WebhookDeliveriesRepository,
} from './webhook-deliveries.repository.js';
import type { WebhookDeliveryDocument } from './webhook-delivery.schema.js';

export type { DeliveryFilter, ListedDelivery };

/** More attempts of one delivery are not shown together. */
const mostAttempts = 50;

/** How long a replay that was cut short can be continued. */
const resumableMs = dayMs;

/** Operations on deliveries for the operator. */
@Injectable()
export class WebhookDeliveriesService {
  constructor(
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly attempts: WebhookAttemptsRepository,
    private readonly queue: DeliveryQueueRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly sender: WebhookSender,
    private readonly clock: Clock,
  ) {}

  /** The delivery of an id, null when there is none. */
  async find(_id: Types.ObjectId): Promise<WebhookDeliveryDocument | null> {
    return this.deliveries.findById(_id);
  }

  /** What an organization was sent, newest first. */
  async list(
    organizationId: Types.ObjectId,
    filter: DeliveryFilter,
    limit: number,
  ): Promise<ListedDelivery[]> {
    return this.deliveries.list(organizationId, filter, limit);
  }

  /** A part of what an organization was sent, newest first. */
  async listPage(
    organizationId: Types.ObjectId,
    filter: DeliveryFilter,
    part: KeysetRequest,
  ): Promise<KeysetPage<ListedDelivery>> {
    return this.deliveries.listPart(organizationId, filter, part);
  }

  /** How many deliveries match. */
  async count(organizationId: Types.ObjectId, filter: DeliveryFilter): Promise<number> {
    return this.deliveries.count(organizationId, filter);
  }

  /** The newest attempts of a delivery, newest first; replays may have made many. */
  async latestAttemptsOf({ organizationId, _id }: WebhookDeliveryDocument): Promise<{
    readonly attempts: readonly WebhookAttemptDocument[];
    readonly hasMore: boolean;
  }> {
    const found = await this.attempts.latestOfDelivery(organizationId, _id, mostAttempts + 1);
    return { attempts: found.slice(0, mostAttempts), hasMore: found.length > mostAttempts };
  }

  /** To whom events were sent, in no order. */
  async ofEvents(
    organizationId: Types.ObjectId,
    eventIds: readonly Types.ObjectId[],
    limit: number,
  ): Promise<ListedDelivery[]> {
    return this.deliveries.listOfEvents(organizationId, eventIds, limit);
  }

  /** All attempts of a delivery, oldest first. */
  async attemptsOf(delivery: WebhookDeliveryDocument): Promise<WebhookAttemptDocument[]> {
    return this.attempts.listOfDelivery(delivery.organizationId, delivery._id);
  }

  /** How many deliveries wait for an endpoint. */
  async countPending(endpointId: Types.ObjectId): Promise<number> {
    return this.deliveries.countPending(endpointId);
  }

  /** How many deliveries wait for an endpoint, counted up to a number only. */
  async countWaiting(endpointId: Types.ObjectId, limit: number): Promise<number> {
    return this.deliveries.countWaiting(endpointId, limit);
  }

  /**
   * Sends deliveries again, with the same ids and bodies, in a new round of attempts (rule HOOK-14).
   * A replay that was cut short goes on when it is repeated within a day.
   *
   * @param progress takes how many are put back, of how many, after each batch
   * @returns how many; one that is being attempted now is left out
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
    const now = this.clock.now();
    const event = pingOf(endpoint, now);
    const message = messageOf(event);
    const delivery = newDelivery({ event, message, endpoint }, now);
    // Who asked for it waits for the result; when they are gone, nobody is to send it again.
    const interrupted = {
      status: 'failed',
      failureReason: 'interrupted',
      completedAt: now,
    } as const;
    Object.assign(delivery, interrupted, { leaseOwner: randomUUID() });
    await this.deliveries.insert(delivery);
    const result = await this.sender.send(endpoint, message);
    await this.attempts.insert([attemptOf(delivery, endpoint, result)]);
    const outcome: Outcome = isSuccess(result)
      ? { status: 'delivered' }
      : { status: 'failed', reason: 'exhausted' };
    await this.queue.finish([attemptUpdate(delivery, result, outcome, this.clock.now())]);
    return result;
  }
}

/** The same for replays of the same deliveries. */
function replayName({ _id, status, since, until }: DeliveryFilter): string {
  const what = _id?.toHexString() ?? status ?? 'all';
  return `${what}-${since?.getTime() ?? ''}-${until?.getTime() ?? ''}`;
}

function pingOf(
  { _id, organizationId, url }: WebhookEndpointDocument,
  now: Date,
): OutboxEventDocument {
  return {
    _id: new Types.ObjectId(),
    organizationId,
    type: pingType,
    data: { endpointId: _id.toHexString(), url },
    relayedAt: now,
    createdAt: now,
    updatedAt: now,
  };
}
