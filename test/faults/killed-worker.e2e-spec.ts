import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { addTenant, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { kill, type ServiceProcess, startProcess } from '../support/service-process.js';
import { startTestService, type TestService } from '../support/test-service.js';
import {
  startWebhookService,
  toLoopback,
  type WebhookService,
} from '../webhooks/webhook-service.js';

let service: WebhookService;
let tenant: Tenant;
let workers: ServiceProcess[] = [];
let workersHere: TestService[] = [];
let receivers: Receiver[] = [];

const startWorker = async () => {
  const variables = { MONGODB_URI: service.databaseUri, ROLE: 'worker', ...toLoopback };
  const worker = await startProcess(variables);
  workers.push(worker);
  return worker;
};
/** One that nothing happens to needs no process of its own. */
const startWorkerHere = async () => {
  workersHere.push(await startTestService({ ROLE: 'all', ...toLoopback }, service.databaseUri));
};
const receiverWith = async (respond: Parameters<typeof startReceiver>[0] = 204) => {
  const receiver = await startReceiver(respond);
  receivers.push(receiver);
  return receiver;
};
const deliveries = () => service.db.collection('webhookDeliveries');
const ids = (receiver: Receiver) => receiver.received.map(({ headers }) => headers['webhook-id']);

beforeAll(async () => {
  // This one only serves the API; the workers are processes of their own.
  service = await startWebhookService({ ROLE: 'api' });
});
afterEach(async () => {
  for (const worker of workers) await kill(worker);
  for (const worker of workersHere) await worker.stop();
  for (const receiver of receivers) await receiver.stop();
  workers = [];
  workersHere = [];
  receivers = [];
  await service.db.collection('webhookEndpoints').deleteMany({});
  await deliveries().deleteMany({});
});
afterAll(() => service.stop());

describe('a worker that is killed', () => {
  it('while it sends, loses nothing: another one sends it again with the same id', async () => {
    tenant = await addTenant(service.db);
    // Never a response to the first one.
    const receiver = await receiverWith(() => undefined);
    const endpoint = await service.subscribe(tenant, receiver.url);
    await service.createLead(tenant);
    const killedProcess = await startWorker();
    await receiver.receivedRequests(1);
    await kill(killedProcess);
    const held = await service.deliveryOf(endpoint, { status: 'pending', attempts: 0 });
    expect(held['leaseOwner']).toEqual(expect.any(String));
    const leaseLeft = held['nextAttemptAt'].getTime() - Date.now();
    expect(leaseLeft).toBeGreaterThan(40_000);
    expect(leaseLeft).toBeLessThan(60_000);

    receiver.respondWith(204);
    await startWorkerHere();
    await service.createLead(tenant);
    // The other one is not held up by the lease.
    await receiver.receivedRequests(2);
    expect(new Set(ids(receiver)).size).toBe(2);
    // A minute later:
    await deliveries().updateOne({ _id: held._id }, { $set: { nextAttemptAt: new Date() } });
    await eventually(async () => {
      expect(await deliveries().countDocuments({ status: 'delivered' })).toBe(2);
    });
    const [first, , again] = receiver.received;
    expect(again?.body).toBe(first?.body);
    expect(ids(receiver)[2]).toBe(ids(receiver)[0]);
  });
});

describe('a worker that is stopped', () => {
  it('finishes or releases what it is sending, within ten seconds', async () => {
    tenant = await addTenant(service.db);
    let release: (() => void) | undefined;
    const slow = await receiverWith((_received, response) => {
      release = () => response.writeHead(204).end();
    });
    const silent = await receiverWith(() => undefined);
    const endpoints = [
      await service.subscribe(tenant, slow.url),
      await service.subscribe(tenant, silent.url),
    ] as const;
    await service.createLead(tenant);
    const worker = await startWorker();
    await Promise.all([slow.receivedRequests(1), silent.receivedRequests(1)]);
    const signalledAt = Date.now();
    worker.process.kill('SIGTERM');
    worker.process.kill('SIGTERM');
    await service.createLead(tenant);
    release?.();
    expect(await worker.exited).toBe(0);
    expect(Date.now() - signalledAt).toBeLessThan(10_000);
    await service.deliveryOf(endpoints[0], { status: 'delivered', attempts: 1 });
    const given = await service.deliveryOf(endpoints[1], { status: 'pending', attempts: 0 });
    expect(given).toMatchObject({ leaseOwner: null });
    expect(given['nextAttemptAt'].getTime()).toBeLessThanOrEqual(Date.now());
    expect([slow.received.length, silent.received.length]).toEqual([1, 1]);
  });
});
