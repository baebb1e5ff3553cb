import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Db, MongoClient } from 'mongodb';
import { addTenant, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { type ServiceProcess, startProcess } from '../support/service-process.js';
import { basePath } from '../support/shared-service.js';
import { faultRounds, randomNumbers, report } from './support/fault-rounds.js';
import { type Answer, LeadLoad, longestWait, statusCounts } from './support/lead-load.js';
import { nextPrimaryAt, type ReplicaSet, startReplicaSet } from './support/replica-set.js';
import { differences } from './support/stored-state.js';

/** No client waits longer, whatever happens to the database. */
const maxWaitMs = 10_000;
/** How soon after there is a new primary a change is acknowledged again. */
const resumptionMs = 5_000;

let set: ReplicaSet;
let client: MongoClient;
let db: Db;
let services: ServiceProcess[];
const random = randomNumbers();

beforeAll(async () => {
  set = await startReplicaSet(3);
  const MONGODB_URI = set.uri('faults');
  client = await new MongoClient(MONGODB_URI).connect();
  db = client.db();
  services = await Promise.all(
    [1, 2].map(() => startProcess({ MONGODB_URI, ROLE: 'api', OPS_PORT: '0' })),
  );
});
afterAll(async () => {
  await client.close();
  await set.stop();
});

const loadOf = (tenant: Tenant) =>
  new LeadLoad({ urls: () => services.map(({ url }) => url), apiKey: tenant.key, random });
const isAcknowledged = ({ status }: Answer) => status === 200 || status === 201;
/** Log lines of failed requests, except those without a database. */
const faultsOf = (processes: readonly ServiceProcess[]) =>
  processes
    .flatMap(({ output }) => output().split('\n'))
    .filter((line) => line.includes('The request failed') && !line.includes('respond in time'))
    .join('\n');
const readyzOf = ({ output }: ServiceProcess) =>
  `${/Metrics and probes\s+(http:[^\s"]+)/.exec(output())?.[1]}/readyz`;

describe('a replica set whose primary is killed under load', () => {
  it('loses no acknowledged change, and accepts requests soon after the election', async () => {
    const rounds = faultRounds(1, 20);
    for (let round = 1; round <= rounds; round++) {
      const tenant = await addTenant(db);
      const load = loadOf(tenant);
      load.start(8);
      await load.further(20 + random.below(60));
      const victim = await set.primary();
      const killedAt = performance.now();
      await victim.kill();
      const others = set.members.filter((member) => member !== victim);
      const electedAt = await nextPrimaryAt(others);
      await eventually(() => {
        expect(load.answers.filter(({ sentAt }) => sentAt > electedAt).some(isAcknowledged)).toBe(
          true,
        );
      });
      // The first one that came after the election, whenever it was sent.
      const resumedAt = Math.min(
        ...load.answers
          .filter(isAcknowledged)
          .map(({ sentAt, milliseconds }) => sentAt + milliseconds)
          .filter((at) => at > electedAt),
      );
      await load.further(60);
      await load.stop();
      await victim.restart();
      report(
        `round ${round}, seed ${random.seed}: ${load.acknowledged} changes acknowledged, answers ` +
          `${JSON.stringify(statusCounts(load.answers))}, a new primary after ` +
          `${Math.round(electedAt - killedAt)} ms, answers ${Math.round(resumedAt - electedAt)} ms ` +
          `later, longest ${longestWait(load.answers)} ms`,
      );
      expect(await differences(db, tenant.organizationId, load.leads)).toEqual([]);
      if (load.unexpected().length > 0) report(faultsOf(services));
      expect(statusCounts(load.unexpected())).toEqual({});
      expect(resumedAt - electedAt).toBeLessThan(resumptionMs);
      expect(longestWait(load.answers)).toBeLessThan(maxWaitMs);
    }
  });
});

describe('a replica set without a majority', () => {
  it('returns 503 in time, fails the probes, and recovers without a restart', async () => {
    const tenant = await addTenant(db);
    const load = loadOf(tenant);
    await load.create('recordSystemId');
    const primary = await set.primary();
    const secondaries = set.members.filter((member) => member !== primary);
    await Promise.all(secondaries.map((member) => member.kill()));
    load.start(8);
    await eventually(() => {
      expect(load.answers.filter(({ status }) => status === 503).length).toBeGreaterThan(15);
    });
    for (const service of services) {
      await eventually(async () => {
        const health = await fetch(`${service.url}/${basePath}/healthz`);
        expect([health.status, await health.json()]).toMatchObject([503, { ok: false }]);
        const readiness = await fetch(readyzOf(service));
        expect([readiness.status, await readiness.json()]).toMatchObject([
          503,
          { hasPrimary: false },
        ]);
      });
    }
    const backAt = performance.now();
    await Promise.all(secondaries.map((member) => member.restart()));
    await load.further(50);
    for (const service of services) {
      await eventually(async () => {
        expect((await fetch(`${service.url}/${basePath}/healthz`)).status).toBe(200);
        expect((await fetch(readyzOf(service))).status).toBe(200);
      });
    }
    const seconds = ((performance.now() - backAt) / 1_000).toFixed(1);
    await load.stop();
    const refused = load.answers.filter(({ status }) => status === 503);
    report(
      `seed ${random.seed}: ${refused.length} got 503, the last after ${longestWait(refused)} ms; ` +
        `well again ${seconds} s after the majority was started`,
    );
    for (const { headers } of refused) expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(longestWait(load.answers)).toBeLessThan(maxWaitMs);
    expect(await differences(db, tenant.organizationId, load.leads)).toEqual([]);
    const causes = load.unexpected().length === 0 ? '' : faultsOf(services);
    expect([statusCounts(load.unexpected()), causes]).toEqual([{}, '']);
  });
});
