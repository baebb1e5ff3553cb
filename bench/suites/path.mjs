// Counts the functions and files of ours that one request runs, and its commands to the database: `npm run bench -- path`.
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { city, garden, idOf, installments, personOf, recordSystemIdOf } from '../data/names.mjs';
import { getRequest, postRequest } from '../load/requests.mjs';
import { startDatabase } from '../programs/database.mjs';
import { startService } from '../programs/service.mjs';
import { printTable } from '../report.mjs';

/** The functions that run in as much time without a request are subtracted. */
const idleMs = 700;
const rounds = 4;

const pageOfUnits = `/units?compound=${garden.slug}&limit=20&sort=price`;
/** Each returns the request of a round, so that no round repeats a write. */
const requests = {
  healthz: () => getRequest('/healthz'),
  'lead: created': (round) =>
    postRequest('/leads', {
      recordSystemId: `path-${round}`,
      name: 'Omar Nabil',
      phoneNumber: `0111234567${round}`,
      data: { leadSource: 'Website' },
    }),
  'lead: updated': (round) =>
    postRequest('/leads', {
      ...personOf(0, 10 + round),
      recordSystemId: recordSystemIdOf(0, 10 + round),
      data: { leadSource: 'Website', budget: round },
    }),
  callback: (round) =>
    postRequest('/reservations/webhook', {
      reservationId: idOf('reservation', 10 + round).toHexString(),
      installmentId: installments[0],
      chequeStatus: 'collected',
    }),
  unit: (round) =>
    postRequest('/units', {
      recordSystemId: `erp-${city.firstUnit + round}`,
      price: 2_000_000 + round,
    }),
  'page of units': (round) => getRequest(`${pageOfUnits}&minPrice=${round}`),
  'page from the cache': () => getRequest('/compounds'),
};

export async function run({ programs, builds }) {
  const rows = [];
  for (const build of builds) {
    const database = await startDatabase({ programs, build });
    const service = await startService({
      programs,
      build,
      database,
      variables: { ROLE: 'api' },
      nodeOptions: ['--inspect=127.0.0.1:0'],
    });
    const coverage = await Coverage.of(service);
    for (const [name, requestOf] of Object.entries(requests)) {
      rows.push([name, build.name, ...(await pathOf(requestOf, service, coverage))]);
    }
    coverage.close();
    await programs.end(service, database);
  }
  printTable(['request', 'build', 'functions', 'files', 'commands'], rows);
}

/**
 * Returns the least of several rounds: rarer work, such as a refreshed setting, is not part of the request. A request
 * of the same kind precedes each measured one, because keys, settings and references are cached for a second or more.
 */
async function pathOf(requestOf, service, coverage) {
  const { db } = service.database;
  const measured = [];
  for (let round = 0; round < rounds; round++) {
    await coverage.take();
    await delay(idleMs);
    const idle = new Set(await coverage.take());
    await send(requestOf(2 * round), service);
    await db.command({ profile: 2 });
    await coverage.take();
    await send(requestOf(2 * round + 1), service);
    const ran = (await coverage.take()).filter((name) => !idle.has(name));
    await db.command({ profile: 0 });
    const files = new Set(ran.map((name) => name.split('#')[0]));
    measured.push([ran.length, files.size, await profiledCommands(db)]);
  }
  return [0, 1, 2].map((column) => Math.min(...measured.map((counts) => counts[column])));
}

async function profiledCommands(db) {
  const profile = db.collection('system.profile');
  const appName = { $exists: true };
  const count = await profile.countDocuments({ appName, ns: { $not: /system\.profile$/ } });
  await profile.drop();
  return count;
}

async function send({ path, ...request }, { url }) {
  const response = await fetch(url + path, request);
  const body = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${body}`);
}

/** Asks V8 through its inspector which functions have run. */
class Coverage {
  #socket;
  #folder;
  #last = 0;

  static async of(service) {
    const coverage = new Coverage();
    coverage.#folder = pathToFileURL(`${service.build.root}/dist/`).href;
    const url = service.printed(/Debugger listening on (ws:\S+)/);
    coverage.#socket = new WebSocket(url);
    await once(coverage.#socket, 'open');
    await coverage.#call('Profiler.enable');
    await coverage.#call('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    return coverage;
  }

  /** Returns the functions that have run since the last call. */
  async take() {
    const { result } = await this.#call('Profiler.takePreciseCoverage');
    return result
      .filter(({ url }) => url.startsWith(this.#folder))
      .flatMap(({ url, functions }) =>
        functions
          .filter(({ ranges }) => ranges[0].count > 0)
          .map(({ functionName, ranges }) => `${url}#${functionName}@${ranges[0].startOffset}`),
      );
  }

  close() {
    this.#socket.close();
  }

  async #call(method, params) {
    const id = ++this.#last;
    this.#socket.send(JSON.stringify({ id, method, params }));
    for (;;) {
      const [{ data }] = await once(this.#socket, 'message');
      const message = JSON.parse(data);
      if (message.id === id) return message.result;
    }
  }
}
