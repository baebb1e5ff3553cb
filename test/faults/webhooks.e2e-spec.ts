import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { addTenant, publishedEvents, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { rounds } from '../support/rounds.js';
import { startProcess } from '../support/service-process.js';
import { toLoopback } from '../webhooks/webhook-service.js';
import { useFaultDatabase } from './support/fault-database.js';
import { undelivered } from './support/stored-state.js';
import { subscribe } from './support/subscription.js';

/** Of the service's commands; the database answers later where a test wants it so. */
const deadlineMs = 1_000;

const database = useFaultDatabase();
let receiver: Receiver;
let tenant: Tenant;

beforeAll(async () => {
  await startProcess({
    MONGODB_URI: database.uri,
    ROLE: 'worker',
    DATABASE_DEADLINE_MS: String(deadlineMs),
    ...toLoopback,
  });
  receiver = await startReceiver();
});
beforeEach(async () => {
  tenant = await addTenant(database.db);
  await subscribe(database.uri, tenant.organizationId, receiver.url);
  receiver.received.length = 0;
});
afterAll(() => receiver.stop());

/** Waits until every event has arrived with its own id; returns missing events. */
async function missingOf(count: number): Promise<string[]> {
  const { db } = database;
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
  /** The short run tests one failure per command, the full run all. */
  const ways = rounds(failures.length, 1);

  it.each(failures.map(([how, data], way) => [how, data, way] as const))(
    'that %s loses no delivery and repeats no attempt',
    async (_how, data, way) => {
      let count = 0;
      for (const [index, [command, collection]] of commands.entries()) {
        if (index % ways !== way % ways) continue;
        const namespace = collection === '' ? {} : { namespace: `faults.${collection}` };
        await database.fail({ failCommands: [command], ...namespace, ...data }, { times: 1 });
        const events = publishedEvents(tenant.organizationId, 5);
        await database.db.collection('outboxEvents').insertMany(events);
        count += 5;
        expect(await missingOf(count)).toEqual([]);
        await database.pass();
      }
    },
  );
});
