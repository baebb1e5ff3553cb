import { describe, expect, it } from '@jest/globals';
import { addTenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { kill } from '../support/service-process.js';
import { useWorkers, webhookIds } from '../webhooks/workers.js';

const workers = useWorkers();

describe('a killed worker', () => {
  it('loses no delivery, which another worker sends with the same id', async () => {
    const { service } = workers;
    const tenant = await addTenant(service.db);
    // Never a response to the first one.
    const receiver = await workers.startReceiver(() => undefined);
    const endpoint = await service.subscribe(tenant, receiver.url);
    await service.createLead(tenant);
    const killedProcess = await workers.startProcess();
    await receiver.receivedRequests(1);
    await kill(killedProcess);
    await service.deliveryOf(endpoint, { status: 'pending', attempts: 0 });
    const endpoints = service.db.collection('webhookEndpoints');
    const held = await endpoints.findOne({ _id: endpoint.id });
    expect(held?.['leaseOwner']).toEqual(expect.any(String));
    expect(held?.['leasedUntil'].getTime() - Date.now()).toBeGreaterThan(30_000);
    receiver.respondWith(204);
    await workers.startHere();
    // The rest of the minute is left out, once the other worker is there.
    const leasedUntil = Date.now() + 3_000;
    const $set = { leasedUntil: new Date(leasedUntil) };
    await endpoints.updateOne({ _id: endpoint.id }, { $set });
    await service.createLead(tenant);
    // Another endpoint is not held up by the lease.
    const other = await workers.startReceiver();
    await service.subscribe(tenant, other.url);
    await service.createLead(tenant);
    await other.receivedRequests(1);
    await eventually(async () => {
      const delivered = { endpointId: endpoint.id, status: 'delivered' };
      expect(await workers.deliveries().countDocuments(delivered)).toBe(3);
    });
    const takenOverAt = receiver.received[1]?.at ?? 0;
    expect(takenOverAt).toBeGreaterThanOrEqual(leasedUntil);
    expect(takenOverAt).toBeLessThan(leasedUntil + 10_000);
    const [first, again] = receiver.received;
    expect(again?.body).toBe(first?.body);
    expect(webhookIds(receiver)[1]).toBe(webhookIds(receiver)[0]);
    expect(new Set(webhookIds(receiver)).size).toBe(3);
  });
});

describe('a stopped worker', () => {
  it('finishes or releases its deliveries within ten seconds', async () => {
    const { service } = workers;
    const tenant = await addTenant(service.db);
    let release: (() => void) | undefined;
    const slow = await workers.startReceiver((_received, response) => {
      release = () => response.writeHead(204).end();
    });
    const silent = await workers.startReceiver(() => undefined);
    const endpoints = [
      await service.subscribe(tenant, slow.url),
      await service.subscribe(tenant, silent.url),
    ] as const;
    await service.createLead(tenant);
    const worker = await workers.startProcess();
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
    expect(given['nextAttemptAt'].getTime()).toBeLessThanOrEqual(Date.now());
    expect(await service.db.collection('webhookEndpoints').distinct('leaseOwner')).toEqual([null]);
    expect([slow.received.length, silent.received.length]).toEqual([1, 1]);
  });
});
