import { describe, expect, it } from '@jest/globals';
import { addTenant, publishedEvents } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import type { Respond } from '../support/receiver.js';
import { useWebhooks } from './webhook-service.js';

const webhooks = useWebhooks({ BODY_LIMIT_BYTES: '4194304' });
const { receiverWith } = webhooks;

describe('an event that is too large as JSON', () => {
  it('is rejected with its change even when it is small in the database', async () => {
    const { service } = webhooks;
    const { key, organizationId } = await addTenant(service.db);
    const post = (data: object) =>
      service.api('post', '/leads').set('api-key', key).send({ recordSystemId: 'large', data });
    // One byte each in the database, six in JSON.
    const text = '\u0001'.repeat(600_000);
    await post({ first: text }).expect(201);
    const refused = await post({ second: text }).expect(400);
    expect(refused.headers['x-error-code']).toBe('request.event_too_large');
    expect(refused.body.message).toMatch(/larger than 8 MiB/);
    const lead = await service.db.collection('leads').findOne({ recordSystemId: 'large' });
    expect(Object.keys(lead?.['data'])).toEqual(['first']);
    const events = service.db.collection('outboxEvents');
    expect(await events.countDocuments({ organizationId })).toBe(1);
  });
});

describe('large events', () => {
  it('are sent within the byte budget of new endpoints, without delaying small events', async () => {
    const { service, tenant } = webhooks;
    const responses: Parameters<Respond>[1][] = [];
    const large = await receiverWith((_received, response) => responses.push(response));
    for (const number of [0, 1]) await service.subscribe(tenant, `${large.url}/${number}`);
    const data = { text: 'x'.repeat(7 * 1_048_576) };
    const events = publishedEvents(tenant.organizationId, 1, { data });
    await service.db.collection('outboxEvents').insertMany(events);
    await large.receivedRequests(1);
    const other = await addTenant(service.db);
    const small = await receiverWith();
    await service.subscribe(other, small.url);
    await service.createLead(other);
    await small.receivedRequests(1);
    expect(large.received).toHaveLength(1);
    large.respondWith(204);
    for (const response of responses) response.writeHead(204).end();
    await large.receivedRequests(2);
    await eventually(async () => {
      const pending = { organizationId: tenant.organizationId, status: 'pending' };
      expect(await service.db.collection('webhookDeliveries').countDocuments(pending)).toBe(0);
    });
  });
});
