import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OutboxChangeStream } from '../../src/webhooks/outbox/outbox-change-stream.js';
import { addTenant, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { startWebhookService, type WebhookService } from './webhook-service.js';

let service: WebhookService;
let tenant: Tenant;
let receiver: Receiver;

beforeAll(async () => {
  service = await startWebhookService();
  tenant = await addTenant(service.db);
  receiver = await startReceiver();
  await service.subscribe(tenant, receiver.url);
});
afterAll(async () => {
  await receiver.stop();
  await service.stop();
});

describe('an event', () => {
  it('that nobody is subscribed to is kept for a day', async () => {
    const events = service.db.collection('outboxEvents');
    const unheard = await addTenant(service.db);
    await service.createLead(unheard);
    await service.createLead(tenant);
    await receiver.receivedRequests(1);
    await eventually(async () => {
      expect(await events.countDocuments({ relayedAt: null })).toBe(0);
    });
    const eventOf = ({ organizationId }: Tenant) => events.findOne({ organizationId });
    const event = await eventOf(unheard);
    expect(event?.['expiresAt'] - event?.['relayedAt']).toBe(86_400_000);
    expect(await eventOf(tenant)).not.toHaveProperty('expiresAt');
    const expiry = (await events.indexes()).find(({ key }) => 'expiresAt' in key);
    expect(expiry).toMatchObject({ expireAfterSeconds: 0 });
  });

  it('of another process wakes the worker through the change stream', async () => {
    const other = await startWebhookService({ ROLE: 'api' }, service.databaseUri);
    await other.createLead(tenant);
    const [, request] = await receiver.receivedRequests(2);
    expect(request?.headers['webhook-id']).toMatch(/^msg_/);
    await other.stop();
  });

  it('is found by polling while there is no stream', async () => {
    await service.service.app.get(OutboxChangeStream).stop();
    await service.createLead(tenant);
    await receiver.receivedRequests(3);
    expect(receiver.received).toHaveLength(3);
  });
});
