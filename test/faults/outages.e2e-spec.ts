import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { addTenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { rounds } from '../support/rounds.js';
import { type ServiceProcess, startProcess } from '../support/service-process.js';
import { useFaultDatabase } from './support/fault-database.js';
import { LeadLoad, longestWait } from './support/lead-load.js';
import { randomNumbers, report } from './support/random.js';
import { type Cut, startTcpProxy, type TcpProxy } from './support/tcp-proxy.js';

/** DATABASE_DEADLINE_MS, and what a busy machine adds. */
const deadlineMs = rounds(3_000, 8_000);
const marginMs = 4_000;

const random = randomNumbers();
const database = useFaultDatabase();
let proxy: TcpProxy;
let services: ServiceProcess[];
let load: LeadLoad;

const cuts: readonly Cut[] = ['before', 'within', 'after'];
const cutSome = () => (random.next() < 0.3 ? cuts[random.below(3)] : undefined);
const clearUp = () =>
  Object.assign(proxy.weather, { latencyMs: 0, bytesPerSecond: 0, cutCommit: () => undefined });

beforeAll(async () => {
  proxy = await startTcpProxy(database.server.port);
  const variables = {
    // Else the driver would go round the proxy.
    MONGODB_URI: `mongodb://127.0.0.1:${proxy.port}/faults?directConnection=true`,
    ROLE: 'api',
    DATABASE_DEADLINE_MS: String(deadlineMs),
  };
  services = await Promise.all([1, 2].map(() => startProcess(variables)));
});
beforeEach(async () => {
  const { db } = database;
  const tenant = await addTenant(db);
  load = new LeadLoad({ db, tenant, urls: () => services.map(({ url }) => url), random });
  load.start(8);
  await load.further(20);
});
afterEach(async () => {
  clearUp();
  await load.stop();
});
afterAll(() => proxy.stop());

/** Every response was right or a 503 in time, and every repetition led to one lead. */
async function expectRight(): Promise<void> {
  await load.stop();
  report(`${load.summary}, ${proxy.cuts()} commits cut so far`);
  expect(await load.wrongs()).toEqual([]);
  expect(longestWait(load.responses)).toBeLessThan(deadlineMs + marginMs);
}

describe('a connection to the database', () => {
  it.each([
    ['closes during commits', 0, rounds(200, 3_000)],
    ['is slow and closes during commits', 15, rounds(60, 500)],
  ])('stores each change once when it %s', async (_what, latencyMs, changes) => {
    const before = proxy.cuts();
    Object.assign(proxy.weather, { latencyMs, cutCommit: cutSome });
    await load.further(changes);
    clearUp();
    await expectRight();
    expect(proxy.cuts()).toBeGreaterThan(before);
  });

  it.each([
    ['breaks before every commit', { cutCommit: () => 'before' }],
    ['breaks within every commit', { cutCommit: () => 'within' }],
    ['breaks after every commit', { cutCommit: () => 'after' }],
    ['is throttled', { bytesPerSecond: 4_000 }],
  ])('returns 503 in time when it %s, and stores one lead on retry', async (_what, weather) => {
    Object.assign(proxy.weather, weather);
    await eventually(() => expect(load.unavailable.length).toBeGreaterThan(7));
    clearUp();
    await load.further(20);
    await expectRight();
  });
});
