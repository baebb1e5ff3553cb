import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import {
  addCompound,
  addKey,
  addReservation,
  addTenant,
  addUnit,
  addWallet,
  type Tenant,
} from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { basePath } from '../support/shared-service.js';
import { startTestService, type TestService } from '../support/test-service.js';
import { type FaultDatabase, startFaultDatabase } from './support/fault-database.js';
import { faultRounds, randomNumbers, report } from './support/fault-rounds.js';

const deadlineMs = 1_600;
const slug = 'palm-meadows';
const rounds = faultRounds(5, 120);
/** Whatever a request sends but the commit, which may take longer than the rest of its time. */
const commands = ['find', 'insert', 'update', 'findAndModify', 'aggregate'];

let database: FaultDatabase;
let admin: MongoClient;
let service: TestService;
let tenant: Tenant;

beforeAll(async () => {
  database = await startFaultDatabase();
  admin = await new MongoClient(database.uri).connect();
  const variables = { DATABASE_DEADLINE_MS: String(deadlineMs) };
  service = await startTestService(variables, database.uri);
  tenant = await addTenant(database.db);
  await addCompound(database.db, tenant.organizationId, { 'en-us': 'Palm Meadows' }, { slug });
});
afterAll(async () => {
  await service.stop();
  await admin.close();
});

const block = (mode: 'alwaysOn' | 'off', failCommands: readonly string[] = [], blockTimeMS = 0) =>
  admin.db('admin').command({
    configureFailPoint: 'failCommand',
    mode,
    ...(mode === 'off'
      ? {}
      : { data: { failCommands, appName: 'integration-api', blockConnection: true, blockTimeMS } }),
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
  const reservationId = await addReservation(db, organizationId, unitId);
  const cheques = [{ installmentId: 'i-1' }];
  await addWallet(db, organizationId, { reservationId, unitId, cheques });
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
        installmentId: 'i-1',
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

async function send({ path, body, isKeyed }: Attempt, key: string, round: number) {
  const response = await fetch(`${service.url}/${basePath}${path}`, {
    method: 'POST',
    headers: {
      'api-key': key,
      'content-type': 'application/json',
      ...(isKeyed ? { 'idempotency-key': `${path}-${round}` } : {}),
    },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Whatever a request has begun has ended by then. */
const untilQuiet = () =>
  eventually(async () => {
    const { transactions } = await admin.db('admin').command({ serverStatus: 1 });
    expect(transactions).toMatchObject({ currentOpen: 0 });
  });

it('a request that returned 503 stores nothing later when the database delays any command', async () => {
  const random = randomNumbers();
  const statuses = new Map<number, number>();
  for (let round = 0; round < rounds; round++) {
    // Nobody has asked for this key: it is looked up within the request's time.
    const key = await addKey(database.db, tenant.organizationId);
    const all = await attempts(round);
    const delayed = commands.filter(() => random.next() < 0.7);
    await block('alwaysOn', delayed, 20 + random.below(deadlineMs / 5));
    const sent = await Promise.all(all.map((attempt) => send(attempt, key, round)));
    await block('off');
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
        again = await send(attempt, key, round);
        expect(again).not.toBe(409);
      });
      const isDone = again < 300 ? again : 'a success';
      expect([context, again, await attempt.count()]).toEqual([context, isDone, attempt.whole]);
    }
  }
  report(
    `seed ${random.seed}: ${rounds} rounds, responses ${JSON.stringify(Object.fromEntries(statuses))}`,
  );
  expect(statuses.get(503) ?? 0).toBeGreaterThan(0);
  expect(statuses.get(201) ?? 0).toBeGreaterThan(0);
});
