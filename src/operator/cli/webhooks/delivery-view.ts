import type { INestApplicationContext } from '@nestjs/common';
import type {
  ListedDelivery,
  ShownDelivery,
  WebhookDeliveriesService,
} from '../../../webhooks/deliveries/webhook-deliveries.service.js';
import type { Columns } from '../command-line/output.js';

/** A delivery as the command line prints it. */
export type DeliveryView = ReturnType<typeof deliveryView>;
type DeliveryDetailView = ReturnType<typeof deliveryDetailView>;

export const deliveryListColumns: Columns<DeliveryView> = {
  Id: ({ _id }) => _id,
  Event: ({ type }) => type,
  About: ({ objectId }) => objectId,
  Status: statusOf,
  Attempts: ({ attempts }) => attempts,
  Response: ({ lastStatusCode, lastError }) => lastStatusCode ?? lastError,
  'Last attempt': ({ lastAttemptAt }) => lastAttemptAt,
  'Next attempt': ({ nextAttemptAt }) => nextAttemptAt,
  Created: ({ createdAt }) => createdAt,
};

export const deliveryColumns: Columns<DeliveryDetailView> = {
  Id: ({ _id }) => _id,
  Endpoint: ({ endpointId }) => endpointId,
  'Webhook-id': ({ messageId }) => messageId,
  Event: ({ type }) => type,
  About: ({ objectId }) => objectId,
  Status: statusOf,
  Round: ({ round }) => round,
  Created: ({ createdAt }) => createdAt,
  'Next attempt': ({ nextAttemptAt }) => nextAttemptAt,
  Completed: ({ completedAt }) => completedAt,
  Body: ({ body }) => body,
};

export const attemptColumns: Columns<DeliveryDetailView['log'][number]> = {
  Round: ({ round }) => round,
  Attempt: ({ attempt }) => attempt,
  Started: ({ startedAt }) => startedAt,
  Milliseconds: ({ milliseconds }) => milliseconds,
  Status: ({ statusCode }) => statusCode,
  Error: ({ error }) => error,
  Response: ({ response }) => response,
};

/** A delivery for printing; `nextAttemptAt` is null when there is no further attempt. */
export function deliveryView(delivery: ListedDelivery) {
  const { status } = delivery;
  return {
    _id: delivery._id.toHexString(),
    endpointId: delivery.endpointId.toHexString(),
    messageId: delivery.messageId,
    type: delivery.type,
    objectId: delivery.objectId,
    status,
    failureReason: delivery.failureReason,
    round: delivery.round,
    attempts: delivery.attempts,
    lastStatusCode: delivery.lastStatusCode,
    lastError: delivery.lastError,
    lastAttemptAt: delivery.lastAttemptAt,
    nextAttemptAt: status === 'pending' ? delivery.nextAttemptAt : null,
    completedAt: delivery.completedAt,
    createdAt: delivery.createdAt,
  };
}

/** A delivery for printing, with its body and all attempts. */
export function deliveryDetailView(delivery: ShownDelivery) {
  const log = delivery.log.map(
    ({ round, attempt, startedAt, milliseconds, url, statusCode, response, error }) => {
      return { round, attempt, startedAt, milliseconds, url, statusCode, response, error };
    },
  );
  return { ...deliveryView(delivery), body: delivery.body, log };
}

export async function deliveriesOf(
  application: INestApplicationContext,
): Promise<WebhookDeliveriesService> {
  const { WebhookDeliveriesService } =
    await import('../../../webhooks/deliveries/webhook-deliveries.service.js');
  return application.get(WebhookDeliveriesService);
}

function statusOf({ status, failureReason }: DeliveryView): string {
  return failureReason === null ? status : `${status} (${failureReason})`;
}
