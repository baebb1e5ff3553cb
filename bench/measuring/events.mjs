// What an event costs the database of the service. With a subscriber, events are stored while the service is paused, and
// the time of mongod is taken from then until the last one is delivered. Without one the service stores an event as done:
// the time is that of storing events in this way, with the question for subscribers, and of whatever they cause then.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ObjectId } from 'mongodb';
import { idOf } from '../data/names.mjs';
import { productionEnvironment } from './environment.mjs';
import { processorTime } from './process-figures.mjs';

const run = promisify(execFile);
const usualCount = 4_000;
const eventsInGroup = 16;
const pollMs = 50;
const afterwardsMs = 1_000;
/** How long the service keeps an event that nobody is subscribed to. */
const retentionMs = 86_400_000;
const patienceMs = 120_000;
/** An organization of its own for those with a subscriber. */
const subscribed = 1;

/**
 * @param count how many of each
 * @returns microseconds of mongod for an event without subscribers, and for one with a subscriber
 */
export async function measureEvents(service, count = usualCount) {
  const receiver = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(204).end());
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  try {
    await subscribe(service, receiver.address().port);
    return {
      alone: await costOfUnsubscribed(service, count),
      delivered: await costOfDelivered(service, count),
    };
  } finally {
    receiver.close();
    receiver.closeAllConnections();
  }
}

async function subscribe({ database }, port) {
  const organization = idOf('organization', subscribed).toHexString();
  const url = `http://127.0.0.1:${port}/hooks`;
  const cli = join(import.meta.dirname, '../../dist/cli.js');
  const parameters = ['webhook', 'add', '--org', organization, '--url', url, '--events', 'lead.*'];
  const cwd = import.meta.dirname;
  await run(process.execPath, [cli, ...parameters], {
    cwd,
    env: productionEnvironment(database.uri),
  });
}

async function costOfUnsubscribed({ database: { db, pid } }, count) {
  const organizationId = idOf('organization', 0);
  const subscribers = { organizationId, isEnabled: true };
  const before = processorTime(pid);
  await inGroups(count, async (numbers) => {
    await db.collection('webhookEndpoints').find(subscribers).toArray();
    await db.collection('outboxEvents').insertMany(numbers.map((number) => doneEvent(0, number)));
  });
  // What the service does about them is part of it.
  await delay(afterwardsMs);
  return (processorTime(pid) - before) / count;
}

async function costOfDelivered(service, count) {
  const { db, pid } = service.database;
  service.pause();
  const since = new Date();
  await inGroups(count, (numbers) =>
    db.collection('outboxEvents').insertMany(numbers.map((number) => newEvent(subscribed, number))),
  );
  const before = processorTime(pid);
  service.resume();
  await finished(db, idOf('organization', subscribed), since);
  return (processorTime(pid) - before) / count;
}

async function inGroups(count, store) {
  for (let from = 0; from < count; from += eventsInGroup) {
    await store(Array.from({ length: eventsInGroup }, (_, index) => from + index));
  }
}

function doneEvent(organization, number) {
  const event = newEvent(organization, number);
  const expiresAt = new Date(event.createdAt.getTime() + retentionMs);
  return { ...event, relayedAt: event.createdAt, expiresAt };
}

function newEvent(organization, number) {
  const now = new Date();
  const data = {
    _id: new ObjectId().toHexString(),
    leadId: number,
    data: { note: 'x'.repeat(500) },
  };
  return {
    _id: new ObjectId(),
    organizationId: idOf('organization', organization),
    type: 'lead.updated',
    data,
    changes: [{ field: 'data.note', from: null, to: 'x' }],
    relayedAt: null,
    createdAt: now,
    updatedAt: now,
  };
}

async function finished(db, organizationId, since) {
  const until = performance.now() + patienceMs;
  const isOpen = async () =>
    (await db.collection('outboxEvents').findOne({ relayedAt: null })) ??
    (await db.collection('webhookDeliveries').findOne({ status: 'pending' }));
  while (await isOpen()) {
    if (performance.now() > until) throw new Error('Not all events were relayed and delivered.');
    await delay(pollMs);
  }
  const filter = { organizationId, createdAt: { $gte: since }, status: 'failed' };
  if (await db.collection('webhookDeliveries').findOne(filter))
    throw new Error('A delivery failed.');
}
