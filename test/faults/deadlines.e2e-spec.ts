import { beforeAll, expect, it } from '@jest/globals';
import {
  addCompound,
  addKey,
  addReserved,
  addTenant,
  addUnit,
  type Tenant,
} from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { rounds } from '../support/rounds.js';
import { send } from '../support/service-process.js';
import type { TestService } from '../support/test-service.js';
import { useFaultDatabase } from './support/fault-database.js';
import { randomNumbers, report } from './support/random.js';

const deadlineMs = 1_600;
const slug = 'palm-meadows';
/** Whatever a request sends but the commit, which may take longer than the rest of its time. */
const commands = ['find', 'insert', 'update', 'findAndModify', 'aggregate'];

const database = useFaultDatabase();
let service: TestService;
let tenant: Tenant;

beforeAll(async () => {
  service = await database.startService({ DATABASE_DEADLINE_MS: String(deadlineMs) });
  tenant = await addTenant(database.db);
  await addCompound(database.db, tenant.organizationId, { 'en-us': 'Palm Meadows' }, { slug });
});

/** A request, and how often what it stores is there. */
interface Attempt {
  readonly path: string;
  readonly body: object;
  readonly isKeyed: boolean;
  /** How often what it wants to store is stored. */
  count(): Promise<number>;
  /** How often it should be when it succeeded. */
  readonly whole: number;
}

/** One request of each kind, all of one organization. */
async function attempts(round: number): Promise<Attempt[]> {
  const { db } = database;
  const { organizationId } = tenant;
  const unitId = await addUnit(db, organizationId, { slug: `unit-${round}` });
  const reservationId = await addReserved(db, organizationId, unitId);
  const leads = (ids: readonly string[]) => () =>
    db.collection('leads').countDocuments({ recordSystemId: { $in: [...ids] } });
  const id = (name: string) => `${name}-${round}`;
  const lead = (name: string, isKeyed: boolean): Attempt => ({
    path: '/leads',
    body: { recordSystemId: id(name), name: id(name), email: `${id(name)}@example.com` },
    isKeyed,
    count: leads([id(name)]),
    whole: 1,
  });
  const batch = [id('b1'), id('b2')];
  return [
    lead('l1', false),
    lead('l2', true),
    lead('l3', false),
    {
      path: '/leads/batch',
      body: { leads: batch.map((recordSystemId) => ({ recordSystemId })) },
      isKeyed: true,
      count: leads(batch),
      whole: 2,
    },
    {
      path: '/units',
      body: { recordSystemId: id('u'), compound: slug, name: id('u') },
      isKeyed: true,
      count: () => db.collection('units').countDocuments({ recordSystemId: id('u') }),
      whole: 1,
    },
    {
      path: '/reservations',
      body: { recordSystemId: id('r'), unit: `unit-${round}` },
      isKeyed: false,
      count: () => db.collection('reservations').countDocuments({ recordSystemId: id('r') }),
      whole: 1,
    },
    {
      path: '/reservations/webhook',
      body: {
        reservationId: reservationId.toHexString(),
        installmentId: '1',
        chequeStatus: 'overdue',
      },
      isKeyed: true,
      count: () =>
        db
          .collection('chequeWallets')
          .countDocuments({ reservationId, 'cheques.status': 'overdue' }),
      whole: 1,
    },
  ];
}

async function post({ path, body, isKeyed }: Attempt, key: string, round: number) {
  const headers: Record<string, string> = isKeyed ? { 'idempotency-key': `${path}-${round}` } : {};
  return (await send(service.url, { method: 'POST', path, key, body, headers })).status;
}

/** Whatever a request has begun has ended by then. */
const untilQuiet = () =>
  eventually(async () => {
    const { transactions } = await database.server.command({ serverStatus: 1 });
    expect(transactions).toMatchObject({ currentOpen: 0 });
  });

it('a request that returned 503 stores nothing later when the database delays any command', async () => {
  const random = randomNumbers();
  const statuses = new Map<number, number>();
  for (let round = 0; round < rounds(5, 120); round++) {
    // Nobody has asked for this key: it is looked up within the request's time.
    const key = await addKey(database.db, tenant.organizationId);
    const all = await attempts(round);
    const delayed = commands.filter(() => random.next() < 0.7);
    const blockTimeMS = 20 + random.below(deadlineMs / 5);
    await database.fail({ failCommands: delayed, blockConnection: true, blockTimeMS });
    const sent = await Promise.all(all.map((attempt) => post(attempt, key, round)));
    await database.pass();
    // The request waits for running requests of its organization.
    await service.api('post', '/leads').set('api-key', key).send({ name: 'last' });
    await untilQuiet();
    for (const [index, attempt] of all.entries()) {
      const status = sent[index] ?? 0;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const context = `seed ${random.seed}, round ${round}, ${delayed.join()}: ${attempt.path} ${status}`;
      const expected = status === 503 ? 0 : attempt.whole;
      expect([context, await attempt.count()]).toEqual([context, expected]);
      if (status !== 503) continue;
      // The client repeats, and what it wanted is there once. A 409 tells it that its first request has just ended.
      let again = 409;
      await eventually(async () => {
        again = await post(attempt, key, round);
        expect(again).not.toBe(409);
      });
      const isDone = again < 300 ? again : 'a success';
      expect([context, again, await attempt.count()]).toEqual([context, isDone, attempt.whole]);
    }
  }
  report(`seed ${random.seed}: responses ${JSON.stringify(Object.fromEntries(statuses))}`);
  expect(statuses.get(503) ?? 0).toBeGreaterThan(0);
  expect(statuses.get(201) ?? 0).toBeGreaterThan(0);
});
