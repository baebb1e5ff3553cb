import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { addTenant } from '../support/builders.js';
import { rounds } from '../support/rounds.js';
import { startProcess } from '../support/service-process.js';
import { useFaultDatabase } from './support/fault-database.js';
import { LeadLoad, longestWait } from './support/lead-load.js';
import { randomNumbers, report } from './support/random.js';

/** DATABASE_DEADLINE_MS (rule HTTP-12): its default in the long form, else one that is over sooner. */
const deadlineMs = rounds(2_000, 8_000);
/** Tolerance for a busy machine, milliseconds. */
const marginMs = 2_000;

const transient = { errorLabels: ['TransientTransactionError'] };
const unknown = { errorLabels: ['UnknownTransactionCommitResult'] };
const timeOut = { writeConcernError: { code: 64, errmsg: 'waiting for replication timed out' } };

/** How a commit fails, and for how often the service has an answer. */
const passing: readonly (readonly [string, Document, number])[] = [
  ['closes the connection', { closeConnection: true }, 1],
  ['closes the connection three times', { closeConnection: true }, 3],
  ['has lost the transaction (NoSuchTransaction)', { errorCode: 251, ...transient }, 3],
  ['conflicts with another transaction', { errorCode: 112, ...transient }, 3],
  ['takes too long (MaxTimeMSExpired)', { errorCode: 50, ...unknown }, 2],
  ['is interrupted by an election', { errorCode: 11_602, ...unknown }, 2],
  ['is aborted by another process as abandoned', { errorCode: 11_601 }, 1],
  ['reaches a server that is no longer primary', { errorCode: 10_107, ...unknown }, 2],
  ['is stored but not confirmed by a majority in time', timeOut, 1],
];
const lasting: readonly (readonly [string, Document])[] = [
  ['closes the connection', { closeConnection: true }],
  ['has lost the transaction (NoSuchTransaction)', { errorCode: 251, ...transient }],
  ['conflicts with another transaction', { errorCode: 112, ...transient }],
  ['is not confirmed', timeOut],
  [
    'cannot be confirmed because too few servers hold data',
    { writeConcernError: { code: 100, errmsg: 'not enough data-bearing nodes' } },
  ],
];
const failCommands = ['commitTransaction'];

const database = useFaultDatabase();
let load: LeadLoad;

beforeAll(async () => {
  const { uri, db } = database;
  const variables = { MONGODB_URI: uri, ROLE: 'api', DATABASE_DEADLINE_MS: String(deadlineMs) };
  const service = await startProcess(variables);
  const tenant = await addTenant(db);
  load = new LeadLoad({ db, tenant, urls: () => [service.url], random: randomNumbers() });
  await load.create('recordSystemId');
});
afterEach(() => database.pass());

describe.each(['recordSystemId', 'Idempotency-Key'] as const)('a lead with %s', (identity) => {
  it.each(passing)('is stored once when its commit %s', async (_how, data, times) => {
    await database.fail({ failCommands, ...data }, { times });
    await load.create(identity);
    expect(await load.wrongs()).toEqual([]);
  });

  it.each([
    ['conflicts with another transaction', { errorCode: 112, ...transient }, 3],
    ['belongs to a transaction that another process aborted', { errorCode: 11_601 }, 1],
  ])('is stored once when its insert %s', async (_how, data, times) => {
    const namespace = 'faults.leads';
    await database.fail({ failCommands: ['insert'], namespace, ...data }, { times });
    const answered = load.responses.length;
    await load.create(identity);
    expect(load.responses.slice(answered).map(({ status }) => status)).toEqual([201]);
    expect(await load.wrongs()).toEqual([]);
  });

  it.each(lasting)(
    'returns 503 in time when every commit %s, and is stored once',
    async (_how, data) => {
      await database.fail({ failCommands, ...data });
      const answered = load.responses.length;
      // Awaited; otherwise it would end the failure that the next test sets.
      let passed: Promise<void> | undefined;
      load.onResponse = () => {
        passed ??= database.pass();
      };
      await load.create(identity);
      load.onResponse = () => undefined;
      await passed;
      const [first] = load.responses.slice(answered);
      report(`${first?.status} after ${Math.round(first?.milliseconds ?? 0)} ms`);
      expect(first?.status).toBe(503);
      expect(Number(first?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(first?.milliseconds).toBeLessThan(deadlineMs + marginMs);
      expect(await load.wrongs()).toEqual([]);
    },
  );
});

describe('concurrent leads', () => {
  it('return 503 in time while every write conflicts, and are stored once', async () => {
    const writes = ['insert', 'update', 'findAndModify', 'bulkWrite'];
    await database.fail({ failCommands: writes, errorCode: 112, ...transient });
    const earlier = load.unavailable.length;
    const clients = 20;
    load.start(clients);
    await new Promise<void>((resolve) => {
      load.onResponse = () => {
        if (load.unavailable.length - earlier >= clients) resolve();
      };
    });
    await database.pass();
    await load.further(100);
    await load.stop();
    const refused = load.unavailable.slice(earlier);
    report(`${refused.length} got 503, the last after ${longestWait(refused)} ms`);
    expect(longestWait(load.responses)).toBeLessThan(deadlineMs + marginMs);
    expect(await load.wrongs()).toEqual([]);
  });
});
