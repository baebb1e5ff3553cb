import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { Types } from 'mongoose';
import { Transactions } from '../../src/core/database/transactions/transactions.js';
import { Outbox } from '../../src/events/outbox/outbox.js';
import { WebhookDeliveriesService } from '../../src/webhooks/deliveries/webhook-deliveries.service.js';
import { WebhookRelay } from '../../src/webhooks/sending/webhook-relay.js';
import { WebhookSender } from '../../src/webhooks/sending/webhook-sender.js';
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
  it('that is rolled back emits no event', async () => {
    const { service, tenant } = webhooks;
    const receiver = await webhooks.receiverWith();
    const endpoint = await service.subscribe(tenant, receiver.url);
    const { app } = service.service;
    const data = { _id: new Types.ObjectId().toHexString() };
    const work = app.get(Transactions).run(async () => {
      await app.get(Outbox).publish(organizationOf(tenant), { type: 'lead.created', data });
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

  it('that is committed reaches every endpoint of its organization that is subscribed', async () => {
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

  it('about an existing object carries what changed', async () => {
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

  it('is relayed once, however often the relay runs', async () => {
    const { service, tenant } = webhooks;
    const receiver = await webhooks.receiverWith();
    const endpoint = await service.subscribe(tenant, receiver.url);
    await service.createLead(tenant);
    const { _id, eventId } = await service.deliveryOf(endpoint, { status: 'delivered' });
    // As after a crash between creating the deliveries and marking the event.
    await service.db
      .collection('outboxEvents')
      .updateOne({ _id: eventId }, { $set: { relayedAt: null, sequence: null } });
    await Promise.all([1, 2, 3].map(() => service.service.app.get(WebhookRelay).relay()));
    await webhooks.outboxIsEmpty();
    const deliveries = service.db.collection('webhookDeliveries').find({ endpointId: endpoint.id });
    expect((await deliveries.toArray()).map((delivery) => delivery._id)).toEqual([_id]);
    expect(receiver.received).toHaveLength(1);
  });
});

describe('a delivery', () => {
  it('that is replayed comes again with the same id and bytes, in a new round', async () => {
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

  it('is not made for an endpoint that came later, by a replay neither', async () => {
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

  it('whose worker has died is sent by another one when the lease ends', async () => {
    const { service, tenant } = webhooks;
    const receiver = await webhooks.receiverWith(500);
    const endpoint = await service.subscribe(tenant, receiver.url);
    await service.createLead(tenant);
    const { _id } = await service.deliveryOf(endpoint, { attempts: 1 });
    receiver.respondWith(204);
    await service.db.collection('webhookDeliveries').updateOne(
      { _id },
      {
        $set: { leaseOwner: 'dead', nextAttemptAt: new Date(Date.now() + 30 * day) },
      },
    );
    await service.passTime(31 * day);
    await service.deliveryOf(endpoint, { status: 'delivered', attempts: 2, leaseOwner: null });
    expect(receiver.received).toHaveLength(2);
  });

  it('is signed with the old and the new secret while they overlap', async () => {
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

describe('an endpoint whose eventTypes another program has set to null', () => {
  it('gets nothing and is shown as faulty, until it is mended; others get their events', async () => {
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
    expect(await endpoints.findOne({ _id: broken.id })).toMatchObject({
      isEnabled: true,
      fault: 'eventTypes is not a list',
    });
    expect(service.logged()).toContain(broken.id.toHexString());
    await setTypes(['*']);
    await service.createLead(tenant);
    await service.deliveryOf(broken, { status: 'delivered' });
    expect(await endpoints.findOne({ _id: broken.id })).toMatchObject({ fault: null });
  });
});

describe('an attempt that cannot be logged', () => {
  it('does not hold up those that are stored with it, and is not repeated without end', async () => {
    const { service, tenant } = webhooks;
    const { url } = await webhooks.receiverWith();
    const [broken, good] = [
      await service.subscribe(tenant, `${url}/broken`),
      await service.subscribe(tenant, `${url}/good`),
    ];
    // As no version of this service writes it.
    await service.db
      .collection('webhookEndpoints')
      .updateOne({ _id: broken.id }, { $set: { url: 5 } }, { bypassDocumentValidation: true });
    const sender = service.service.app.get(WebhookSender);
    const send = sender.send.bind(sender);
    let waiting = 0;
    let release: (() => void) | undefined;
    const both = new Promise<void>((resolve) => (release = resolve));
    sender.send = async (...parameters) => {
      const result = await send(...parameters);
      waiting += 1;
      if (waiting === 2) release?.();
      await both;
      return result;
    };
    await service.createLead(tenant);
    await service.deliveryOf(good, { status: 'delivered', attempts: 1 });
    const { _id } = await service.deliveryOf(broken, { status: 'pending', attempts: 1 });
    sender.send = send;
    const attempts = service.db.collection('webhookAttempts');
    expect(await attempts.countDocuments({ endpointId: good.id })).toBe(1);
    expect(service.logged()).toContain(_id.toHexString());
  });
});
