import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { addTenant, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { rounds } from '../support/rounds.js';
import { send, type ServiceProcess, startProcess } from '../support/service-process.js';
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
let tenant: Tenant;
let load: LeadLoad;

const writes = ['insert', 'update', 'delete', 'findAndModify', 'bulkWrite'];
const outOfDiskSpace = 14_031;
const cuts: readonly Cut[] = ['before', 'within', 'after'];
const cutSome = () => (random.next() < 0.3 ? cuts[random.below(3)] : undefined);
const become = (weather: Partial<TcpProxy['weather']>) => Object.assign(proxy.weather, weather);
const blockWrites = (isBlocked: boolean) =>
  database.server.command({ setUserWriteBlockMode: 1, global: isBlocked });
const clearUp = async () => {
  become({ latencyMs: 0, bytesPerSecond: 0, cutCommit: () => undefined });
  await blockWrites(false);
  await database.pass();
};

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
  tenant = await addTenant(db);
  load = new LeadLoad({ db, tenant, urls: () => services.map(({ url }) => url), random });
  load.start(8);
  await load.further(20);
});
afterEach(async () => {
  await clearUp();
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

describe('a database', () => {
  it.each([
    ['closes connections during commits', 0, rounds(200, 3_000)],
    ['is slow and closes connections during commits', 15, rounds(60, 500)],
  ])('stores each change once when it %s', async (_what, latencyMs, changes) => {
    const before = proxy.cuts();
    become({ latencyMs, cutCommit: cutSome });
    await load.further(changes);
    await clearUp();
    await expectRight();
    expect(proxy.cuts()).toBeGreaterThan(before);
  });

  it.each<[string, () => unknown, 'can read' | '']>([
    ['closes before every commit', () => become({ cutCommit: () => 'before' }), ''],
    ['closes within every commit', () => become({ cutCommit: () => 'within' }), ''],
    ['closes after every commit', () => become({ cutCommit: () => 'after' }), ''],
    ['is throttled', () => become({ bytesPerSecond: 4_000 }), ''],
    ['is read-only', () => blockWrites(true), 'can read'],
    [
      'has a full disk',
      () => database.fail({ failCommands: writes, errorCode: outOfDiskSpace }),
      'can read',
    ],
  ])('that %s makes writes return 503 in time, and stores them later', async (_, begin, reads) => {
    const { marker } = await load.create('recordSystemId');
    await begin();
    await eventually(() => expect(load.unavailable.length).toBeGreaterThan(15));
    if (reads === 'can read') {
      const request = { method: 'GET', path: `/leads/${marker}`, key: tenant.key };
      expect((await send(services[0]?.url ?? '', request)).status).toBe(200);
    }
    await clearUp();
    await load.further(50);
    for (const { headers } of load.unavailable) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    await expectRight();
    expect(services.map(({ process: { exitCode } }) => exitCode)).toEqual([null, null]);
  });
});
