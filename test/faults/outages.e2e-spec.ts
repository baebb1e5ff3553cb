import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { addTenant, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { rounds } from '../support/rounds.js';
import { send, startProcess } from '../support/service-process.js';
import { startFaultDatabase } from './support/fault-database.js';
import { LeadLoad } from './support/lead-load.js';
import { randomNumbers, report } from './support/random.js';
import { type Cut, noFaults, startTcpProxy, type NetworkFaults } from './support/tcp-proxy.js';

const deadlineMs = rounds(3_000, 8_000);
/** A busy machine gets four more seconds. */
const maxWaitMs = deadlineMs + 4_000;

const random = randomNumbers();
const database = await startFaultDatabase();
const proxy = await startTcpProxy(database.server.port);
const variables = {
  // Without directConnection the driver would bypass the proxy.
  MONGODB_URI: `mongodb://127.0.0.1:${proxy.port}/faults?directConnection=true`,
  ROLE: 'api',
  DATABASE_DEADLINE_MS: String(deadlineMs),
};
const services = await Promise.all([startProcess(variables), startProcess(variables)]);
const urls = () => services.map(({ url }) => url);
let tenant: Tenant;
let load: LeadLoad;

const failCommands = ['insert', 'update', 'delete', 'findAndModify', 'bulkWrite'];
const outOfDiskSpace = 14_031;
const cuts: readonly Cut[] = ['before', 'within', 'after'];
const cutRandomly = () => (random.next() < 0.3 ? cuts[random.below(3)] : undefined);
const setFaults = (faults: Partial<NetworkFaults>) => Object.assign(proxy.faults, faults);
const blockWrites = (isBlocked: boolean) =>
  database.server.command({ setUserWriteBlockMode: 1, global: isBlocked });
const removeFaults = async () => {
  setFaults(noFaults);
  await blockWrites(false);
  await database.recover();
};

beforeEach(async () => {
  const { db } = database;
  tenant = await addTenant(db);
  load = new LeadLoad({ db, tenant, urls, random });
  load.start(8);
  await load.waitForChanges(20);
});
afterEach(async () => {
  await removeFaults();
  await load.stop();
});
afterAll(() => proxy.stop());

describe('a database', () => {
  it.each([
    ['closes connections during commits', 0, rounds(200, 3_000)],
    ['is slow and closes connections during commits', 15, rounds(60, 500)],
  ])('stores each change once when it %s', async (_what, pieceMs, changes) => {
    const before = proxy.cuts();
    setFaults({ delayMs: () => pieceMs, cutCommit: cutRandomly });
    await load.waitForChanges(changes);
    await removeFaults();
    await load.stop();
    await load.expectConsistent(maxWaitMs);
    report(`${proxy.cuts()} commits cut so far`);
    expect(proxy.cuts()).toBeGreaterThan(before);
  });

  it.each<[string, () => unknown, 'can read' | '']>([
    ['closes connections before every commit', () => setFaults({ cutCommit: () => 'before' }), ''],
    ['closes connections within every commit', () => setFaults({ cutCommit: () => 'within' }), ''],
    ['closes connections after every commit', () => setFaults({ cutCommit: () => 'after' }), ''],
    ['is throttled', () => setFaults({ delayMs: (bytes) => bytes / 4 }), ''],
    ['is read-only', () => blockWrites(true), 'can read'],
    ['is full', () => database.fail({ failCommands, errorCode: outOfDiskSpace }), 'can read'],
  ])(
    'that %s makes writes return 503 in time, and stores them after recovery',
    async (_, begin, reads) => {
      const { marker } = await load.create('recordSystemId');
      await begin();
      await eventually(() => expect(load.unavailable.length).toBeGreaterThan(15));
      if (reads === 'can read') {
        const request = { method: 'GET', path: `/leads/${marker}`, key: tenant.key };
        expect(await send(services[0].url, request)).toMatchObject({ status: 200 });
      }
      await removeFaults();
      await load.waitForChanges(50);
      await load.stop();
      await load.expectConsistent(maxWaitMs);
      expect(services.map(({ process: { exitCode } }) => exitCode)).toEqual([null, null]);
    },
  );
});
