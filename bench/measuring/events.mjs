// What an event costs the database of the service, in microseconds of mongod. What mongod takes while nothing happens is
// measured first and left out, and so is what the change takes that the event is about: each is no cost of an event.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ObjectId, Timestamp } from 'mongodb';
import { idOf } from '../data/names.mjs';
import { productionEnvironment } from './environment.mjs';
import { unnumberedEvent } from './database.mjs';
import { processorTime } from './process-figures.mjs';

const run = promisify(execFile);
const usualCount = 4_000;
const eventsInGroup = 16;
const pollMs = 50;
const afterwardsMs = 1_000;
const idleMs = 3_000;
/** Changes with events and changes without take turns so often, so that a busy machine disturbs both. */
const turns = 8;
const patienceMs = 120_000;
/** An organization of its own for those with a subscriber. */
const subscribed = 1;

/**
 * @param count how many of each
 * @returns microseconds of mongod for an event without subscribers, and for one with a subscriber from its commit until
 *   its delivery is stored; and those of an idle service, in each second
 */
export async function measureEvents(service, count = usualCount) {
  let received = 0;
  const receiver = createServer((request, response) => {
    request.resume().once('end', () => {
      received += 1;
      response.writeHead(204).end();
    });
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  try {
    await subscribe(service, receiver.address().port);
    const idle = await costOfIdling(service);
    return {
      alone: await costOfUnsubscribed(service, count, idle),
      delivered: await costOfDelivered(service, { count, idle, received: () => received }),
      idle,
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

/** Microseconds a second. */
async function costOfIdling({ database: { pid } }) {
  await delay(afterwardsMs);
  const before = processorTime(pid);
  await delay(idleMs);
  return ((processorTime(pid) - before) / idleMs) * 1_000;
}

/** What the transaction of a group of changes costs with their events and their numbers, less what it costs without. */
async function costOfUnsubscribed({ database: { db, pid } }, count, idle) {
  const changed = db.collection('benchChanges');
  await changed.insertMany(
    Array.from({ length: eventsInGroup }, (_, _id) => ({ _id, turn: 0, text: 'x'.repeat(1_000) })),
  );
  let cost = 0;
  for (let turn = 0; turn < 2 * turns; turn++) {
    const withEvents = turn % 2 === 1;
    const before = processorTime(pid);
    const start = performance.now();
    await inGroups(count / turns, (numbers) => storeChanges(db, numbers, withEvents));
    // What the service does about them is part of it.
    await delay(afterwardsMs / turns);
    while (await unnumberedEvent(db)) await delay(pollMs);
    const idleCost = (idle * (performance.now() - start)) / 1_000;
    cost += (processorTime(pid) - before - idleCost) * (withEvents ? 1 : -1);
  }
  await changed.drop();
  return cost / count;
}

/** As the service stores changes that nobody is subscribed to, in its own way of asking for subscribers. */
async function storeChanges(db, numbers, withEvents) {
  const updates = numbers.map((turn, _id) => ({
    updateOne: { filter: { _id }, update: { $set: { turn } } },
  }));
  await db.client.withSession((session) =>
    session.withTransaction(async () => {
      await db.collection('benchChanges').bulkWrite(updates, { session });
      if (!withEvents) return;
      const subscribers = { organizationId: idOf('organization', 0), isEnabled: true };
      await db.collection('webhookEndpoints').find(subscribers).toArray();
      const events = numbers.map((number) => doneEvent(0, number));
      await db.collection('outboxEvents').insertMany(events, { session });
    }),
  );
}

async function costOfDelivered(service, { count, idle, received }) {
  const { db, pid } = service.database;
  service.pause();
  const since = new Date();
  await inGroups(count, (numbers) =>
    db.collection('outboxEvents').insertMany(numbers.map((number) => newEvent(subscribed, number))),
  );
  const before = processorTime(pid);
  const start = performance.now();
  service.resume();
  await finished(db, { since, isReceived: () => received() >= count });
  const idleCost = (idle * (performance.now() - start)) / 1_000;
  return (processorTime(pid) - before - idleCost) / count;
}

async function inGroups(events, store) {
  for (let from = 0; from < events; from += eventsInGroup) {
    await store(Array.from({ length: eventsInGroup }, (_, index) => from + index));
  }
}

function doneEvent(organization, number) {
  const event = newEvent(organization, number);
  return { ...event, relayedAt: event.createdAt };
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
    // The server puts its time there.
    storedAt: new Timestamp({ t: 0, i: 0 }),
    relayedAt: null,
    createdAt: now,
    updatedAt: now,
  };
}

/** The database is asked only when there is little left to wait for: looking for what waits costs it something, too. */
async function finished(db, { since, isReceived }) {
  const organizationId = idOf('organization', subscribed);
  const until = performance.now() + patienceMs;
  const isOpen = async () =>
    !isReceived() ||
    ((await unnumberedEvent(db)) ??
      (await db.collection('webhookDeliveries').findOne({ status: 'pending' })));
  while (await isOpen()) {
    if (performance.now() > until) throw new Error('Not all events were relayed and delivered.');
    await delay(pollMs);
  }
  const filter = { organizationId, createdAt: { $gte: since }, status: 'failed' };
  if (await db.collection('webhookDeliveries').findOne(filter))
    throw new Error('A delivery failed.');
}
