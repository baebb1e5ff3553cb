// Measures webhooks on a database of its own, against receivers on loopback in this process. Run it
// on a quiet machine: `npm run bench:webhooks [-- <mode>]`. Modes:
// `throughput [events] [finished]` (default): deliveries a second on one worker and on two, the lag
// of single events and of a burst, and what the queue costs with a million finished deliveries.
// `isolation [seconds] [pause]`: the lag of good endpoints alone, then beside slow and hanging ones.
// `waiting [endpoints]`: what a process costs while many endpoints have something that is not due.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient, ObjectId, Timestamp } from 'mongodb';
import { nodeFlags } from './measuring/node-flags.mjs';

const [mode = 'throughput', ...figures] = process.argv.slice(2);
const modes = {
  throughput: measureThroughput,
  isolation: measureIsolation,
  waiting: measureWaiting,
};
const endpointCount = 8;
const root = join(import.meta.dirname, '..');
const { startMongod } = await import('../dist/development/embedded/embedded-mongod.js');
const { seal } = await import('../dist/core/secrets/secret-box.js');
const encryptionKey = randomBytes(32);
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
  ENCRYPTION_KEYS: encryptionKey.toString('base64'),
  WEBHOOKS_ALLOW_HTTP: 'true',
  WEBHOOKS_ALLOW_PRIVATE_NETWORKS: 'true',
};
const arrivals = new Map();
let onArrival = () => {};
const responses = {
  good: (response) => response.writeHead(204).end(),
  late: (response) => setTimeout(() => response.writeHead(204).end(), 14_000),
  dripping: (response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write('x'), 500);
    response.on('close', () => clearInterval(drip));
  },
  hanging: () => {},
};
const receiver = createServer((request, response) => {
  request.resume().on('end', () => {
    const [, kind] = request.url.split('/');
    const id = request.headers['webhook-id'];
    if (!arrivals.has(id)) arrivals.set(id, performance.now());
    responses[kind](response);
    onArrival();
  });
});
receiver.listen(0, '127.0.0.1');
await once(receiver, 'listening');

