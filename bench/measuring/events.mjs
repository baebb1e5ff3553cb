// What an event costs the database of the service once it is committed: events are stored while the service is paused,
// and the time of mongod is taken until the last one is relayed, or delivered.
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
const count = 4_000;
const eventsInGroup = 16;
const pollMs = 50;
const patienceMs = 120_000;
/** An organization of its own for those with a subscriber. */
const subscribed = 1;

/** @returns microseconds of mongod for an event without subscribers, and for one with a subscriber */
export async function measureEvents(service) {
  const receiver = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(204).end());
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  try {
    await subscribe(service, receiver.address().port);
    return {
      alone: await costOf(service, 0),
      delivered: await costOf(service, subscribed),
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

async function costOf(service, organization) {
  const { db, pid } = service.database;
  service.pause();
  const since = new Date();
  for (let from = 0; from < count; from += eventsInGroup) {
    const events = Array.from({ length: eventsInGroup }, (_, index) =>
      newEvent(organization, from + index),
    );
    await db.collection('outboxEvents').insertMany(events);
  }
  const before = processorTime(pid);
  service.resume();
  await finished(db, idOf('organization', organization), since);
  return (processorTime(pid) - before) / count;
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
