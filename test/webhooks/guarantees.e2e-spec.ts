import { describe, expect, it, jest } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { Types } from 'mongoose';
import { Transactions } from '../../src/core/database/transactions/transactions.js';
import { Outbox } from '../../src/events/outbox/outbox.js';
import { WebhookDeliveriesService } from '../../src/webhooks/deliveries/webhook-deliveries.service.js';
import { DeliveryQueueRepository } from '../../src/webhooks/deliveries/delivery-queue.repository.js';
import { WebhookStatisticsService } from '../../src/webhooks/statistics/webhook-statistics.service.js';
import { addTenant, type Tenant } from '../support/builders.js';
import type { Received } from '../support/receiver.js';
import { useWebhooks } from './webhook-service.js';

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
const day = 24 * hour;

const webhooks = useWebhooks();

const organizationOf = ({ organizationId }: Tenant) =>
  new Types.ObjectId(organizationId.toHexString());
const signaturesOf = (received?: Received) => received?.headers['webhook-signature']?.split(' ');
/** Verifying would reject a time that the test has moved. */
const signatureOf = (received: Received | undefined, secret: string) => {
  const { 'webhook-id': id = '', 'webhook-timestamp': at } = received?.headers ?? {};
  return new Webhook(secret).sign(id, new Date(Number(at) * second), received?.body ?? '');
};

describe('a change', () => {
  it('emits no event when it is rolled back', async () => {
    const { service, tenant } = webhooks;
    const receiver = await webhooks.receiverWith();
    const endpoint = await service.subscribe(tenant, receiver.url);
    const { app } = service.service;
    const data = { _id: new Types.ObjectId().toHexString() };
    const work = app.get(Transactions).run(async () => {
      const event = { type: 'lead.created', data } as const;
      await app.get(Outbox).publish(organizationOf(tenant), [event], new Date());
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
    await service.createLead(tenant, 'committed');
    const [only, ...others] = await receiver.receivedRequests(1);
    expect(JSON.parse(only?.body ?? '').data.recordSystemId).toBe('committed');
    await webhooks.outboxIsEmpty();
    expect(others).toEqual([]);
    await service.deliveryOf(endpoint, { status: 'delivered' });
  });

  it('reaches every subscribed endpoint of its organization when it is committed', async () => {
    const { service, tenant } = webhooks;
    const otherTenant = await addTenant(service.db);
    const [all, leads, clients, off, foreign] = await Promise.all([
      webhooks.receiverWith(),
      webhooks.receiverWith(),
      webhooks.receiverWith(),
      webhooks.receiverWith(),
      webhooks.receiverWith(),
    ]);
    const endpoint = await service.subscribe(tenant, all.url, ['*']);
    await service.subscribe(tenant, leads.url, ['lead.*']);
    await service.subscribe(tenant, clients.url, ['client.created', 'lead.updated']);
    const disabled = await service.subscribe(tenant, off.url, ['*']);
    await service.endpoints.disable(disabled.id);
    await service.subscribe(otherTenant, foreign.url, ['*']);
    await service.createLead(tenant, 'published');

    const [request] = await all.receivedRequests(1);
    expect(await leads.receivedRequests(1)).toHaveLength(1);
    expect(request).toMatchObject({ method: 'POST', path: '/hook' });
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': expect.stringMatching(/^msg_[0-9a-f]{24}$/),
    });
    const verified = new Webhook(endpoint.secret).verify(
      request?.body ?? '',
      request?.headers ?? {},
    );
    expect(verified).toEqual({
      type: 'lead.created',
      timestamp: expect.stringMatching(/^\d{4}-.+Z$/),
      data: expect.objectContaining({ recordSystemId: 'published', data: { source: 'form' } }),
    });
    expect(leads.received[0]?.headers['webhook-id']).toBe(request?.headers['webhook-id']);
    await webhooks.outboxIsEmpty();
    expect([clients.received, off.received, foreign.received]).toEqual([[], [], []]);
  });

  it('is listed under changes when an object is updated', async () => {
    const { service, tenant } = webhooks;
    const receiver = await webhooks.receiverWith();
    await service.createLead(tenant, 'changing');
    await service.subscribe(tenant, receiver.url, ['lead.updated']);
    const body = { recordSystemId: 'changing', data: { constructor: [1, { $set: null }] } };
    await service.api('post', '/leads').set('api-key', tenant.key).send(body).expect(200);
    const [request] = await receiver.receivedRequests(1);
    expect(JSON.parse(request?.body ?? '')).toMatchObject({
      type: 'lead.updated',
      data: { data: { source: 'form', constructor: [1, { $set: null }] } },
      changes: [{ field: 'data.constructor', from: null, to: [1, { $set: null }] }],
    });
  });
});

