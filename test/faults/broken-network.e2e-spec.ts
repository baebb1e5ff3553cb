import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Db, MongoClient } from 'mongodb';
import { addTenant, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { type ServiceProcess, startProcess } from '../support/service-process.js';
import { faultRounds, randomNumbers, report } from './support/fault-rounds.js';
import { LeadLoad, longestWait, statusCounts } from './support/lead-load.js';
import { type ReplicaSet, startReplicaSet } from './support/replica-set.js';
import { differences } from './support/stored-state.js';
import { type Cut, startTcpProxy, type TcpProxy } from './support/tcp-proxy.js';

/** DATABASE_DEADLINE_MS, and what a busy machine adds. */
const deadlineMs = faultRounds(3_000, 8_000);
const marginMs = 2_000;

const random = randomNumbers();
let set: ReplicaSet;
let proxy: TcpProxy;
let client: MongoClient;
let db: Db;
let services: ServiceProcess[];
let tenant: Tenant;
let load: LeadLoad;

beforeAll(async () => {
  set = await startReplicaSet(1);
  const { port } = await set.primary();
  proxy = await startTcpProxy(port);
  client = await new MongoClient(set.uri('faults')).connect();
  db = client.db();
  const variables = {
    // Else the driver would go round the proxy.
    MONGODB_URI: `mongodb://127.0.0.1:${proxy.port}/faults?directConnection=true`,
    ROLE: 'api',
    DATABASE_DEADLINE_MS: String(deadlineMs),
  };
  services = await Promise.all([1, 2].map(() => startProcess(variables)));
});
afterEach(async () => {
  clearUp();
  await load.stop();
});
afterAll(async () => {
  await client.close();
  proxy.stop();
  await set.stop();
});

const clearUp = () =>
  Object.assign(proxy.weather, { latencyMs: 0, bytesPerSecond: 0, cutCommit: () => undefined });
const anyCut = (): Cut => (['before', 'within', 'after'] as const)[random.below(3)] ?? 'after';
const unavailable = () => load.answers.filter(({ status }) => status === 503).length;

async function begin(clients: number): Promise<void> {
  tenant = await addTenant(db);
  load = new LeadLoad({
    urls: () => services.map(({ url }) => url),
    apiKey: tenant.key,
    random,
  });
  load.start(clients);
  await load.further(20);
}

/** Every answer was right or a 503 in time, and every repetition led to one lead. */
async function expectRight(): Promise<void> {
  await load.stop();
  report(
    `seed ${random.seed}: ${load.acknowledged} changes acknowledged, ${proxy.cuts()} commits cut so ` +
      `far, answers ${JSON.stringify(statusCounts(load.answers))}, longest ` +
      `${longestWait(load.answers)} ms`,
  );
  expect(await differences(db, tenant.organizationId, load.leads)).toEqual([]);
  expect(statusCounts(load.unexpected())).toEqual({});
  expect(longestWait(load.answers)).toBeLessThan(deadlineMs + marginMs);
}

describe('a connection to the database', () => {
  it('stores each change once when it closes during commits', async () => {
    await begin(8);
    const cuts = proxy.cuts();
    proxy.weather.cutCommit = () => (random.next() < 0.3 ? anyCut() : undefined);
    await load.further(faultRounds(200, 3_000));
    clearUp();
    await expectRight();
    expect(proxy.cuts() - cuts).toBeGreaterThan(10);
  });

  it.each(['before', 'within', 'after'] as const)(
    'returns 503 when every commit breaks (%s it), and stores one lead on retry',
    async (cut) => {
      await begin(8);
      proxy.weather.cutCommit = () => cut;
      await eventually(() => expect(unavailable()).toBeGreaterThan(7));
      clearUp();
      await load.further(20);
      await expectRight();
    },
  );

  it('stores each change once when it is slow and closes', async () => {
    await begin(8);
    const cuts = proxy.cuts();
    proxy.weather.latencyMs = 15;
    proxy.weather.cutCommit = () => (random.next() < 0.3 ? anyCut() : undefined);
    await load.further(faultRounds(60, 500));
    clearUp();
    await expectRight();
    expect(proxy.cuts()).toBeGreaterThan(cuts);
  });

  it('returns correct responses or 503 when it is throttled', async () => {
    await begin(8);
    proxy.weather.bytesPerSecond = 4_000;
    await eventually(() => expect(unavailable()).toBeGreaterThan(7));
    clearUp();
    await load.further(20);
    await expectRight();
  });
});
