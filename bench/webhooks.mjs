// Measures webhooks on a database of its own, against receivers on loopback in this process:
// deliveries a second on one worker and on two, the lag of single events and of a burst, and what
// the queue costs with a million finished deliveries. Run it on a quiet machine:
// `npm run bench:webhooks [-- <events> <finished>]`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient, ObjectId } from 'mongodb';

const [events = 10_000, finished = 1_000_000] = process.argv.slice(2).map(Number);
const endpointCount = 8;
const root = join(import.meta.dirname, '..');
const { startMongod } = await import('../dist/database/embedded/embedded-mongod.js');
const folder = mkdtempSync(join(tmpdir(), 'bench-webhooks-'));
const mongod = await startMongod(folder);
const uri = mongod.uri.replace('/?', '/bench?');
const client = await new MongoClient(uri).connect();
const db = client.db();
const environment = {
  PATH: process.env.PATH,
  NODE_ENV: 'test',
  LOG_LEVEL: 'warn',
  ROLE: 'worker',
  MONGODB_URI: uri,
  WEBHOOKS_ALLOW_HTTP: 'true',
  WEBHOOKS_ALLOW_PRIVATE_NETWORKS: 'true',
};
const arrivals = new Map();
let onArrival = () => {};
const receiver = createServer((request, response) => {
  request.resume().on('end', () => {
    arrivals.set(request.headers['webhook-id'], performance.now());
    response.writeHead(204).end();
    onArrival();
  });
});
receiver.listen(0, '127.0.0.1');
await once(receiver, 'listening');

