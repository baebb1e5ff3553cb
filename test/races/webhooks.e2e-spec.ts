import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { addTenant, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { startTestService, type TestService } from '../support/test-service.js';
import {
  startWebhookService,
  toLoopback,
  type WebhookService,
} from '../webhooks/webhook-service.js';

let service: WebhookService;
let tenant: Tenant;
let workers: TestService[] = [];
let receivers: Receiver[] = [];

const startWorker = async () => {
  workers.push(await startTestService({ ROLE: 'all', ...toLoopback }, service.databaseUri));
};
const receiverWith = async (respond: Parameters<typeof startReceiver>[0] = 204) => {
  const receiver = await startReceiver(respond);
  receivers.push(receiver);
  return receiver;
};
const deliveries = () => service.db.collection('webhookDeliveries');
const ids = (receiver: Receiver) => receiver.received.map(({ headers }) => headers['webhook-id']);

beforeAll(async () => {
  // This one only serves the API.
  service = await startWebhookService({ ROLE: 'api' });
});
afterEach(async () => {
  for (const worker of workers) await worker.stop();
  for (const receiver of receivers) await receiver.stop();
  workers = [];
  receivers = [];
  await service.db.collection('webhookEndpoints').deleteMany({});
  await deliveries().deleteMany({});
});
afterAll(() => service.stop());

describe('two workers', () => {
  it('share a burst: every event reaches every endpoint once, verified', async () => {
    tenant = await addTenant(service.db);
    const [first, second] = [await receiverWith(), await receiverWith()];
    const endpoint = await service.subscribe(tenant, first.url);
    await service.subscribe(tenant, second.url);
    for (let round = 0; round < 5; round++) {
      await Promise.all(Array.from({ length: 8 }, () => service.createLead(tenant)));
    }
    expect(first.received).toEqual([]);
    await Promise.all([startWorker(), startWorker()]);
    await eventually(async () => {
      expect(await deliveries().countDocuments({ status: 'delivered' })).toBe(80);
    });
    for (const receiver of [first, second]) {
      expect(receiver.received).toHaveLength(40);
      expect(new Set(ids(receiver)).size).toBe(40);
    }
    for (const { body, headers } of first.received) {
      new Webhook(endpoint.secret).verify(body, headers);
    }
    expect(await deliveries().countDocuments()).toBe(80);
    expect(await service.db.collection('webhookAttempts').countDocuments()).toBe(80);
  });
});

describe('a worker that was killed', () => {
  it('while it relayed events loses nothing and doubles nothing', async () => {
    tenant = await addTenant(service.db);
    const receiver = await receiverWith();
    await service.subscribe(tenant, receiver.url);
    await Promise.all(Array.from({ length: 5 }, () => service.createLead(tenant)));
    // As a killed relay leaves them: leased, not marked.
    const outbox = service.db.collection('outboxEvents');
    await outbox.updateMany(
      { relayedAt: null },
      { $set: { leaseOwner: 'killed', leasedUntil: new Date(Date.now() + 1_000) } },
    );
    await startWorker();
    await receiver.receivedRequests(5);
    await eventually(async () => {
      expect(await outbox.countDocuments({ sequence: null })).toBe(0);
    });
    expect(new Set(ids(receiver)).size).toBe(5);
    expect(receiver.received).toHaveLength(5);
  });
});
