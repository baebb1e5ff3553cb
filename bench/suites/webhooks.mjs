// Deliveries to receivers on loopback: `npm run bench -- webhooks [--count 10000]`. How many a second one and two workers
// deliver of a backlog, how late single events arrive, and how late they arrive with slow and silent endpoints.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import { loadData } from '../data/load.mjs';
import { apiKeyOf, idOf } from '../data/names.mjs';
import { sizes } from '../data/sizes.mjs';
import { prefix } from '../load/requests.mjs';
import { runCommand, startDatabase } from '../programs/database.mjs';
import { startService } from '../programs/service.mjs';
import { ascending, printTable, progress, quantile } from '../report.mjs';

const leadsInBatch = 100;
const singleEvents = 100;
const isolationSeconds = 30;
/** Each of a first half of the small organizations has a good endpoint, of the second half a bad one. */
const half = sizes.smallOrganizations / 2;
const small = Array.from({ length: sizes.smallOrganizations }, (_, index) => index + 1);

export async function run({ programs, builds, options }) {
  const count = Number(options.count);
  const receiver = await startReceiver();
  try {
    const rows = [];
    for (const build of builds)
      rows.push(...(await measureBuild({ programs, build }, receiver, count)));
    printTable(['build', 'what', 'figure', 'p50 ms', 'p95 ms', 'longest ms'], rows);
  } finally {
    receiver.close();
  }
}

async function measureBuild({ programs, build }, receiver, count) {
  const database = await startDatabase({ programs, build }, { name: 'usual', load: loadData });
  const context = { programs, build, database, receiver, folder: programs.folder };
  await subscribe(context, 0, 'good');
  const api = await programs.add(startService(context, { variables: { ROLE: 'api' } }));
  const rows = [];
  for (const workers of [1, 2]) {
    progress(`${build.name}: backlog of ${count}, ${workers} worker(s)`);
    rows.push([
      build.name,
      `deliveries a second, ${workers} worker(s)`,
      await backlog(context, api, workers, count),
    ]);
  }
  const worker = await startWorker(context);
  progress(`${build.name}: single events`);
  rows.push([
    build.name,
    'single events',
    '',
    ...(await lateness(receiver, singleEvents, () => postLead(api, 0))),
  ]);
  progress(`${build.name}: good endpoints alone`);
  for (const organization of small.slice(0, half)) await subscribe(context, organization, 'good');
  rows.push([
    build.name,
    'good endpoints alone',
    '',
    ...(await isolation(context, api, small.slice(0, half))),
  ]);
  progress(`${build.name}: with slow and silent endpoints`);
  for (const organization of small.slice(half)) {
    await subscribe(context, organization, organization % 3 === 0 ? 'slow' : 'silent');
  }
  rows.push([
    build.name,
    'with slow and silent ones',
    '',
    ...(await isolation(context, api, small)),
  ]);
  for (const program of [worker, api, database]) await programs.end(program);
  return rows;
}

async function startWorker(context) {
  return context.programs.add(startService(context, { variables: { ROLE: 'worker' } }));
}

/** Stores events while no worker runs, then counts how fast they arrive. */
async function backlog(context, api, workers, count) {
  const { receiver } = context;
  for (let posted = 0; posted < count; posted += leadsInBatch)
    await postLeads(api, 0, leadsInBatch);
  const arrived = receiver.next(count);
  const startedAt = receiver.firstOf();
  const running = await Promise.all(Array.from({ length: workers }, () => startWorker(context)));
  await arrived;
  const seconds = (performance.now() - (await startedAt)) / 1_000;
  for (const worker of running) await context.programs.end(worker);
  return count / seconds;
}

/** How long after each response its event arrives, one after the other. */
async function lateness(receiver, count, publish) {
  const lags = [];
  for (let index = 0; index < count; index++) {
    const arrived = receiver.next(1);
    await publish();
    const answeredAt = performance.now();
    await arrived;
    lags.push(Math.max(0, performance.now() - answeredAt));
  }
  return figuresOf(lags);
}

/** Posts a lead to each organization every second; only those of good endpoints count. */
async function isolation({ receiver }, api, organizations) {
  const lags = [];
  const waiting = [];
  for (let second = 0; second < isolationSeconds; second++) {
    const startedAt = performance.now();
    for (const organization of organizations) {
      const name = crypto.randomUUID();
      await postLead(api, organization, name);
      if (organization > half) continue;
      const answeredAt = performance.now();
      waiting.push(receiver.withName(name).then((at) => lags.push(Math.max(0, at - answeredAt))));
    }
    await delay(Math.max(0, 1_000 - (performance.now() - startedAt)));
  }
  await Promise.all(waiting);
  return figuresOf(lags);
}

function figuresOf(lags) {
  const sorted = ascending(lags);
  return [0.5, 0.95, 1].map((part) => quantile(sorted, part));
}

async function subscribe({ build, database, receiver }, organization, kind) {
  const org = idOf('organization', organization).toHexString();
  const url = `http://127.0.0.1:${receiver.port}/${kind}/${organization}`;
  await runCommand({ build, database }, [
    'webhook',
    'add',
    '--org',
    org,
    '--url',
    url,
    '--events',
    'lead.created',
  ]);
}

function postLead(api, organization, name = 'Mona Adel') {
  return post(api, organization, '/leads', newLead(name));
}

function newLead(name) {
  return { name, recordSystemId: new ObjectId().toHexString() };
}

function postLeads(api, organization, count) {
  const leads = Array.from({ length: count }, () => newLead('Mona Adel'));
  return post(api, organization, '/leads/batch', { leads });
}

async function post({ url }, organization, path, body) {
  const response = await fetch(url + prefix + path, {
    method: 'POST',
    headers: { 'api-key': apiKeyOf(organization), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = await response.text();
  if (response.status >= 300) throw new Error(`${response.status} ${answer}`);
}

/** A server that counts the events that it has received, each once. */
async function startReceiver() {
  const ids = new Set();
  const arrivedAt = new Map();
  const listeners = new Set();
  const answers = {
    good: (response) => response.writeHead(204).end(),
    slow: (response) => setTimeout(() => response.writeHead(204).end(), 14_000),
    silent: () => {},
  };
  const receive = async (request, response) => {
    const body = await text(request);
    const [, kind] = request.url.split('/');
    answers[kind](response);
    if (ids.has(request.headers['webhook-id'])) return;
    ids.add(request.headers['webhook-id']);
    arrivedAt.set(JSON.parse(body).data.data?.name, performance.now());
    for (const listener of listeners) listener();
  };
  const server = createServer((request, response) => void receive(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const until = (isOver) =>
    new Promise((resolve) => {
      const listener = () => {
        if (!isOver()) return;
        listeners.delete(listener);
        resolve();
      };
      listeners.add(listener);
      listener();
    });
  return {
    port: server.address().port,
    /** Resolves when so many more have arrived. */
    next: (count) => {
      const wanted = ids.size + count;
      return until(() => ids.size >= wanted);
    },
    /** When the next one arrives. */
    firstOf: () => {
      const wanted = ids.size + 1;
      return until(() => ids.size >= wanted).then(() => performance.now());
    },
    /** When the one about a lead of this name arrives. */
    withName: (name) => until(() => arrivedAt.has(name)).then(() => arrivedAt.get(name)),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
