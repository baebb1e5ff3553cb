// Deliveries to receivers on loopback: `npm run bench -- webhooks [--count 10000]`. How many a second one and two workers
// deliver of a backlog, how late events arrive at one endpoint and at many, and how late they arrive with slow and silent endpoints.
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
const latenessSeconds = 30;
const pollMs = 5;
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
  const rows = [];
  const measured = async (what, work) => {
    progress(`${build.name}: ${what}`);
    rows.push([build.name, what, ...(await work())]);
  };
  await subscribe(context, 0, 'good');
  const api = await programs.add(startService(context, { variables: { ROLE: 'api' } }));
  for (const workers of [1, 2]) {
    const what = `deliveries a second of a backlog, ${workers} worker(s)`;
    await measured(what, () => backlog(context, api, workers, count));
  }
  const worker = await startWorker(context);
  await measured('a single endpoint', () => lateness(context, api, [0]));
  const [good, bad] = [small.slice(0, half), small.slice(half)];
  for (const organization of good) await subscribe(context, organization, 'good');
  await measured('good endpoints alone', () => lateness(context, api, good));
  for (const organization of bad) {
    await subscribe(context, organization, organization % 3 === 0 ? 'slow' : 'silent');
  }
  await measured('with slow and silent ones', () => lateness(context, api, small));
  for (const program of [worker, api, database]) await programs.end(program);
  return rows;
}

async function startWorker(context) {
  return context.programs.add(startService(context, { variables: { ROLE: 'worker' } }));
}

/** Stores events while no worker runs, then counts how fast they arrive. */
async function backlog(context, api, workers, count) {
  const { arrivals } = context.receiver;
  for (let posted = 0; posted < count; posted += leadsInBatch) {
    const leads = Array.from({ length: leadsInBatch }, () => newLead(crypto.randomUUID()));
    await post(api, 0, '/leads/batch', { leads });
  }
  arrivals.clear();
  const running = await Promise.all(Array.from({ length: workers }, () => startWorker(context)));
  while (arrivals.size < count) await delay(pollMs);
  for (const worker of running) await context.programs.end(worker);
  const times = ascending([...arrivals.values()]);
  return [(1_000 * count) / (times.at(-1) - times[0])];
}

/** Posts a lead to each organization every second; only those of good endpoints count. */
async function lateness({ receiver: { arrivals } }, api, organizations) {
  const answeredAt = new Map();
  for (let second = 0; second < latenessSeconds; second++) {
    const startedAt = performance.now();
    for (const organization of organizations) {
      const lead = newLead(crypto.randomUUID());
      await post(api, organization, '/leads', lead);
      if (organization <= half) answeredAt.set(lead.name, performance.now());
    }
    await delay(Math.max(0, 1_000 - (performance.now() - startedAt)));
  }
  while (!answeredAt.keys().every((name) => arrivals.has(name))) await delay(pollMs);
  const lags = [...answeredAt].map(([name, at]) => Math.max(0, arrivals.get(name) - at));
  const sorted = ascending(lags);
  return ['', ...[0.5, 0.95, 1].map((part) => quantile(sorted, part))];
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

function newLead(name) {
  return { name, recordSystemId: new ObjectId().toHexString() };
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

/** A server that notes when the event of each lead arrives first, by the name of the lead. */
async function startReceiver() {
  const arrivals = new Map();
  const answers = {
    good: (response) => response.writeHead(204).end(),
    slow: (response) => setTimeout(() => response.writeHead(204).end(), 14_000),
    silent: () => {},
  };
  const receive = async (request, response) => {
    const { data } = JSON.parse(await text(request));
    answers[request.url.split('/')[1]](response);
    const name = data.data?.name;
    if (!arrivals.has(name)) arrivals.set(name, performance.now());
  };
  const server = createServer((request, response) => void receive(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: server.address().port,
    arrivals,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
