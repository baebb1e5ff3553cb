import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { addTenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { useWorkers, webhookIds } from '../webhooks/workers.js';

const workers = useWorkers();

describe('two workers', () => {
  it('share a burst: every event reaches every endpoint once, verified', async () => {
    const { service } = workers;
    const tenant = await addTenant(service.db);
    const [first, second] = [await workers.startReceiver(), await workers.startReceiver()];
    const endpoint = await service.subscribe(tenant, first.url);
    await service.subscribe(tenant, second.url);
    for (let round = 0; round < 5; round++) {
      await Promise.all(Array.from({ length: 8 }, () => service.createLead(tenant)));
    }
    expect(first.received).toEqual([]);
    await Promise.all([workers.startHere(), workers.startHere()]);
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
    expect(await service.db.collection('webhookAttempts').countDocuments()).toBe(80);
  });
});

describe('a worker that was killed', () => {
  it('while it relayed events loses nothing and doubles nothing', async () => {
    const { service } = workers;
    const tenant = await addTenant(service.db);
    const receiver = await workers.startReceiver();
    await service.subscribe(tenant, receiver.url);
    await Promise.all(Array.from({ length: 5 }, () => service.createLead(tenant)));
    // As a killed relay leaves them: leased, not marked.
    const outbox = service.db.collection('outboxEvents');
    await outbox.updateMany(
      { relayedAt: null },
      { $set: { leaseOwner: 'killed', leasedUntil: new Date(Date.now() + 1_000) } },
    );
    await workers.startHere();
    await receiver.receivedRequests(5);
    await eventually(async () => {
      expect(await outbox.countDocuments({ sequence: null })).toBe(0);
    });
    expect(new Set(webhookIds(receiver)).size).toBe(5);
    expect(receiver.received).toHaveLength(5);
  });
});
