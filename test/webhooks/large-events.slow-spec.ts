import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { serverTimestampPlaceholder } from '../../src/events/outbox/outbox-event.schema.js';
import { addTenant, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { type Respond, startReceiver } from '../support/receiver.js';
import { startWebhookService, type WebhookService } from './webhook-service.js';

const mebibyte = 1_048_576;

let service: WebhookService;

beforeAll(async () => {
  service = await startWebhookService({ BODY_LIMIT_BYTES: '4194304' });
});
afterAll(() => service.stop());

const events = () => service.db.collection('outboxEvents');

describe('an event that is too large as JSON', () => {
  const post = ({ key }: Tenant, data: object) =>
    service.api('post', '/leads').set('api-key', key).send({ recordSystemId: 'large', data });

  it('is rejected with its change even when it is small in the database', async () => {
    const tenant = await addTenant(service.db);
    // One byte each in the database, six in JSON.
    const text = '\u0001'.repeat(600_000);
    await post(tenant, { first: text }).expect(201);
    const refused = await post(tenant, { second: text }).expect(400);
    expect(refused.headers['x-error-code']).toBe('request.event_too_large');
    expect(refused.body.message).toMatch(/larger than 8 MiB/);
    const lead = await service.db.collection('leads').findOne({ recordSystemId: 'large' });
    expect(Object.keys(lead?.['data'])).toEqual(['first']);
    expect(await events().countDocuments({ organizationId: tenant.organizationId })).toBe(1);
  });
});

describe('large events', () => {
  it('are sent within the byte budget of new endpoints, without delaying small events', async () => {
    const responses: Parameters<Respond>[1][] = [];
    const large = await startReceiver((_received, response) => responses.push(response));
    const tenant = await addTenant(service.db);
    for (let number = 0; number < 2; number++) {
      await service.subscribe(tenant, `${large.url}/${number}`);
    }
    const now = new Date();
    await events().insertOne({
      organizationId: tenant.organizationId,
      type: 'lead.created',
      data: { _id: new ObjectId().toHexString(), text: 'x'.repeat(7 * mebibyte) },
      storedAt: serverTimestampPlaceholder,
      createdAt: now,
      updatedAt: now,
    });
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
    await large.stop();
  });
});
