import { afterAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { addTenant, publishedEvents } from '../support/builders.js';
import { range } from '../support/counting.js';
import { startReceiver } from '../support/receiver.js';
import { rounds } from '../support/rounds.js';
import { startProcess } from '../support/service-process.js';
import { allowLoopback } from '../webhooks/webhook-service.js';
import { startFaultDatabase } from './support/fault-database.js';
import { expectDelivered } from './support/stored-state.js';
import { subscribe } from './support/subscription.js';

const deadlineMs = 1_000;

const { db, uri, fail, recover: pass } = await startFaultDatabase();
const variables = { MONGODB_URI: uri, ROLE: 'worker', ...allowLoopback };
await startProcess({ ...variables, DATABASE_DEADLINE_MS: String(deadlineMs) });
const receiver = await startReceiver();
afterAll(() => receiver.stop());

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
const failures: readonly (readonly [string, Document])[] = [
  ['fails', { errorCode: 8 }],
  ['loses its connection', { closeConnection: true }],
  ['responds after its deadline', { blockConnection: true, blockTimeMS: 2 * deadlineMs }],
];
/** The short run tests one failure per command, the full run all of them. */
const share = rounds(failures.length, 1);

describe('a database command of the relay or a worker', () => {
  it.each(failures.map(([how, data], index) => [how, data, index] as const))(
    'that %s loses no delivery and repeats no attempt',
    async (_how, data, index) => {
      const { organizationId } = await addTenant(db);
      await subscribe(uri, organizationId, receiver.url);
      const failing = commands.filter((_, command) => command % share === index % share);
      for (const [number, [command, collection]] of failing.entries()) {
        const namespace = collection === '' ? {} : { namespace: `faults.${collection}` };
        await fail({ failCommands: [command], ...namespace, ...data }, { times: 1 });
        const count = 5 * (number + 1);
        await db.collection('outboxEvents').insertMany(publishedEvents(organizationId, 5));
        const ids = () => receiver.received.map(({ headers }) => headers['webhook-id']);
        await expectDelivered(db, organizationId, { has: (id) => ids().includes(id) });
        const deliveries = await db
          .collection('webhookDeliveries')
          .find({ organizationId })
          .toArray();
        const attempts = deliveries.map(({ attempts: made, log }) => [made, log.length]);
        expect(attempts).toEqual(range(count).map(() => [1, 1]));
        const numbers = await db
          .collection('outboxEvents')
          .distinct('sequence', { organizationId });
        expect(numbers).toEqual(range(count).map((sequence) => sequence + 1));
        await pass();
      }
    },
  );
});
