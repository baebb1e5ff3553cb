import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { addTenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { useWorkers, webhookIds } from '../webhooks/workers.js';

const workers = useWorkers();

describe('two workers', () => {
  it('send every event of a burst to every endpoint once', async () => {
    const { service } = workers;
    const tenant = await addTenant(service.db);
    const [first, second] = [await workers.startReceiver(), await workers.startReceiver()];
    const endpoint = await service.subscribe(tenant, first.url);
    await service.subscribe(tenant, second.url);
    for (let round = 0; round < 5; round++) {
      await Promise.all(Array.from({ length: 8 }, () => service.createLead(tenant)));
    }
    expect(first.received).toEqual([]);
    await Promise.all([workers.startWorker(), workers.startWorker()]);
    await eventually(async () => {
      expect(await workers.deliveries().countDocuments({ status: 'delivered' })).toBe(80);
    });
    for (const receiver of [first, second]) {
      expect(receiver.received).toHaveLength(40);
      expect(new Set(webhookIds(receiver)).size).toBe(40);
    }
    for (const { body, headers } of first.received) {
      new Webhook(endpoint.secret).verify(body, headers);
    }
    expect(await workers.deliveries().countDocuments()).toBe(80);
    const stored = await workers.deliveries().find().toArray();
    expect(stored.flatMap(({ log }) => log as unknown[])).toHaveLength(80);
  });
});
