import { afterEach, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { addTenant } from '../support/builders.js';
import { rounds } from '../support/rounds.js';
import { startProcess } from '../support/service-process.js';
import { startFaultDatabase } from './support/fault-database.js';
import { LeadLoad } from './support/lead-load.js';
import { randomNumbers } from './support/random.js';

/** The full run uses the default of DATABASE_DEADLINE_MS (rule HTTP-12), the short run a shorter deadline. */
const deadlineMs = rounds(2_000, 8_000);
/** A busy machine gets two more seconds. */
const maxWaitMs = deadlineMs + 2_000;

const transient = { errorLabels: ['TransientTransactionError'] };
const unknown = { errorLabels: ['UnknownTransactionCommitResult'] };
const closed = { closeConnection: true };
const lost = { errorCode: 251, ...transient };
const conflict = { errorCode: 112, ...transient };
const timeOut = { writeConcernError: { code: 64, errmsg: 'waiting for replication timed out' } };
const tooFew = { writeConcernError: { code: 100, errmsg: 'not enough data-bearing nodes' } };

const failCommands = ['commitTransaction'];

const database = await startFaultDatabase();
const tenant = await addTenant(database.db);
const variables = { MONGODB_URI: database.uri, ROLE: 'api' };
const service = await startProcess({ ...variables, DATABASE_DEADLINE_MS: String(deadlineMs) });
const urls = () => [service.url];
const load = new LeadLoad({ db: database.db, tenant, urls, random: randomNumbers() });

afterEach(() => database.pass());

/** Each row says how a commit fails, and how many times. */
const passing: readonly (readonly [string, Document, number])[] = [
  ['closes the connection', closed, 1],
  ['closes the connection three times', closed, 3],
  ['has lost the transaction (NoSuchTransaction)', lost, 3],
  ['conflicts with another transaction', conflict, 3],
  ['takes too long (MaxTimeMSExpired)', { errorCode: 50, ...unknown }, 2],
  ['is interrupted by an election', { errorCode: 11_602, ...unknown }, 2],
  ['is aborted by another process as abandoned', { errorCode: 11_601 }, 1],
  ['reaches no primary any more', { errorCode: 10_107, ...unknown }, 2],
  ['is not confirmed by a majority in time', timeOut, 1],
];

const lasting: readonly (readonly [string, Document])[] = [
  ['closes the connection', closed],
  ['has lost the transaction (NoSuchTransaction)', lost],
  ['conflicts with another transaction', conflict],
  ['is not confirmed', timeOut],
  ['cannot be confirmed because too few servers hold data', tooFew],
];

describe.each(['recordSystemId', 'Idempotency-Key'] as const)('a lead with %s', (identity) => {
  it.each(passing)('is stored once when its commit %s', async (_how, data, times) => {
    await database.fail({ failCommands, ...data }, { times });
    await load.create(identity);
    expect(load.responses.at(-1)?.status).toBeLessThan(300);
    await load.expectRight(maxWaitMs);
  });

  it.each([
    ['conflicts with another transaction', conflict, 3],
    ['finds its transaction aborted as abandoned', { errorCode: 11_601 }, 1],
  ])('returns 201 at once when its insert %s', async (_how, data, times) => {
    const namespace = 'faults.leads';
    await database.fail({ failCommands: ['insert'], namespace, ...data }, { times });
    const earlier = load.responses.length;
    await load.create(identity);
    expect(load.responses.slice(earlier)).toMatchObject([{ status: 201 }]);
    await load.expectRight(maxWaitMs);
  });

  it.each(lasting)(
    'returns 503 in time when every commit %s, and is stored once',
    async (_how, data) => {
      await database.fail({ failCommands, ...data });
      const earlier = load.responses.length;
      // The test waits for this, because a late end would remove the failure that the next test sets.
      let passed: Promise<void> | undefined;
      load.onResponse = () => {
        passed ??= database.pass();
      };
      await load.create(identity);
      load.onResponse = () => undefined;
      await passed;
      expect(load.responses[earlier]?.status).toBe(503);
      await load.expectRight(maxWaitMs);
    },
  );
});

describe('concurrent leads', () => {
  it('return 503 in time while every write conflicts, and are stored once', async () => {
    const writes = ['insert', 'update', 'findAndModify', 'bulkWrite'];
    await database.fail({ failCommands: writes, ...conflict });
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
    expect(load.unavailable.length).toBeGreaterThanOrEqual(earlier + clients);
    await load.expectRight(maxWaitMs);
  });
});
