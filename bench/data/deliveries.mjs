// Webhook deliveries that are finished: they only make the collection large.
import { literals, madeInside, numberedId } from './made-inside.mjs';
import { idOf } from './names.mjs';

const body = JSON.stringify({
  type: 'lead.updated',
  data: { note: 'Called twice, likes the lake.' },
});

/**
 * Steps that make and store the deliveries.
 *
 * @param now when they were finished; deliveries expire
 * @param count how many, a multiple of a thousand
 */
export function finishedDeliveries(now, count) {
  return madeInside('webhookDeliveries', count, deliveryFields(now));
}

function deliveryFields(now) {
  const objectId = idOf('lead', 0).toHexString();
  return {
    _id: numberedId('delivery'),
    organizationId: { $literal: idOf('organization', 0) },
    endpointId: { $literal: idOf('endpoint', 0) },
    eventId: numberedId('event'),
    messageId: { $concat: ['msg_', { $toString: '$number' }] },
    ...literals({ type: 'lead.updated', objectId, body, status: 'delivered', failureReason: null }),
    ...literals({
      round: 1,
      attempts: 1,
      bytes: body.length,
      log: [],
      nextAttemptAt: now,
      leaseOwner: null,
      lastAttemptAt: now,
    }),
    ...literals({ lastStatusCode: 204, lastError: null }),
    ...literals({ completedAt: now, createdAt: now, updatedAt: now }),
  };
}
