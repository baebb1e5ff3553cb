import { expect, it } from '@jest/globals';
import { addKey, addTenant } from '../support/builders.js';
import { countStatuses } from '../support/counting.js';
import { eventually } from '../support/eventually.js';
import { rounds } from '../support/rounds.js';
import { send } from '../support/service-process.js';
import { startFaultDatabase } from './support/fault-database.js';
import { randomNumbers, report } from './support/random.js';
import { addWriteRequests, countStored, type WriteRequest } from './support/write-requests.js';

const deadlineMs = 1_600;
/** A commit may exceed the deadline, so it is the only command of a request that is missing here. */
const commands = ['find', 'insert', 'update', 'findAndModify', 'aggregate'];

const database = await startFaultDatabase();
const { db } = database;
const service = await database.startService({ DATABASE_DEADLINE_MS: String(deadlineMs) });
const { organizationId } = await addTenant(db);

async function post({ path, body, isKeyed }: WriteRequest, key: string, round: number) {
  const headers: Record<string, string> = isKeyed ? { 'idempotency-key': `${path}-${round}` } : {};
  return (await send(service.url, { method: 'POST', path, key, body, headers })).status;
}

const waitForTransactions = () =>
  eventually(async () => {
    const { transactions } = await database.server.command({ serverStatus: 1 });
    expect(transactions).toMatchObject({ currentOpen: 0 });
  });

it('a request that returned 503 stores nothing later when the database delays any command', async () => {
  const random = randomNumbers();
  const responses: { readonly status: number }[] = [];
  for (let round = 0; round < rounds(5, 120); round++) {
    // Each round uses a new key, which the service has to read within the request's time.
    const key = await addKey(db, organizationId);
    const all = await addWriteRequests(db, organizationId, `${round}`);
    const delayed = commands.filter(() => random.next() < 0.7);
    const blockTimeMS = 20 + random.below(deadlineMs / 5);
    await database.fail({ failCommands: delayed, blockConnection: true, blockTimeMS });
    const sent = await Promise.all(all.map((attempt) => post(attempt, key, round)));
    await database.recover();
    // This lead has to wait for the running requests of its organization.
    await service.api('post', '/leads').set('api-key', key).send({ name: 'last' });
    await waitForTransactions();
    for (const [index, attempt] of all.entries()) {
      const status = sent[index] ?? 0;
      responses.push({ status });
      const context = `seed ${random.seed}, round ${round}, ${delayed.join()}: ${attempt.path} ${status}`;
      const [, , total] = attempt.stores;
      const expected = status === 503 ? 0 : total;
      expect([context, await countStored(db, attempt)]).toEqual([context, expected]);
      if (status !== 503) continue;
      // A 409 means that the first request with the key is still running.
      let retried = 409;
      await eventually(async () => {
        retried = await post(attempt, key, round);
        expect(retried).not.toBe(409);
      });
      const success = retried < 300 ? retried : 'a success';
      expect([context, retried, await countStored(db, attempt)]).toEqual([context, success, total]);
    }
  }
  const counts = countStatuses(responses);
  report(`seed ${random.seed}: responses ${JSON.stringify(counts)}`);
  expect(counts).toMatchObject({ 201: expect.any(Number), 503: expect.any(Number) });
});
