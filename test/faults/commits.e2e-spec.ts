import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Db, type Document, MongoClient } from 'mongodb';
import { addTenant, type Tenant } from '../support/builders.js';
import { startProcess } from '../support/service-process.js';
import { faultRounds, randomNumbers, report } from './support/fault-rounds.js';
import { LeadLoad, longestWait } from './support/lead-load.js';
import { type Member, type ReplicaSet, startReplicaSet } from './support/replica-set.js';
import { differences } from './support/stored-state.js';

/** DATABASE_DEADLINE_MS (rule HTTP-12): its default in the long form, else one that is over sooner. */
const deadlineMs = faultRounds(2_000, 8_000);
/** Tolerance for a busy machine, milliseconds. */
const marginMs = 1_000;

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

let set: ReplicaSet;
let server: Member;
let client: MongoClient;
let db: Db;
let tenant: Tenant;
let load: LeadLoad;
const random = randomNumbers();

beforeAll(async () => {
  set = await startReplicaSet(1);
  server = await set.primary();
  const MONGODB_URI = set.uri('faults');
  client = await new MongoClient(MONGODB_URI).connect();
  db = client.db();
  const service = await startProcess({
    MONGODB_URI,
    ROLE: 'api',
    DATABASE_DEADLINE_MS: String(deadlineMs),
  });
  tenant = await addTenant(db);
  load = new LeadLoad({ urls: () => [service.url], apiKey: tenant.key, random });
  await load.create('recordSystemId');
});
afterEach(() => pass());
afterAll(async () => {
  await load.stop();
  await client.close();
  await set.stop();
});

const fail = (data: Document, mode: Document | string, commands = ['commitTransaction']) =>
  server.command({
    configureFailPoint: 'failCommand',
    mode,
    data: { failCommands: commands, appName: 'integration-api', ...data },
  });
const pass = () => server.command({ configureFailPoint: 'failCommand', mode: 'off' });

/** Differences between stored and acknowledged leads, and unexpected responses. */
async function wrongs(): Promise<unknown[]> {
  const stored = await differences(db, tenant.organizationId, load.leads);
  return [...stored, ...load.unexpected()];
}

describe.each(['recordSystemId', 'Idempotency-Key'] as const)('a lead with %s', (identity) => {
  it.each(passing)('is stored once when its commit %s', async (_how, data, times) => {
    await fail(data, { times });
    await load.create(identity);
    expect(await wrongs()).toEqual([]);
  });

  it.each(lasting)(
    'returns 503 in time when every commit %s, and is stored once',
    async (_how, data) => {
      await fail(data, 'alwaysOn');
      const answered = load.answers.length;
      // Awaited; otherwise it would end the failure that the next test sets.
      let passed: Promise<unknown> | undefined;
      load.onAnswer = () => {
        passed ??= pass();
      };
      await load.create(identity);
      load.onAnswer = () => undefined;
      await passed;
      const [first] = load.answers.slice(answered);
      report(`${first?.status} after ${Math.round(first?.milliseconds ?? 0)} ms`);
      expect(first?.status).toBe(503);
      expect(Number(first?.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(first?.milliseconds).toBeLessThan(deadlineMs + marginMs);
      expect(await wrongs()).toEqual([]);
    },
  );
});

describe('concurrent leads', () => {
  it('return 503 in time while every write conflicts, and are stored once', async () => {
    const commands = ['insert', 'update', 'findAndModify', 'bulkWrite'];
    await fail({ errorCode: 112, ...transient }, 'alwaysOn', commands);
    const answered = load.answers.length;
    const clients = 20;
    load.start(clients);
    const refused = () => load.answers.slice(answered).filter(({ status }) => status === 503);
    await new Promise<void>((resolve) => {
      load.onAnswer = () => {
        if (refused().length >= clients) resolve();
      };
    });
    await pass();
    await load.further(100);
    await load.stop();
    report(`${refused().length} got 503, the last after ${longestWait(refused())} ms`);
    expect(longestWait(load.answers)).toBeLessThan(deadlineMs + marginMs);
    expect(await wrongs()).toEqual([]);
  });
});