try {
  await (await startWorker()).shutDown();
  await modes[mode](...figures.map(Number));
} finally {
  receiver.close();
  receiver.closeAllConnections();
  await client.close();
  await mongod.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measureThroughput(events = 10_000, finished = 1_000_000) {
  const endpoints = await subscribe({ good: endpointCount });
  for (const workers of [1, 2]) await throughput(workers, endpoints, events);
  await burst(endpoints, events);
  await single(endpoints);
  await fillAndExplain(endpoints, finished);
  await single(endpoints, ` with ${finished.toLocaleString('en')} finished deliveries`);
}

/** An event every `pause` seconds for each endpoint; only the first tries of the good ones count. */
async function measureIsolation(seconds = 40, pause = 2) {
  const time = { seconds, pause };
  const good = await subscribe({ good: 50 });
  const alone = await lagBeside(good, [], time, '50 good endpoints alone');
  const bad = await subscribe({ late: 2, dripping: 2, hanging: 70 });
  const first = await lagBeside(good, bad, time, 'beside 4 slow and 70 hanging ones, unknown');
  const again = await lagBeside(good, bad, time, 'the same after a restart of the worker');
  const ratios = [first, again].map((lag) => (lag / alone).toFixed(2));
  print('p95 to p95 alone', ratios.join(' and '));
}

async function lagBeside(good, bad, { seconds, pause }, what) {
  const worker = await startWorker();
  await delay(2_000);
  const all = [...good, ...bad].toSorted(() => Math.random() - 0.5);
  const publishedAt = new Map();
  for (let round = 0; round < seconds / pause; round++) {
    const started = performance.now();
    for (const [id, { at, kind }] of await publish(all, all.length)) {
      if (kind === 'good') publishedAt.set(id, { at });
    }
    await delay(Math.max(0, pause * 1_000 - (performance.now() - started)));
  }
  while ([...publishedAt.keys()].some((id) => !arrivals.has(id))) await delay(100);
  print(what, lagOf(publishedAt));
  await worker.shutDown();
  return percentile(lagsOf(publishedAt), 0.95);
}

/** Processor time of an idle worker and of its database. */
async function measureWaiting(count = 10_000) {
  const [endpoint] = await subscribe({ good: 1 });
  print('nothing waits', await costOfIdling());
  const { insertedId } = await publishOne(endpoint);
  const like = await db.collection('webhookDeliveries').findOne({ eventId: insertedId });
  const endpoints = await subscribe({ good: count });
  const inAnHour = new Date(Date.now() + 3_600_000);
  await db.collection('webhookDeliveries').insertMany(
    endpoints.map(({ _id, organizationId }) => ({
      ...like,
      _id: new ObjectId(),
      eventId: new ObjectId(),
      endpointId: _id,
      organizationId,
      status: 'pending',
      leaseOwner: null,
      nextAttemptAt: inAnHour,
      completedAt: null,
    })),
  );
  print(`${count.toLocaleString('en')} endpoints wait`, await costOfIdling());
}

async function publishOne(endpoint) {
  const worker = await startWorker();
  const one = arrived(1);
  const [[id]] = await publish([endpoint], 1);
  await one;
  await worker.shutDown();
  return { insertedId: new ObjectId(id.slice(4)) };
}

async function costOfIdling() {
  const seconds = 30;
  const worker = await startWorker();
  await delay(5_000);
  const before = [worker.processorTime(), await databaseTime()];
  await delay(seconds * 1_000);
  const after = [worker.processorTime(), await databaseTime()];
  await worker.shutDown();
  const [own, database] = after.map((time, index) => ((time - before[index]) / seconds) * 100);
  return `${own.toFixed(1)} % of a core in the process, ${database.toFixed(1)} % in mongod`;
}

/** Seconds. */
async function databaseTime() {
  const { extra_info: used } = await client.db('admin').command({ serverStatus: 1 });
  return (Number(used.user_time_us) + Number(used.system_time_us)) / 1e6;
}

/** Events that wait already, until the last one has arrived. */
async function throughput(workers, endpoints, events) {
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
async function burst(endpoints, events) {
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
    for (const [id, entry] of await publish(endpoints, 1)) publishedAt.set(id, entry);
    await one;
  }
  print(`single events${note}`, lagOf(publishedAt));
  await worker.shutDown();
}

async function fillAndExplain([endpoint], finished) {
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
  const lags = lagsOf(publishedAt);
  const at = (part) => Math.round(percentile(lags, part));
  return `lag in ms: median ${at(0.5)}, p95 ${at(0.95)}, longest ${at(1)}`;
}

function lagsOf(publishedAt) {
  return [...publishedAt].map(([id, { at }]) => arrivals.get(id) - at).toSorted((a, b) => a - b);
}

function percentile(sorted, part) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

async function publish(endpoints, count) {
  const publishedAt = new Map();
  for (let from = 0; from < count; from += 1_000) {
    const now = new Date();
    const kinds = [];
    const batch = Array.from({ length: Math.min(1_000, count - from) }, (_, index) => {
      const _id = new ObjectId();
      const { organizationId, kind } = endpoints[index % endpoints.length];
      kinds.push(kind);
      const fields = { name: 'Mona Adel', email: 'mona@example.com', note: 'x'.repeat(500) };
      const data = { _id: new ObjectId().toHexString(), leadId: index, data: fields };
      const times = {
        storedAt: new Timestamp({ t: 0, i: 0 }),
        relayedAt: null,
        createdAt: now,
        updatedAt: now,
      };
      return { _id, organizationId, type: 'lead.created', data, ...times };
    });
    await db.collection('outboxEvents').insertMany(batch);
    const at = performance.now();
    for (const [index, { _id }] of batch.entries()) {
      publishedAt.set(`msg_${_id.toHexString()}`, { at, kind: kinds[index] });
    }
  }
  return publishedAt;
}

/** Endpoints of organizations of their own, so many of each kind. */
async function subscribe(counts) {
  const { port } = receiver.address();
  const now = new Date();
  const times = { createdAt: now, updatedAt: now };
  const kinds = Object.entries(counts).flatMap(([kind, count]) => Array(count).fill(kind));
  const endpoints = kinds.map((kind) => ({
    _id: new ObjectId(),
    organizationId: new ObjectId(),
    kind,
  }));
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  await db.collection('webhookEndpoints').insertMany(
    endpoints.map(({ _id, organizationId, kind }) => {
      const url = `http://127.0.0.1:${port}/${kind}/${_id.toHexString()}`;
      const sealed = seal(secret, [encryptionKey], _id.toHexString());
      const secrets = [{ sealed, createdAt: now, expiresAt: null }];
      return { _id, organizationId, url, eventTypes: ['*'], isEnabled: true, secrets, ...times };
    }),
  );
  return endpoints;
}

async function startWorker() {
  const child = spawn(process.execPath, [...nodeFlags, join(root, 'dist/main.js')], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for (;;) {
    const [chunk] = await once(child.stdout, 'data');
    if (String(chunk).includes('Delivering')) break;
  }
  return {
    /** Seconds; Linux counts hundredths. */
    processorTime: () => {
      const [, fields] = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ');
      const [user, system] = fields.split(' ').slice(11, 13).map(Number);
      return (user + system) / 100;
    },
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