try {
  await (await startWorker()).shutDown();
  const endpoints = await subscribe();
  for (const workers of [1, 2]) await throughput(workers, endpoints);
  await burst(endpoints);
  await single(endpoints);
  await fillAndExplain(endpoints);
  await single(endpoints, ` with ${finished.toLocaleString('en')} finished deliveries`);
} finally {
  receiver.close();
  await client.close();
  await mongod.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Events that wait already, until the last one has arrived. */
async function throughput(workers, endpoints) {
  await publish(endpoints, events);
  const started = [];
  for (let number = 0; number < workers; number++) started.push(startWorker());
  const all = arrived(events);
  let first;
  onArrivalOnce(() => (first = performance.now()));
  await all;
  const seconds = (performance.now() - first) / 1_000;
  print(`${workers} worker(s)`, `${Math.round(events / seconds)} deliveries a second (${events})`);
  for (const worker of started) await (await worker).shutDown();
}

/** Events that come all at the same time to a worker that is idle. */
async function burst(endpoints) {
  const worker = await startWorker();
  await delay(2_000);
  const all = arrived(events);
  const publishedAt = await publish(endpoints, events);
  await all;
  print(`burst of ${events}`, lagOf(publishedAt));
  await worker.shutDown();
}

/** Events that come one by one. */
async function single(endpoints, note = '') {
  const worker = await startWorker();
  await delay(2_000);
  const publishedAt = new Map();
  for (let number = 0; number < 100; number++) {
    const one = arrived(1);
    for (const [id, at] of await publish(endpoints, 1)) publishedAt.set(id, at);
    await one;
  }
  print(`single events${note}`, lagOf(publishedAt));
  await worker.shutDown();
}

async function fillAndExplain([endpoint]) {
  const deliveries = db.collection('webhookDeliveries');
  const [like] = await deliveries.find().limit(1).toArray();
  const now = new Date();
  for (let done = 0; done < finished; done += 10_000) {
    const batch = Array.from({ length: 10_000 }, () => ({
      ...like,
      _id: new ObjectId(),
      eventId: new ObjectId(),
      status: 'delivered',
      completedAt: now,
    }));
    await deliveries.insertMany(batch, { ordered: false });
  }
  const waiting = { ...like, status: 'pending', endpointId: endpoint._id, nextAttemptAt: now };
  const pending = Array.from({ length: 1_000 }, () => {
    return { ...waiting, _id: new ObjectId(), eventId: new ObjectId(), completedAt: null };
  });
  await deliveries.insertMany(pending);
  const due = { status: 'pending', endpointId: endpoint._id, nextAttemptAt: { $lte: now } };
  const claim = await deliveries
    .find(due, { projection: { _id: 1 } })
    .sort({ nextAttemptAt: 1 })
    .limit(16)
    .explain('executionStats');
  const endpoints = await deliveries
    .aggregate([
      { $match: { status: 'pending' } },
      { $sort: { status: 1, endpointId: 1, nextAttemptAt: 1 } },
      { $group: { _id: '$endpointId', dueAt: { $first: '$nextAttemptAt' } } },
    ])
    .explain('executionStats');
  print('claim: plan', planOf(claim.queryPlanner.winningPlan).join(' <- '));
  print('claim: cost', costOf(claim.executionStats));
  const cursor = endpoints.stages[0].$cursor;
  print('due endpoints: plan', planOf(cursor.queryPlanner.winningPlan).join(' <- '));
  print('due endpoints: cost', costOf(cursor.executionStats));
  print(
    'finished',
    (await deliveries.countDocuments({ status: 'delivered' })).toLocaleString('en'),
  );
}

function planOf({ stage, indexName, inputStage }) {
  const name = indexName === undefined ? stage : `${stage}(${indexName})`;
  return [name, ...(inputStage === undefined ? [] : planOf(inputStage))];
}

function costOf({ totalKeysExamined, totalDocsExamined, executionTimeMillis }) {
  return `${totalKeysExamined} keys, ${totalDocsExamined} documents, ${executionTimeMillis} ms`;
}

function lagOf(publishedAt) {
  const lags = [...publishedAt].map(([id, at]) => arrivals.get(id) - at).toSorted((a, b) => a - b);
  const at = (part) => Math.round(lags[Math.min(lags.length - 1, Math.floor(lags.length * part))]);
  return `lag in ms: median ${at(0.5)}, p95 ${at(0.95)}, longest ${at(1)}`;
}

async function publish(endpoints, count) {
  const publishedAt = new Map();
  for (let from = 0; from < count; from += 1_000) {
    const now = new Date();
    const batch = Array.from({ length: Math.min(1_000, count - from) }, (_, index) => {
      const _id = new ObjectId();
      const { organizationId } = endpoints[index % endpoints.length];
      const fields = { name: 'Mona Adel', email: 'mona@example.com', note: 'x'.repeat(500) };
      const data = { _id: new ObjectId().toHexString(), leadId: index, data: fields };
      const times = { relayedAt: null, createdAt: now, updatedAt: now };
      return { _id, organizationId, type: 'lead.created', data, ...times };
    });
    await db.collection('outboxEvents').insertMany(batch);
    for (const { _id } of batch) publishedAt.set(`msg_${_id.toHexString()}`, performance.now());
  }
  return publishedAt;
}

/** One endpoint for each of several organizations, made by the operator's command line. */
async function subscribe() {
  const { port } = receiver.address();
  const endpoints = [];
  for (let number = 0; number < endpointCount; number++) {
    const now = new Date();
    const org = new ObjectId();
    const times = { isDeleted: false, createdAt: now, updatedAt: now };
    await db.collection('organizations').insertOne({ _id: org, name: `Org ${number}`, ...times });
    const url = `http://127.0.0.1:${port}/${number}`;
    const args = ['--org', org.toHexString(), '--url', url, '--events', '*', '--json'];
    const cli = spawn(process.execPath, [join(root, 'dist/cli.js'), 'webhook', 'add', ...args], {
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [chunk] = await once(cli.stdout, 'data');
    const { _id } = JSON.parse(chunk);
    endpoints.push({ _id: new ObjectId(_id), organizationId: org });
  }
  return endpoints;
}

async function startWorker() {
  const child = spawn(process.execPath, [join(root, 'dist/main.js')], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for (;;) {
    const [chunk] = await once(child.stdout, 'data');
    if (String(chunk).includes('Delivering')) break;
  }
  return {
    shutDown: async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

async function arrived(count) {
  const wanted = arrivals.size + count;
  while (arrivals.size < wanted) await new Promise((resolve) => onArrivalOnce(resolve));
}

function onArrivalOnce(call) {
  const before = onArrival;
  onArrival = () => {
    onArrival = () => {};
    before();
    call();
  };
}

function print(what, figure) {
  process.stdout.write(`${what.padEnd(50)}  ${figure}\n`);
}
