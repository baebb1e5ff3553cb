import { expect, it } from '@jest/globals';
import { addCompound, addKey, addReserved, addTenant, addUnit } from '../support/builders.js';
import { countStatuses } from '../support/counting.js';
import { eventually } from '../support/eventually.js';
import { rounds } from '../support/rounds.js';
import { send } from '../support/service-process.js';
import { startFaultDatabase } from './support/fault-database.js';
import { randomNumbers, report } from './support/random.js';

const deadlineMs = 1_600;
const slug = 'palm-meadows';
/** A commit may exceed the deadline, so it is the only command of a request that is missing here. */
const commands = ['find', 'insert', 'update', 'findAndModify', 'aggregate'];

const database = await startFaultDatabase();
const { db } = database;
const service = await database.startService({ DATABASE_DEADLINE_MS: String(deadlineMs) });
const { organizationId } = await addTenant(db);
await addCompound(db, organizationId, { 'en-us': 'Palm Meadows' }, { slug });

interface Attempt {
  readonly path: string;
  readonly body: object;
  readonly isKeyed: boolean;
  /** Filter and number of the documents that the request stores. */
  readonly stores: readonly [collection: string, filter: object, count: number];
}

/** Returns one request of each kind, all of one organization. */
async function attempts(round: number): Promise<Attempt[]> {
  const unit = `unit-${round}`;
  const unitId = await addUnit(db, organizationId, { slug: unit });
  const reservationId = await addReserved(db, organizationId, unitId);
  const id = (name: string) => ({ recordSystemId: `${name}-${round}` });
  const create = (name: string, collection: string, isKeyed: boolean, body: object): Attempt => {
    const stores = [collection, id(name), 1] as const;
    return { path: `/${collection}`, body: { ...id(name), ...body }, isKeyed, stores };
  };
  const person = (name: string) => ({ name, email: `${name}-${round}@example.com` });
  const batch = [id('b1'), id('b2')];
  const callback = { reservationId, installmentId: '1', chequeStatus: 'overdue' };
  const overdue = { reservationId, 'cheques.status': 'overdue' };
  const keyed = (path: string, body: object, stores: Attempt['stores']) => {
    return { path, body, isKeyed: true, stores };
  };
  return [
    create('l1', 'leads', false, person('l1')),
    create('l2', 'leads', true, person('l2')),
    create('l3', 'leads', false, person('l3')),
    create('u', 'units', true, { compound: slug, name: 'u' }),
    create('r', 'reservations', false, { unit }),
    keyed('/leads/batch', { leads: batch }, ['leads', { $or: batch }, 2]),
    keyed('/reservations/webhook', callback, ['chequeWallets', overdue, 1]),
  ];
}

const countStored = ({ stores: [collection, filter] }: Attempt) =>
  db.collection(collection).countDocuments(filter);

async function post({ path, body, isKeyed }: Attempt, key: string, round: number) {
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
    const all = await attempts(round);
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
      expect([context, await countStored(attempt)]).toEqual([context, expected]);
      if (status !== 503) continue;
      // A 409 means that the first request with the key is still running.
      let retried = 409;
      await eventually(async () => {
        retried = await post(attempt, key, round);
        expect(retried).not.toBe(409);
      });
      const success = retried < 300 ? retried : 'a success';
      expect([context, retried, await countStored(attempt)]).toEqual([context, success, total]);
    }
  }
  const counts = countStatuses(responses);
  report(`seed ${random.seed}: responses ${JSON.stringify(counts)}`);
  expect(counts).toMatchObject({ 201: expect.any(Number), 503: expect.any(Number) });
});
