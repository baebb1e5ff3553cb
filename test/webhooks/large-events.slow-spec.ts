import { afterEach, describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { WebhookRelay } from '../../src/webhooks/sending/webhook-relay.js';
import { addTenant, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { type Receiver, type Respond, startReceiver } from '../support/receiver.js';
import { startWebhookService, type WebhookService } from './webhook-service.js';

const mebibyte = 1_048_576;

let service: WebhookService;
let receiver: Receiver | undefined;

afterEach(async () => {
  await receiver?.stop();
  receiver = undefined;
  await service.stop();
});

const events = () => service.db.collection('outboxEvents');

async function addEvents({ organizationId }: Tenant, count: number, bytes: number) {
  const now = new Date();
  const event = { organizationId, type: 'lead.created', isDeleted: false, relayedAt: null };
  const text = 'x'.repeat(bytes);
  for (let number = 0; number < count; number++) {
    const data = { _id: new ObjectId().toHexString(), text };
    await events().insertOne({ ...event, data, createdAt: now, updatedAt: now });
  }
}

describe('large events', () => {
  it('are relayed in batches of at most 16 MiB', async () => {
    service = await startWebhookService({ ROLE: 'api' });
    await addEvents(await addTenant(service.db), 4, 4 * mebibyte);
    const relay = service.service.app.get(WebhookRelay);
    const waiting: number[] = [];
    for (let hasMore = true; hasMore;) {
      ({ hasMore } = await relay.relay());
      waiting.push(await events().countDocuments({ sequence: null }));
    }
    expect(waiting).toEqual([1, 0]);
  });

  it('are sent so many at a time as fit into the bytes for new endpoints, and small ones do not wait', async () => {
    service = await startWebhookService();
    const responses: Parameters<Respond>[1][] = [];
    const large = await startReceiver((_received, response) => responses.push(response));
    receiver = large;
    const tenant = await addTenant(service.db);
    for (let number = 0; number < 2; number++) {
      await service.subscribe(tenant, `${large.url}/${number}`);
    }
    await addEvents(tenant, 1, 7 * mebibyte);
    await large.receivedRequests(1);
    const other = await addTenant(service.db);
    const small = await startReceiver();
    await service.subscribe(other, small.url);
    await service.createLead(other);
    await small.receivedRequests(1);
    await small.stop();
    expect(large.received).toHaveLength(1);
    large.respondWith(204);
    for (const response of responses) response.writeHead(204).end();
    await large.receivedRequests(2);
    await eventually(async () => {
      const pending = service.db.collection('webhookDeliveries').countDocuments({
        organizationId: tenant.organizationId,
        status: 'pending',
      });
      expect(await pending).toBe(0);
    });
  });
});
