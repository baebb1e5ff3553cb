import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Db, type Document, MongoClient, ObjectId } from 'mongodb';
import { serverTimestampPlaceholder } from '../../src/events/outbox/outbox-event.schema.js';
import { addTenant, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { kill, type ServiceProcess, startProcess } from '../support/service-process.js';
import { faultRounds, randomNumbers, report } from './support/fault-rounds.js';
import { type Member, type ReplicaSet, startReplicaSet } from './support/replica-set.js';
import { undelivered } from './support/stored-state.js';
import { subscribe, toLoopback } from './support/subscription.js';

/** Of the service's commands; the database answers later where a test wants it so. */
const deadlineMs = 1_000;

let set: ReplicaSet;
let server: Member;
let client: MongoClient;
let db: Db;
let receiver: Receiver;
let tenant: Tenant;
let variables: Record<string, string>;

beforeAll(async () => {
  set = await startReplicaSet(1);
  server = await set.primary();
  const MONGODB_URI = set.uri('faults');
  client = await new MongoClient(MONGODB_URI).connect();
  db = client.db();
  variables = {
    MONGODB_URI,
    ROLE: 'worker',
    DATABASE_DEADLINE_MS: String(deadlineMs),
    ...toLoopback,
  };
  receiver = await startReceiver();
  // Creates the database structure.
  await kill(await startProcess(variables));
});
beforeEach(async () => {
  tenant = await addTenant(db);
  await subscribe(set.uri('faults'), tenant.organizationId, receiver.url);
  receiver.received.length = 0;
});
afterAll(async () => {
  await receiver.stop();
  await client.close();
  await set.stop();
});

/** Stores events as features do. */
async function publish(count: number): Promise<void> {
  const { organizationId } = tenant;
  const now = new Date();
  const times = { storedAt: serverTimestampPlaceholder, createdAt: now, updatedAt: now };
  const events = Array.from({ length: count }, () => {
    const data = { _id: new ObjectId().toHexString() };
    return { organizationId, type: 'lead.created', data, ...times };
  });
  await db.collection('outboxEvents').insertMany(events);
}

/** Waits until every event has arrived with its own id; returns missing events. */
async function missingOf(count: number): Promise<string[]> {
  const { organizationId } = tenant;
  const ids = () => new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
  await eventually(async () => {
    expect(ids().size).toBe(count);
    const pending = { organizationId, status: 'pending' };
    expect(await db.collection('webhookDeliveries').countDocuments(pending)).toBe(0);
  });
  const deliveries = db.collection('webhookDeliveries').find({ organizationId });
  for (const { log, attempts } of await deliveries.toArray()) {
    expect([attempts, log.length]).toEqual([1, 1]);
  }
  const numbers = await db.collection('outboxEvents').distinct('sequence', { organizationId });
  expect(numbers).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  return undelivered(db, organizationId, ids() as Set<string>);
}

describe('a database command of relay or worker', () => {
  const commands: readonly (readonly [command: string, collection: string])[] = [
    ['findAndModify', 'leases'],
    ['find', 'outboxEvents'],
    ['update', 'outboxEvents'],
    ['find', 'eventFeeds'],
    ['update', 'eventFeeds'],
    ['find', 'webhookEndpoints'],
    ['findAndModify', 'webhookEndpoints'],
    ['insert', 'webhookDeliveries'],
    ['find', 'webhookDeliveries'],
    ['aggregate', 'webhookDeliveries'],
    ['update', 'webhookDeliveries'],
    ['update', 'webhookStatistics'],
    ['commitTransaction', ''],
  ];
  const failures: readonly (readonly [how: string, data: Document])[] = [
    ['fails', { errorCode: 8 }],
    ['loses its connection', { closeConnection: true }],
    ['responds after its deadline', { blockConnection: true, blockTimeMS: 2 * deadlineMs }],
  ];
  let worker: ServiceProcess;

  beforeAll(async () => {
    worker = await startProcess(variables);
  });
  afterAll(() => kill(worker));

  /** The short run tests one failure per command, the full run all. */
  const ways = faultRounds(failures.length, 1);

  it.each(failures.map(([how, data], way) => [how, data, way] as const))(
    'that %s loses no delivery and repeats no attempt',
    async (_how, data, way) => {
      let count = 0;
      for (const [index, [command, collection]] of commands.entries()) {
        if (index % ways !== way % ways) continue;
        const namespace = collection === '' ? {} : { namespace: `faults.${collection}` };
        await server.command({
          configureFailPoint: 'failCommand',
          mode: { times: 1 },
          data: { failCommands: [command], appName: 'integration-api', ...namespace, ...data },
        });
        await publish(5);
        count += 5;
        expect(await missingOf(count)).toEqual([]);
        await server.command({ configureFailPoint: 'failCommand', mode: 'off' });
      }
    },
  );
});

describe('killed workers and relays', () => {
  // A start on a busy machine takes longer than the deadline of the other tests.
  const start = () => startProcess({ ...variables, DATABASE_DEADLINE_MS: '8000' });
  const endOfLeases = { $set: { leasedUntil: new Date(0) } };

  it('lose no event and send none with another id', async () => {
    const random = randomNumbers();
    const [kills, each] = [faultRounds(1, 5), faultRounds(400, 4_800)];
    const startedAt = performance.now();
    let processes: ServiceProcess[] = await Promise.all([start(), start()]);
    for (let round = 1; round <= kills; round++) {
      await publish(each);
      const enough = receiver.received.length + 1 + random.below(each / 4);
      // A lease of the previously killed process can last another minute.
      await eventually(
        () => expect(receiver.received.length).toBeGreaterThanOrEqual(enough),
        180_000,
      );
      const victim = random.below(2);
      await kill(processes[victim] as ServiceProcess);
      processes = processes.with(victim, await start());
      // Lets the leases of the killed process expire.
      if (kills === 1) await db.collection('webhookEndpoints').updateMany({}, endOfLeases);
    }
    const count = kills * each;
    const ids = () => new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
    await eventually(async () => {
      expect(ids().size).toBe(count);
      const pending = { organizationId: tenant.organizationId, status: 'pending' };
      expect(await db.collection('webhookDeliveries').countDocuments(pending)).toBe(0);
    }, kills * 180_000);
    expect(await undelivered(db, tenant.organizationId, ids() as Set<string>)).toEqual([]);
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    const again = receiver.received.length - count;
    report(
      `${kills} kills, ${count} deliveries in ${seconds} s, ${again} sent again, seed ${random.seed}`,
    );
    await Promise.all(processes.map(kill));
  });
});
