// Webhook deliveries that are finished: they only make the collection large.
import { Long } from 'mongodb';
import { idOf } from './names.mjs';

const thousand = 1_000;
const body = JSON.stringify({
  type: 'lead.updated',
  data: { note: 'Called twice, likes the lake.' },
});

/**
 * Steps that make and store the deliveries inside the database, which is many times as fast as sending them.
 *
 * @param now when they were finished; deliveries expire
 * @param count how many, a multiple of a thousand
 */
export function finishedDeliveries(now, count) {
  return [
    { $documents: [{}] },
    ...numbered('thousands', count / thousand),
    ...numbered('ones', thousand),
    { $set: { number: { $add: [{ $multiply: ['$thousands', thousand] }, '$ones'] } } },
    { $project: deliveryFields(now) },
    { $merge: { into: 'webhookDeliveries', whenMatched: 'fail' } },
  ];
}

function numbered(field, count) {
  return [{ $set: { [field]: { $range: [0, count] } } }, { $unwind: `$${field}` }];
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
      nextAttemptAt: now,
      leaseOwner: null,
      lastAttemptAt: now,
    }),
    ...literals({ lastStatusCode: 204, lastError: null }),
    ...literals({ completedAt: now, createdAt: now, updatedAt: now }),
  };
}

function literals(fields) {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, { $literal: value }]),
  );
}

/** An id that ends with the number, in decimal digits. */
function numberedId(kind) {
  const digits = 12;
  const padded = { $toString: { $add: [Long.fromNumber(10 ** digits), '$number'] } };
  const start = idOf(kind, 0).toHexString().slice(0, -digits);
  return { $toObjectId: { $concat: [start, { $substrBytes: [padded, 1, digits] }] } };
}
