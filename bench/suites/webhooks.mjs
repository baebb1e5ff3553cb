// Measures deliveries to receivers on loopback: `npm run bench -- webhooks [--count 10000]`. It measures how many
// deliveries of a backlog one and two workers make per second, and the delay of events: of one endpoint, of many, and
// next to slow and silent ones.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { idOf, sizes } from '../data/names.mjs';
import { postRequest } from '../load/requests.mjs';
import { runCommand, startDatabase } from '../programs/database.mjs';
import { startService } from '../programs/service.mjs';
import { ascending, printTable, progress, quantile } from '../report.mjs';

const leadsInBatch = 100;
const delaySeconds = 30;
const pollMs = 5;
/** The first half of the small organizations has healthy endpoints, the second half faulty ones. */
const healthyCount = sizes.smallOrganizations / 2;
const smallIds = Array.from({ length: sizes.smallOrganizations }, (_, index) => index + 1);

/** Arrival time of each lead's first event, by the name of the lead. */
const arrivals = new Map();
const responses = {
  good: (response) => response.writeHead(204).end(),
  slow: (response) => setTimeout(() => response.writeHead(204).end(), 14_000),
  silent: () => {},
};

export async function run({ programs, builds, options }) {
  const receiver = createServer((request, response) => void receive(request, response));
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  try {
    const { port } = receiver.address();
    const rows = [];
    for (const build of builds) {
      const steps = measureBuild({ programs, build, port }, Number(options.count));
      for await (const [step, ...measured] of steps) {
        progress(`${build.name}: ${step}`);
        rows.push([build.name, step, ...measured]);
      }
    }
    printTable(['build', 'step', 'a second', 'p50 ms', 'p95 ms', 'longest ms'], rows);
  } finally {
    receiver.close().closeAllConnections();
  }
}

async function receive(request, response) {
  const { data } = await json(request);
  responses[request.url.split('/')[1]](response);
  const name = data.data?.name;
  if (!arrivals.has(name)) arrivals.set(name, performance.now());
}

async function* measureBuild({ programs, build, port }, count) {
  const database = await startDatabase({ programs, build });
  const start = (ROLE) => startService({ programs, build, database, variables: { ROLE } });
  const subscribe = async (organization, kind) => {
    const org = idOf('organization', organization).toHexString();
    const url = `http://127.0.0.1:${port}/${kind}/${organization}`;
    const values = ['--org', org, '--url', url, '--events', 'lead.created'];
    await runCommand({ build, database }, ['webhook', 'add', ...values]);
  };
  await subscribe(0, 'good');
  const api = await start('api');
  for (const workers of [1, 2]) {
    // The backlog is stored while no worker runs.
    for (let posted = 0; posted < count; posted += leadsInBatch) {
      await post(api, 0, '/leads/batch', { leads: Array.from({ length: leadsInBatch }, newLead) });
    }
    arrivals.clear();
    const running = await Promise.all(Array.from({ length: workers }, () => start('worker')));
    while (arrivals.size < count) await delay(pollMs);
    const times = ascending([...arrivals.values()]);
    yield [`a backlog, ${workers} worker(s)`, (1_000 * count) / (times.at(-1) - times[0])];
    await programs.end(...running);
  }
  const worker = await start('worker');
  yield ['a single endpoint', '', ...(await measureDelays(api, [0]))];
  for (const organization of smallIds.slice(0, healthyCount)) await subscribe(organization, 'good');
  yield [
    'good endpoints alone',
    '',
    ...(await measureDelays(api, smallIds.slice(0, healthyCount))),
  ];
  for (const organization of smallIds.slice(healthyCount)) {
    await subscribe(organization, organization % 3 === 0 ? 'slow' : 'silent');
  }
  yield ['with slow and silent ones', '', ...(await measureDelays(api, smallIds))];
  await programs.end(worker, api, database);
}

/** Posts a lead to each organization every second; only those with healthy endpoints count. */
async function measureDelays(api, organizations) {
  const respondedAt = new Map();
  for (let second = 0; second < delaySeconds; second++) {
    const startedAt = performance.now();
    for (const organization of organizations) {
      const lead = newLead();
      await post(api, organization, '/leads', lead);
      if (organization <= healthyCount) respondedAt.set(lead.name, performance.now());
    }
    await delay(Math.max(0, 1_000 - (performance.now() - startedAt)));
  }
  while (!respondedAt.keys().every((name) => arrivals.has(name))) await delay(pollMs);
  const lags = [...respondedAt].map(([name, at]) => Math.max(0, arrivals.get(name) - at));
  return [0.5, 0.95, 1].map((part) => quantile(ascending(lags), part));
}

function newLead() {
  const name = crypto.randomUUID();
  return { name, recordSystemId: name };
}

async function post(api, organization, path, lead) {
  const { path: fullPath, ...request } = postRequest(path, lead, organization);
  const response = await fetch(api.url + fullPath, request);
  const answer = await response.text();
  if (response.status >= 300) throw new Error(`${response.status} ${answer}`);
}
