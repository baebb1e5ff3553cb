import { describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { WebhookWorker } from '../../src/webhooks/sending/webhook-worker.js';
import { addTenant } from '../support/builders.js';
import { startWebhookService, useWebhooks } from './webhook-service.js';

const webhooks = useWebhooks();

describe('pending deliveries', () => {
  it('do not slow down the search for due deliveries', async () => {
    const { db, service } = webhooks.service;
    const worker = service.app.get(WebhookWorker);
    const deliveries = db.collection('webhookDeliveries');
    const times = { createdAt: new Date(), updatedAt: new Date() };
    const fields = { type: 'lead.created', bytes: 100, round: 1, attempts: 1, log: [] };
    const inAnHour = { status: 'pending', nextAttemptAt: new Date(Date.now() + 3_600_000) };
    await deliveries.insertMany(
      Array.from({ length: 2_000 }, () => ({
        ...fields,
        ...inAnHour,
        ...times,
        organizationId: new ObjectId(),
        endpointId: new ObjectId(),
        eventId: new ObjectId(),
      })),
    );
    await worker.deliverDue();
    await db.command({ profile: 2 });
    await worker.deliverDue();
    await db.command({ profile: 0 });
    const ns = `${db.databaseName}.webhookDeliveries`;
    const looks = await db.collection('system.profile').find({ ns, op: 'query' }).toArray();
    expect(looks.length).toBeGreaterThan(0);
    for (const { keysExamined, docsExamined } of looks) {
      expect(keysExamined + docsExamined).toBeLessThan(100);
    }
    await deliveries.deleteMany(inAnHour);
  });
});

describe('an event of another process', () => {
  it('is numbered and sent within one second, with or without an endpoint', async () => {
    const { service, tenant } = webhooks;
    const receiver = await webhooks.receiverWith();
    await service.subscribe(tenant, receiver.url);
    const other = await startWebhookService({ ROLE: 'api' }, service.databaseUri);
    const unheard = await addTenant(service.db);
    const delays: number[] = [];
    for (const one of [tenant, unheard, tenant]) {
      const storedAt = performance.now();
      await other.createLead(one);
      await webhooks.outboxIsEmpty();
      delays.push(performance.now() - storedAt);
    }
    // The quickest: a busy machine makes single ones late.
    expect(Math.min(...delays)).toBeLessThan(1_000);
    await receiver.receivedRequests(2);
    expect(await service.db.collection('webhookDeliveries').countDocuments()).toBe(2);
    await other.stop();
  });
});
