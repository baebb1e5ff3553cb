import { describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { addTenant, publishedEvents, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { rounds } from '../support/rounds.js';
import { EventRelay } from '../../src/events/outbox/event-relay.js';
import { startWebhookService, useWebhooks } from './webhook-service.js';

const webhooks = useWebhooks({
  // Of eight attempts at a time, new endpoints get four and slow ones two.
  WEBHOOKS_CONCURRENCY: '8',
  // The timeout is long, so that hanging attempts stay open even on a busy machine.
  WEBHOOKS_TIMEOUT_MS: '30000',
  BODY_LIMIT_BYTES: '4194304',
});
const { addEndpoint, addReceiver, collection } = webhooks;

/** Adds twenty endpoints whose receiver never responds, and sends an event to each. */
async function addHangingEndpoints(owner: Tenant, latencyClass: 'new' | 'slow') {
  const hanging = await addReceiver(() => undefined);
  for (let number = 0; number < 20; number++) {
    await webhooks.service.subscribe(owner, `${hanging.url}/${number}`);
  }
  const { organizationId } = owner;
  await collection('webhookEndpoints').updateMany({ organizationId }, { $set: { latencyClass } });
  await webhooks.service.createLead(owner);
  return hanging;
}

describe('the backlog of an organization', () => {
  it('does not delay the events of another organization', async () => {
    const { service, tenant: quiet } = webhooks;
    const busy = await addTenant(service.db);
    const endpoint = await addEndpoint();
    const events = collection('outboxEvents');
    const { organizationId } = busy;
    const count = rounds(5_000, 100_000);
    for (let stored = 0; stored < count; stored += 5_000) {
      await events.insertMany(publishedEvents(organizationId, 5_000));
    }
    await service.createLead(quiet);
    const committedAt = new Date();
    await endpoint.receivedRequests(1);
    const event = await events.findOne({ organizationId: quiet.organizationId });
    const numberedAt = { $gt: committedAt, $lt: event?.['numberedAt'] as Date };
    // The relay numbers 250 events per batch: it may finish the current batch and one more.
    expect(await events.countDocuments({ organizationId, numberedAt })).toBeLessThanOrEqual(500);
    await events.deleteMany({ organizationId, sequence: null });
    await eventually(async () => {
      expect(await service.service.app.get(EventRelay).relayNext()).toBe(false);
    });
  });
});

describe('slow endpoints', () => {
  it('get a quarter of the attempts, even in a process that never sent to them', async () => {
    const { service, tenant } = webhooks;
    const hanging = await addHangingEndpoints(tenant, 'slow');
    await hanging.receivedRequests(2);
    const other = await addTenant(service.db);
    const good = await addEndpoint(204, { owner: other });
    for (let sent = 1; sent <= 3; sent++) {
      await service.createLead(other);
      await good.receivedRequests(sent);
    }
    expect(hanging.received).toHaveLength(2);
    await eventually(async () => {
      expect(await good.stored()).toMatchObject({ latencyClass: expect.any(String) });
    });
  });
});

describe('WEBHOOKS_CONCURRENCY', () => {
  it('limits the attempts of a process, and those to new endpoints to half of them', async () => {
    const { service, tenant } = webhooks;
    const hanging = await addHangingEndpoints(tenant, 'new');
    // Fast endpoints may use all slots that are free when their deliveries are due.
    await hanging.receivedRequests(4);
    const other = await addTenant(service.db);
    const open: ServerResponse[] = [];
    const fast = await addReceiver((_received, response) => open.push(response));
    for (let number = 0; number < 8; number++) {
      await service.subscribe(other, `${fast.url}/${number}`);
    }
    const { organizationId } = other;
    const $set = { latencyClass: 'fast' };
    await collection('webhookEndpoints').updateMany({ organizationId }, { $set });
    await service.createLead(other);
    await fast.receivedRequests(4);
    // All eight attempts are open. Without the limit, a ninth would have started, too.
    expect([hanging.received.length, fast.received.length]).toEqual([4, 4]);
    for (const response of open.splice(0)) response.writeHead(204).end();
    await fast.receivedRequests(8);
    expect(hanging.received).toHaveLength(4);
    for (const response of open) response.writeHead(204).end();
  });
});

describe('large events', () => {
  it('are refused with their change when only their JSON is too large', async () => {
    const { service } = webhooks;
    const { key, organizationId } = await addTenant(service.db);
    const post = (data: object) =>
      service.api('post', '/leads').set('api-key', key).send({ recordSystemId: 'large', data });
    // This character takes one byte in the database and six in JSON.
    const text = '\u0001'.repeat(600_000);
    await post({ first: text }).expect(201);
    const refused = await post({ second: text }).expect(400);
    expect(refused.headers['x-error-code']).toBe('request.event_too_large');
    const lead = await collection('leads').findOne({ organizationId });
    expect(Object.keys(lead?.['data'])).toEqual(['first']);
    expect(await collection('outboxEvents').countDocuments({ organizationId })).toBe(1);
  });

  it('are sent within the byte budget of new endpoints, without delaying small events', async () => {
    const { service, tenant } = webhooks;
    const responses: ServerResponse[] = [];
    const large = await addReceiver((_received, response) => responses.push(response));
    for (const number of [0, 1]) await service.subscribe(tenant, `${large.url}/${number}`);
    const data = { text: 'x'.repeat(7 * 1_048_576) };
    const { organizationId } = tenant;
    await collection('outboxEvents').insertMany(publishedEvents(organizationId, 1, { data }));
    await large.receivedRequests(1);
    const other = await addTenant(service.db);
    const small = await addEndpoint(204, { owner: other });
    await service.createLead(other);
    await small.receivedRequests(1);
    expect(large.received).toHaveLength(1);
    large.respondWith(204);
    for (const response of responses) response.writeHead(204).end();
    await large.receivedRequests(2);
  });
});

describe('an event of another process', () => {
  it('is numbered and sent within one second, with or without an endpoint', async () => {
    const { service, tenant } = webhooks;
    const endpoint = await addEndpoint();
    const other = await startWebhookService({ ROLE: 'api' }, service.databaseUri);
    const withoutEndpoint = await addTenant(service.db);
    const delays: number[] = [];
    for (const one of [tenant, withoutEndpoint, tenant]) {
      const storedAt = performance.now();
      await other.createLead(one);
      await webhooks.waitForFanOut();
      delays.push(performance.now() - storedAt);
    }
    // A busy machine may delay single events, so only the fastest counts.
    expect(Math.min(...delays)).toBeLessThan(1_000);
    await endpoint.receivedRequests(2);
    await other.stop();
  });
});