describe('a delivery', () => {
  it('is replayed with the same id and bytes in a new round', async () => {
    const { service, tenant } = webhooks;
    const receiver = await webhooks.receiverWith();
    const endpoint = await service.subscribe(tenant, receiver.url);
    await service.createLead(tenant);
    const { _id } = await service.deliveryOf(endpoint, { status: 'delivered' });
    const deliveries = service.service.app.get(WebhookDeliveriesService);
    expect(await deliveries.replay(endpoint.document, { _id })).toBe(1);
    await service.passTime(0);
    await service.deliveryOf(endpoint, { status: 'delivered', round: 2, attempts: 1 });
    const [first, again] = receiver.received;
    expect([again?.body, again?.headers['webhook-id']]).toEqual([
      first?.body,
      first?.headers['webhook-id'],
    ]);
    expect(await webhooks.attemptsOf(_id)).toMatchObject([{ round: 1 }, { round: 2 }]);
  });

  it('is never created for an endpoint added after the event, not even by a replay', async () => {
    const { service, tenant } = webhooks;
    const earlier = await service.subscribe(tenant, (await webhooks.receiverWith()).url);
    await service.createLead(tenant, 'before');
    await service.deliveryOf(earlier, { status: 'delivered' });
    const late = await webhooks.receiverWith();
    const endpoint = await service.subscribe(tenant, late.url);
    const deliveries = service.service.app.get(WebhookDeliveriesService);
    expect(await deliveries.replay(endpoint.document, { since: new Date(0) })).toBe(0);
    await service.createLead(tenant, 'after');
    const [first] = await late.receivedRequests(1);
    expect(JSON.parse(first?.body ?? '').data.recordSystemId).toBe('after');
  });

  it('is sent by another worker when the lease of a killed worker expires', async () => {
    const { service, tenant } = webhooks;
    const receiver = await webhooks.receiverWith(500);
    const endpoint = await service.subscribe(tenant, receiver.url);
    await service.createLead(tenant);
    await service.deliveryOf(endpoint, { attempts: 1 });
    receiver.respondWith(204);
    const endpoints = service.db.collection('webhookEndpoints');
    const lease = { leaseOwner: 'dead', leasedUntil: new Date(Date.now() + minute) };
    await endpoints.updateOne({ _id: endpoint.id }, { $set: lease });
    await service.passTime(31 * day);
    const other = await webhooks.receiverWith();
    await service.subscribe(tenant, other.url);
    await service.createLead(tenant);
    await other.receivedRequests(1);
    expect(receiver.received).toHaveLength(1);
    // By the clock of the server, whatever that of the process says.
    await endpoints.updateOne({ _id: endpoint.id }, { $set: { leasedUntil: new Date() } });
    await service.deliveryOf(endpoint, { status: 'delivered', attempts: 2 });
    await receiver.receivedRequests(3);
  });

  it('is not attempted when the endpoint lease expires before the attempt would end', async () => {
    const { service, tenant } = webhooks;
    const receiver = await webhooks.receiverWith();
    const queue = service.service.app.get(DeliveryQueueRepository);
    const [now, lease] = [performance.now.bind(performance), queue.lease.bind(queue)];
    let passed = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + passed);
    const leases = jest.spyOn(queue, 'lease').mockImplementation(async (id) => {
      const endpoint = await lease(id);
      if (leases.mock.calls.length < 4) passed += 50 * second;
      return endpoint;
    });
    const endpoint = await service.subscribe(tenant, receiver.url);
    await service.createLead(tenant);
    await service.deliveryOf(endpoint, { status: 'delivered', attempts: 1 });
    // The worker may already have looked for more.
    expect(leases.mock.calls.length).toBeGreaterThanOrEqual(4);
    expect(receiver.received).toHaveLength(1);
    leases.mockRestore();
    clock.mockRestore();
  });

  it('gets a whole new round when it is replayed during an attempt', async () => {
    const { service, tenant } = webhooks;
    let answer: (() => void) | undefined;
    const receiver = await webhooks.receiverWith((_received, response) => {
      answer = () => response.writeHead(500).end();
    });
    const endpoint = await service.subscribe(tenant, receiver.url);
    await service.createLead(tenant);
    await receiver.receivedRequests(1);
    const { _id } = await service.deliveryOf(endpoint, { attempts: 0 });
    const deliveries = service.service.app.get(WebhookDeliveriesService);
    expect(await deliveries.replay(endpoint.document, { _id })).toBe(1);
    receiver.respondWith(204);
    answer?.();
    await service.deliveryOf(endpoint, { status: 'delivered', round: 2, attempts: 1 });
    expect(await webhooks.attemptsOf(_id)).toMatchObject([
      { round: 1, attempt: 1, statusCode: 500 },
      { round: 2, attempt: 1, statusCode: 204 },
    ]);
  });

  it('is signed with the old and the new secret during the overlap', async () => {
    const { service, tenant } = webhooks;
    const receiver = await webhooks.receiverWith();
    const endpoint = await service.subscribe(tenant, receiver.url);
    const rotated = await service.endpoints.rotateSecret(endpoint.id, 24 * hour);
    const [newer, older] = [rotated?.secret ?? '', endpoint.secret];
    await service.createLead(tenant);
    const [during] = await receiver.receivedRequests(1);
    expect(signaturesOf(during)).toEqual([signatureOf(during, newer), signatureOf(during, older)]);
    await service.passTime(24 * hour + minute);
    await service.createLead(tenant);
    const [, after] = await receiver.receivedRequests(2);
    expect(signaturesOf(after)).toEqual([signatureOf(after, newer)]);
  });
});

describe('an endpoint with eventTypes: null', () => {
  it('is shown as faulty and gets no events until it is corrected', async () => {
    const { service, tenant } = webhooks;
    const { url } = await webhooks.receiverWith();
    const [broken, good] = [
      await service.subscribe(tenant, `${url}/broken`),
      await service.subscribe(tenant, `${url}/good`),
    ];
    const endpoints = service.db.collection('webhookEndpoints');
    const setTypes = (eventTypes: string[] | null) =>
      endpoints.updateOne({ _id: broken.id }, { $set: { eventTypes } });
    await setTypes(null);
    await service.createLead(tenant);
    await service.deliveryOf(good, { status: 'delivered' });
    const shown = async () => (await service.endpoints.show(broken.document._id))?.shown;
    const fault = 'eventTypes is not a list';
    expect(await shown()).toMatchObject({ isEnabled: true, fault });
    const failing = await service.service.app.get(WebhookStatisticsService).failingEndpoints(10);
    expect(failing).toMatchObject([{ endpoint: { _id: broken.id.toHexString(), fault } }]);
    await setTypes(['*']);
    await service.createLead(tenant);
    await service.deliveryOf(broken, { status: 'delivered' });
    expect(await shown()).toMatchObject({ fault: null });
  });
});
