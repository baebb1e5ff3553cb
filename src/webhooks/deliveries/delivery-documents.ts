import { Types } from 'mongoose';
import type { WebhookEndpointDocument } from '../endpoints/webhook-endpoint.schema.js';
import type { OutboxEventDocument } from '../../events/outbox/outbox-event.schema.js';
import { objectIdOf } from '../../events/outbox/message.js';
import type { Message } from '../../events/outbox/message.js';
import type { AttemptResult, Outcome } from './delivery-outcome.js';
import type { WebhookAttemptDocument } from './webhook-attempt.schema.js';
import type { WebhookDeliveryDocument } from './webhook-delivery.schema.js';

/** A change of a leased delivery, which ends its lease; those with the same `set` change alike. */
export interface DeliveryUpdate extends Pick<WebhookDeliveryDocument, '_id' | 'leaseOwner'> {
  readonly set: Partial<WebhookDeliveryDocument>;
}

/** Until when deliveries belong to one process, and under what name. */
export interface Lease {
  readonly owner: string;
  readonly from: Date;
  readonly until: Date;
}

/** A delivery and how much of the budget it takes. */
export interface SizedDelivery {
  readonly delivery: WebhookDeliveryDocument;
  readonly bytes: number;
}

/** How many bytes of deliveries may still be leased. */
export interface Budget {
  /** @returns whether the bytes were free, which they are no longer */
  take(bytes: number): boolean;
  release(bytes: number): void;
}

/** What a delivery is made of. */
interface DeliverySource {
  readonly event: OutboxEventDocument;
  readonly message: Message;
  readonly endpoint: WebhookEndpointDocument;
}

/** A delivery that is due immediately. */
export function newDelivery(
  { event, message, endpoint }: DeliverySource,
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
    ...(event.erasedAt ? { erasedAt: event.erasedAt } : {}),
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

/** The log entry of an attempt. */
export function attemptOf(
  delivery: WebhookDeliveryDocument,
  endpoint: WebhookEndpointDocument,
  result: AttemptResult,
): WebhookAttemptDocument {
  const { startedAt, milliseconds, statusCode, response, error } = result;
  return {
    _id: new Types.ObjectId(),
    organizationId: delivery.organizationId,
    endpointId: endpoint._id,
    deliveryId: delivery._id,
    round: delivery.round,
    attempt: delivery.attempts + 1,
    url: endpoint.url,
    startedAt,
    milliseconds,
    statusCode,
    // A receiver may answer with what it knows of a person.
    response: delivery.erasedAt ? null : response,
    error,
    createdAt: startedAt,
    updatedAt: startedAt,
  };
}

/** What an attempt changes in its delivery. */
export function attemptUpdate(
  { _id, leaseOwner, attempts }: WebhookDeliveryDocument,
  result: AttemptResult,
  outcome: Outcome,
  now: Date,
): DeliveryUpdate {
  const attemptFields = {
    attempts: attempts + 1,
    lastAttemptAt: result.startedAt,
    lastStatusCode: result.statusCode,
    lastError: result.error,
    updatedAt: now,
  };
  const { status } = outcome;
  if (status === 'pending') {
    return { _id, leaseOwner, set: { ...attemptFields, nextAttemptAt: outcome.nextAttemptAt } };
  }
  const failureReason = status === 'failed' ? outcome.reason : null;
  return { _id, leaseOwner, set: { ...attemptFields, status, failureReason, completedAt: now } };
}

/**
 * The same updates, but first attempts that were delivered with the same response get the times of the
 * last one of them, so that one statement stores them all. The log has the times of each.
 */
export function withSharedTimes(updates: readonly DeliveryUpdate[]): DeliveryUpdate[] {
  const groups = Map.groupBy(updates, ({ set }) => responseOf(set));
  const latest = new Map(
    [...groups].map(([response, group]) => [response, group.map(({ set }) => set).reduce(later)]),
  );
  return updates.map((update) => ({
    ...update,
    set: latest.get(responseOf(update.set)) ?? update.set,
  }));
}

/** What first attempts with the same response have in common; other updates are like themselves alone. */
function responseOf(set: DeliveryUpdate['set']): unknown {
  const { status, attempts, lastStatusCode, lastError } = set;
  return status === 'delivered' && attempts === 1 && lastError === null ? lastStatusCode : set;
}

function later(one: DeliveryUpdate['set'], other: DeliveryUpdate['set']): DeliveryUpdate['set'] {
  const startOf = ({ lastAttemptAt }: DeliveryUpdate['set']) => lastAttemptAt?.getTime() ?? 0;
  return startOf(other) > startOf(one) ? other : one;
}
