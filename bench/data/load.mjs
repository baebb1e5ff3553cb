// Loads the fixed data, through the validators of the service.
import { Long, Timestamp } from 'mongodb';
import { documentsOf } from './documents.mjs';
import { idOf, loadedAt, sizes, useSizes } from './names.mjs';
import { loadUsage } from './usage.mjs';

const batchSize = 5_000;
const thousand = 1_000;
const leadsOfEvents = 20_000;

/** Fills a database that has the service's collections, validators and indexes, and nothing else. */
export async function loadData(db, chosen) {
  useSizes(chosen);
  const collections = await db.collections();
  const indexes = await Promise.all(collections.map((collection) => collection.indexes()));
  // Building indexes after loading takes a fraction of updating them with each insert.
  for (const collection of collections) await collection.dropIndexes();
  for (let organization = 0; organization <= sizes.smallOrganizations; organization++) {
    for (const [name, count, make] of documentsOf(organization))
      await insert(db, name, count, make);
  }
  const now = new Date();
  await makeInside(db, 'webhookDeliveries', sizes.deliveries, deliveryFields(now));
  if (sizes.events > 0) await loadEvents(db, now);
  if (sizes.usageKeys > 0) await loadUsage(db, now);
  for (const [place, collection] of collections.entries()) {
    // The first index of each collection, on `_id`, exists already.
    const dropped = indexes[place].slice(1).map(({ v: _version, ...index }) => index);
    if (dropped.length > 0) await collection.createIndexes(dropped);
  }
}

async function insert(db, name, count, make) {
  for (let from = 0; from < count; from += batchSize) {
    const length = Math.min(batchSize, count - from);
    const batch = Array.from({ length }, (_, index) => make(from + index));
    await db.collection(name).insertMany(batch, { ordered: false });
  }
}

/**
 * Creates documents inside the database, which is many times faster than sending them.
 *
 * @param count multiple of a thousand
 * @param fields expressions over the document's `$number`, from 0
 */
async function makeInside(db, collection, count, fields) {
  const steps = [
    { $documents: [{}] },
    ...numbered('thousands', count / thousand),
    ...numbered('ones', thousand),
    { $set: { number: { $add: [{ $multiply: ['$thousands', thousand] }, '$ones'] } } },
    { $project: fields },
    { $merge: { into: collection, whenMatched: 'fail' } },
  ];
  await db.aggregate(steps).toArray();
}

function numbered(field, length) {
  return [{ $set: { [field]: { $range: [0, length] } } }, { $unwind: `$${field}` }];
}

/** Wraps values that all documents share. */
function literals(fields) {
  return Object.fromEntries(Object.entries(fields).map(([name, $literal]) => [name, { $literal }]));
}

/** Returns an id that ends with the number, in decimal digits. */
function numberedId(kind) {
  const digits = 12;
  const padded = { $toString: { $add: [Long.fromNumber(10 ** digits), '$number'] } };
  const start = idOf(kind, 0).toHexString().slice(0, -digits);
  return { $toObjectId: { $concat: [start, { $substrBytes: [padded, 1, digits] }] } };
}

/** Finished deliveries only enlarge the collection; they have the current time because they expire. */
function deliveryFields(now) {
  return {
    _id: numberedId('delivery'),
    eventId: numberedId('event'),
    messageId: { $concat: ['msg_', { $toString: '$number' }] },
    ...literals({
      organizationId: idOf('organization', 0),
      endpointId: idOf('endpoint', 0),
      type: 'lead.updated',
      objectId: idOf('lead', 0).toHexString(),
      status: 'delivered',
      failureReason: null,
      round: 1,
      attempts: 1,
      bytes: 100,
      log: [],
      nextAttemptAt: now,
      lastAttemptAt: now,
      lastStatusCode: 204,
      lastError: null,
      completedAt: now,
      createdAt: now,
      updatedAt: now,
    }),
  };
}

/** Fills the feed of the large organization with numbered events about its first leads in rotation. */
async function loadEvents(db, now) {
  const organizationId = idOf('organization', 0);
  const times = { createdAt: now, updatedAt: now };
  const note = 'Called twice, likes the lake, wants three bedrooms and a garden. '.repeat(4);
  const leads = Array.from({ length: leadsOfEvents }, (_, index) => String(idOf('lead', index)));
  await makeInside(db, 'outboxEvents', sizes.events, {
    _id: numberedId('event'),
    data: {
      _id: { $arrayElemAt: [leads, { $mod: ['$number', leadsOfEvents] }] },
      ...literals({ name: 'Mona Adel', data: { note }, createdAt: loadedAt }),
    },
    sequence: { $add: ['$number', 1] },
    ...literals({
      organizationId,
      type: 'lead.updated',
      changes: [{ field: 'data.note', from: null, to: note }],
      storedAt: new Timestamp({ t: 1, i: 1 }),
      numberedAt: now,
      ...times,
    }),
  });
  const feed = { last: sizes.events, numberedAt: now, numberedBy: 'bench', pending: null };
  await db
    .collection('eventFeeds')
    .insertOne({ _id: organizationId, organizationId, ...feed, ...times });
}
