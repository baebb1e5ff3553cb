import type {
  ListedDelivery,
  ShownDelivery,
} from '../../../webhooks/deliveries/webhook-deliveries.service.js';

/** A delivery as JSON; `nextAttemptAt` is null when there is no further attempt. */
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

/** A delivery as JSON, with its body and all attempts. */
export function deliveryDetailView(delivery: ShownDelivery) {
  const log = delivery.log.map(
    ({ round, attempt, startedAt, milliseconds, url, statusCode, response, error }) => {
      return { round, attempt, startedAt, milliseconds, url, statusCode, response, error };
    },
  );
  return { ...deliveryView(delivery), body: delivery.body, log };
}
