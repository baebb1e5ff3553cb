import { beforeAll, describe, expect, it } from '@jest/globals';
import { addTenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { rounds } from '../support/rounds.js';
import { operationsUrl, type ServiceProcess, startProcess } from '../support/service-process.js';
import { basePath } from '../support/shared-service.js';
import { useFaultDatabase } from './support/fault-database.js';
import { LeadLoad, type LoadResponse, longestWait } from './support/lead-load.js';
import { randomNumbers, report } from './support/random.js';
import { primaryOf } from './support/replica-set.js';

/** No client waits longer, whatever happens to the database. */
const maxWaitMs = 10_000;
/** How soon after there is a new primary a change is acknowledged again. */
const resumptionMs = 5_000;

const database = useFaultDatabase(3);
let services: ServiceProcess[];
const random = randomNumbers();

beforeAll(async () => {
  const variables = { MONGODB_URI: database.uri, ROLE: 'api', OPS_PORT: '0' };
  services = await Promise.all([1, 2].map(() => startProcess(variables)));
});

async function newLoad(): Promise<LeadLoad> {
  const { db } = database;
  const tenant = await addTenant(db);
  return new LeadLoad({ db, tenant, urls: () => services.map(({ url }) => url), random });
}

/** Nothing is wrong, or what went wrong with what the services logged of it. */
async function expectRight(load: LeadLoad): Promise<void> {
  report(load.summary);
  const wrongs = await load.wrongs();
  const logged = services
    .flatMap(({ output }) => output().split('\n'))
    .filter((line) => line.includes('The request failed') && !line.includes('respond in time'));
  expect({ wrongs, logged: wrongs.length === 0 ? [] : logged }).toEqual({ wrongs: [], logged: [] });
  expect(longestWait(load.responses)).toBeLessThan(maxWaitMs);
}

describe('a replica set whose primary is killed under load', () => {
  it('loses no acknowledged change, and accepts requests soon after the election', async () => {
    for (let round = 1; round <= rounds(1, 20); round++) {
      const load = await newLoad();
      load.start(8);
      await load.further(20 + random.below(60));
      const victim = await database.primary();
      const killedAt = performance.now();
      await victim.kill();
      const others = database.members.filter((member) => member !== victim);
      await primaryOf(others);
      const electedAt = performance.now();
      const acknowledgedAt = () =>
        load.responses
          .filter(({ status }) => status === 200 || status === 201)
          .map(({ sentAt, milliseconds }: LoadResponse) => sentAt + milliseconds)
          .filter((at) => at > electedAt);
      await eventually(() => expect(acknowledgedAt()).not.toEqual([]));
      const resumedAt = Math.min(...acknowledgedAt());
      await load.further(60);
      await load.stop();
      await victim.restart();
      report(
        `round ${round}: a new primary after ${Math.round(electedAt - killedAt)} ms, responses ` +
          `${Math.round(resumedAt - electedAt)} ms later`,
      );
      await expectRight(load);
      expect(resumedAt - electedAt).toBeLessThan(resumptionMs);
    }
  });
});

describe('a replica set without a majority', () => {
  it('returns 503 in time, fails the probes, and recovers without a restart', async () => {
    const load = await newLoad();
    await load.create('recordSystemId');
    const primary = await database.primary();
    const secondaries = database.members.filter((member) => member !== primary);
    const expectProbes = async (status: number) => {
      for (const service of services) {
        await eventually(async () => {
          const health = await fetch(`${service.url}/${basePath}/healthz`);
          expect([health.status, await health.json()]).toMatchObject([
            status,
            { ok: status === 200 },
          ]);
          const readiness = await fetch(`${operationsUrl(service)}/readyz`);
          expect([readiness.status, await readiness.json()]).toMatchObject([
            status,
            { hasPrimary: status === 200 },
          ]);
        });
      }
    };
    await Promise.all(secondaries.map((member) => member.kill()));
    load.start(8);
    await eventually(() => expect(load.unavailable.length).toBeGreaterThan(15));
    await expectProbes(503);
    const backAt = performance.now();
    await Promise.all(secondaries.map((member) => member.restart()));
    await load.further(50);
    await expectProbes(200);
    const seconds = ((performance.now() - backAt) / 1_000).toFixed(1);
    await load.stop();
    report(`all well ${seconds} s after the majority was started`);
    for (const { headers } of load.unavailable) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    await expectRight(load);
  });
});
