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
const unknownResult = { errorLabels: ['UnknownTransactionCommitResult'] };
const closedConnection = { closeConnection: true };
const lostTransaction = { errorCode: 251, ...transient };
const conflict = { errorCode: 112, ...transient };
const timedOut = { writeConcernError: { code: 64, errmsg: 'waiting for replication timed out' } };
const tooFewNodes = { writeConcernError: { code: 100, errmsg: 'not enough data-bearing nodes' } };

const failCommands = ['commitTransaction'];

const database = await startFaultDatabase();
const tenant = await addTenant(database.db);
const variables = { MONGODB_URI: database.uri, ROLE: 'api' };
const service = await startProcess({ ...variables, DATABASE_DEADLINE_MS: String(deadlineMs) });
const urls = () => [service.url];
const load = new LeadLoad({ db: database.db, tenant, urls, random: randomNumbers() });

afterEach(() => database.recover());

/** Each row: how the commit fails, the injected failure, and how many times. */
const temporaryFailures: readonly (readonly [string, Document, number])[] = [
  ['closes the connection', closedConnection, 1],
  ['closes the connection three times', closedConnection, 3],
  ['has lost the transaction (NoSuchTransaction)', lostTransaction, 3],
  ['conflicts with another transaction', conflict, 3],
  ['takes too long (MaxTimeMSExpired)', { errorCode: 50, ...unknownResult }, 2],
  ['is interrupted by an election', { errorCode: 11_602, ...unknownResult }, 2],
  ['is aborted by another process as abandoned', { errorCode: 11_601 }, 1],
  ['no longer reaches a primary', { errorCode: 10_107, ...unknownResult }, 2],
  ['is not confirmed by a majority in time', timedOut, 1],
];

const lastingFailures: readonly (readonly [string, Document])[] = [
  ['closes the connection', closedConnection],
  ['has lost the transaction (NoSuchTransaction)', lostTransaction],
  ['conflicts with another transaction', conflict],
  ['is not confirmed', timedOut],
  ['cannot be confirmed because too few servers hold data', tooFewNodes],
];

describe.each(['recordSystemId', 'Idempotency-Key'] as const)('a lead with %s', (identity) => {
  it.each(temporaryFailures)('is stored once when its commit %s', async (_how, data, times) => {
    await database.fail({ failCommands, ...data }, { times });
    await load.create(identity);
    expect(load.responses.at(-1)?.status).toBeLessThan(300);
    await load.expectConsistent(maxWaitMs);
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
    await load.expectConsistent(maxWaitMs);
  });

  it.each(lastingFailures)(
    'returns 503 in time when every commit %s, and is stored once',
    async (_how, data) => {
      await database.fail({ failCommands, ...data });
      const earlier = load.responses.length;
      // Awaited below, because a late recovery would remove the failure that the next test sets.
      let recovered: Promise<void> | undefined;
      load.onResponse = () => {
        recovered ??= database.recover();
      };
      await load.create(identity);
      load.onResponse = () => undefined;
      await recovered;
      expect(load.responses[earlier]?.status).toBe(503);
      await load.expectConsistent(maxWaitMs);
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
    await database.recover();
    await load.waitForChanges(100);
    await load.stop();
    expect(load.unavailable.length).toBeGreaterThanOrEqual(earlier + clients);
    await load.expectConsistent(maxWaitMs);
  });
});
