import type { WebhookAttemptDocument } from '../../webhooks/deliveries/webhook-attempt.schema.js';
import type { ListedDelivery } from '../../webhooks/deliveries/webhook-deliveries.service.js';
import type { WebhookDeliveryDocument } from '../../webhooks/deliveries/webhook-delivery.schema.js';
import type { Columns } from '../command-line/output.js';

/** One event on its way to one endpoint, as the operator sees it. */
export interface DeliveryView {
  readonly _id: string;
  readonly endpointId: string;
  /** `webhook-id`. */
  readonly messageId: string;
  readonly type: string;
  readonly objectId: string | null;
  readonly status: string;
  readonly failureReason: string | null;
  readonly round: number;
  readonly attempts: number;
  readonly lastStatusCode: number | null;
  readonly lastError: string | null;
  readonly lastAttemptAt: Date | null;
  /** Null when nothing more is to come. */
  readonly nextAttemptAt: Date | null;
  readonly completedAt: Date | null;
  readonly createdAt: Date;
}

/** One try to deliver. */
export interface AttemptView {
  readonly round: number;
  readonly attempt: number;
  readonly startedAt: Date;
  readonly milliseconds: number;
  readonly url: string;
  readonly statusCode: number | null;
  readonly response: string | null;
  readonly error: string | null;
}

/** A delivery with what was sent and every try. */
export interface DeliveryDetailView extends DeliveryView {
  readonly body: string;
  readonly log: readonly AttemptView[];
}

/** The columns of `webhook deliveries`. */
export const deliveryListColumns: Columns<DeliveryView> = {
  Id: ({ _id }) => _id,
  Event: ({ type }) => type,
  About: ({ objectId }) => objectId,
  Status: statusOf,
  Tries: ({ attempts }) => attempts,
  Answer: answerOf,
  'Last try': ({ lastAttemptAt }) => lastAttemptAt,
  'Next try': ({ nextAttemptAt }) => nextAttemptAt,
  Created: ({ createdAt }) => createdAt,
};

/** The lines of one delivery. */
export const deliveryColumns: Columns<DeliveryDetailView> = {
  Id: ({ _id }) => _id,
  Endpoint: ({ endpointId }) => endpointId,
  'Webhook-id': ({ messageId }) => messageId,
  Event: ({ type }) => type,
  About: ({ objectId }) => objectId,
  Status: statusOf,
  Round: ({ round }) => round,
  Created: ({ createdAt }) => createdAt,
  'Next try': ({ nextAttemptAt }) => nextAttemptAt,
  Completed: ({ completedAt }) => completedAt,
  Body: ({ body }) => body,
};

/** The columns of the tries of one delivery. */
export const attemptColumns: Columns<AttemptView> = {
  Round: ({ round }) => round,
  Try: ({ attempt }) => attempt,
  Started: ({ startedAt }) => startedAt,
  Milliseconds: ({ milliseconds }) => milliseconds,
  Status: ({ statusCode }) => statusCode,
  Error: ({ error }) => error,
  Response: ({ response }) => response,
};

/** Shows a stored delivery. */
export function deliveryView(delivery: ListedDelivery): DeliveryView {
  return {
    _id: delivery._id.toHexString(),
    endpointId: delivery.endpointId.toHexString(),
    messageId: delivery.messageId,
    type: delivery.type,
    objectId: delivery.objectId,
    status: delivery.status,
    failureReason: delivery.failureReason,
    round: delivery.round,
    attempts: delivery.attempts,
    lastStatusCode: delivery.lastStatusCode,
    lastError: delivery.lastError,
    lastAttemptAt: delivery.lastAttemptAt,
    nextAttemptAt: delivery.status === 'pending' ? delivery.nextAttemptAt : null,
    completedAt: delivery.completedAt,
    createdAt: delivery.createdAt,
  };
}

/** Shows a stored delivery with its tries. */
export function deliveryDetailView(
  delivery: WebhookDeliveryDocument,
  attempts: readonly WebhookAttemptDocument[],
): DeliveryDetailView {
  return {
    ...deliveryView(delivery),
    body: delivery.body,
    log: attempts.map(
      ({ round, attempt, startedAt, milliseconds, url, statusCode, response, error }) => {
        return { round, attempt, startedAt, milliseconds, url, statusCode, response, error };
      },
    ),
  };
}

function statusOf({ status, failureReason }: DeliveryView): string {
  return failureReason === null ? status : `${status} (${failureReason})`;
}

function answerOf({ lastStatusCode, lastError }: DeliveryView): string | number | null {
  return lastStatusCode ?? lastError;
}
