import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { Types } from 'mongoose';
import { Transactions } from '../../src/database/transactions/transactions.js';
import { Outbox } from '../../src/webhooks/outbox/outbox.js';
import { WebhookDeliveriesService } from '../../src/webhooks/deliveries/webhook-deliveries.service.js';
import { WebhookRelay } from '../../src/webhooks/outbox/webhook-relay.js';
import { addTenant, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { type Received, type Receiver, startReceiver } from '../support/receiver.js';
import { startWebhookService, type WebhookService } from './webhook-service.js';

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
const day = 24 * hour;

let service: WebhookService;
let tenant: Tenant;
let receivers: Receiver[] = [];

beforeAll(async () => {
  service = await startWebhookService();
  tenant = await addTenant(service.db);
});
afterEach(async () => {
  // What is not relayed yet would go to the endpoints of the next test.
  await outboxIsEmpty();
  await Promise.all(receivers.map((receiver) => receiver.stop()));
  receivers = [];
  await service.db.collection('webhookEndpoints').deleteMany({});
});
afterAll(() => service.stop());

async function receiverWith(respond: Parameters<typeof startReceiver>[0] = 204): Promise<Receiver> {
  const receiver = await startReceiver(respond);
  receivers.push(receiver);
  return receiver;
}

const endpointNow = (id: Types.ObjectId) =>
  service.db.collection('webhookEndpoints').findOne({ _id: id });
const attemptsOf = (deliveryId: Types.ObjectId) =>
  service.db.collection('webhookAttempts').find({ deliveryId }).sort({ startedAt: 1 }).toArray();
const organizationOf = ({ organizationId }: Tenant) =>
  new Types.ObjectId(organizationId.toHexString());
const signaturesOf = (received?: Received) => received?.headers['webhook-signature']?.split(' ');
/** Verifying would reject a time that the test has moved. */
const signatureOf = (received: Received | undefined, secret: string) => {
  const { 'webhook-id': id = '', 'webhook-timestamp': at } = received?.headers ?? {};
  return new Webhook(secret).sign(id, new Date(Number(at) * second), received?.body ?? '');
};
const outboxIsEmpty = () =>
  eventually(async () => {
    const waiting = await service.db.collection('outboxEvents').countDocuments({ sequence: null });
    expect(waiting).toBe(0);
  });

describe('a change', () => {
  it('that is rolled back emits no event', async () => {
    const receiver = await receiverWith();
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
    await outboxIsEmpty();
    expect(others).toEqual([]);
    await service.deliveryOf(endpoint, { status: 'delivered' });
  });

  it('that is committed reaches every endpoint of its organization that is subscribed', async () => {
    const otherTenant = await addTenant(service.db);
    const [all, leads, clients, off, foreign] = await Promise.all([
      receiverWith(),
      receiverWith(),
      receiverWith(),
      receiverWith(),
      receiverWith(),
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
    await outboxIsEmpty();
    expect([clients.received, off.received, foreign.received]).toEqual([[], [], []]);
  });

  it('about an existing object carries what changed', async () => {
    const receiver = await receiverWith();
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
    const receiver = await receiverWith();
    const endpoint = await service.subscribe(tenant, receiver.url);
    await service.createLead(tenant);
    const { _id, eventId } = await service.deliveryOf(endpoint, { status: 'delivered' });
    // As after a crash between creating the deliveries and marking the event.
    await service.db
      .collection('outboxEvents')
      .updateOne({ _id: eventId }, { $set: { relayedAt: null, sequence: null } });
    await Promise.all([1, 2, 3].map(() => service.service.app.get(WebhookRelay).relay()));
    await outboxIsEmpty();
    const deliveries = service.db.collection('webhookDeliveries').find({ endpointId: endpoint.id });
    expect((await deliveries.toArray()).map((delivery) => delivery._id)).toEqual([_id]);
    expect(receiver.received).toHaveLength(1);
  });
});

describe('a receiver', () => {
  it('that fails gets the same id and the same bytes again, freshly signed', async () => {
    const receiver = await receiverWith(500);
    const endpoint = await service.subscribe(tenant, receiver.url);
    await service.createLead(tenant);
    const failed = await service.deliveryOf(endpoint, { attempts: 1 });
    const wait = failed['nextAttemptAt'].getTime() - failed['lastAttemptAt'].getTime();
    expect(wait).toBeGreaterThan(3.9 * second);
    expect(wait).toBeLessThan(7 * second);
    receiver.respondWith((_received, response) => response.writeHead(200).end('thanks'));
    await service.passTime(7 * second);
    const { _id } = await service.deliveryOf(endpoint, { status: 'delivered', attempts: 2 });
    const [first, again] = receiver.received;
    expect(again?.body).toBe(first?.body);
    expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(again?.headers['webhook-timestamp']).not.toBe(first?.headers['webhook-timestamp']);
    expect(await attemptsOf(_id)).toMatchObject([
      { attempt: 1, statusCode: 500, response: '', error: null },
      { attempt: 2, statusCode: 200, response: 'thanks', error: null },
    ]);
    expect(await endpointNow(endpoint.id)).toMatchObject({ isEnabled: true, failingSince: null });
  });

  it('that never succeeds fails a delivery after ten attempts over two days', async () => {
    const receiver = await receiverWith(404);
    const endpoint = await service.subscribe(tenant, receiver.url);
    await service.createLead(tenant);
    let waited = 0;
    for (let attempts = 1; attempts < 10; attempts++) {
      const delivery = await service.deliveryOf(endpoint, { attempts, status: 'pending' });
      const wait = delivery['nextAttemptAt'].getTime() - delivery['lastAttemptAt'].getTime();
      waited += wait;
      await service.passTime(wait + second);
    }
    const failed = await service.deliveryOf(endpoint, { status: 'failed' });
    expect(failed).toMatchObject({ attempts: 10, failureReason: 'exhausted', lastStatusCode: 404 });
    expect(await attemptsOf(failed._id)).toHaveLength(10);
    expect(waited / day).toBeGreaterThan(1.75);
    expect(waited / day).toBeLessThan(2.5);
    expect(receiver.received).toHaveLength(10);
  });

  it('that asks for time gets it, and for all that waits for it one attempt first', async () => {
    const receiver = await receiverWith((_received, response) =>
      response.writeHead(503, { 'retry-after': '90' }).end(),
    );
    const endpoint = await service.subscribe(tenant, receiver.url);
    await service.createLead(tenant);
    const { nextAttemptAt, lastAttemptAt } = await service.deliveryOf(endpoint, { attempts: 1 });
    expect(nextAttemptAt.getTime() - lastAttemptAt.getTime()).toBeGreaterThanOrEqual(90 * second);
    await Promise.all([1, 2, 3].map(() => service.createLead(tenant)));
    await outboxIsEmpty();
    await service.passTime(60 * second);
    const other = await receiverWith();
    await service.subscribe(tenant, other.url);
    await service.createLead(tenant);
    await other.receivedRequests(1);
    expect(receiver.received).toHaveLength(1);
    receiver.respondWith(204);
    await service.passTime(31 * second);
    await receiver.receivedRequests(6);
  });

  it('that responds with 410 is disabled, and what waits for it fails', async () => {
    const receiver = await receiverWith(500);
    const endpoint = await service.subscribe(tenant, receiver.url);
    await service.createLead(tenant, 'waits');
    await service.deliveryOf(endpoint, { attempts: 1 });
    receiver.respondWith(410);
    await service.createLead(tenant, 'gone');
    await service.deliveryOf(endpoint, { status: 'failed', failureReason: 'gone', attempts: 1 });
    expect(await endpointNow(endpoint.id)).toMatchObject({
      isEnabled: false,
      disabledReason: 'gone',
    });
    await service.createLead(tenant, 'unheard');
    await service.passTime(minute);
    await service.deliveryOf(endpoint, { status: 'failed', failureReason: 'endpoint disabled' });
    await outboxIsEmpty();
    expect(receiver.received).toHaveLength(2);
    expect(
      await service.db.collection('webhookDeliveries').countDocuments({ endpointId: endpoint.id }),
    ).toBe(2);
  });

  it('that fails on five days without a success is disabled; a success starts the count again', async () => {
    const receiver = await receiverWith(500);
    const endpoint = await service.subscribe(tenant, receiver.url);
    const failAgain = async () => {
      const count = receiver.received.length;
      await service.createLead(tenant);
      await receiver.receivedRequests(count + 1);
      await eventually(async () => {
        const attempts = service.db.collection('webhookAttempts');
        expect(await attempts.countDocuments({ endpointId: endpoint.id })).toBeGreaterThan(count);
      });
      return endpointNow(endpoint.id);
    };
    await failAgain();
    receiver.respondWith(204);
    await service.passTime(4 * day);
    await service.createLead(tenant);
    // Also the one that is repeated: a success of it that is stored later would start the count again.
    await eventually(async () => {
      const delivered = { endpointId: endpoint.id, status: 'delivered' };
      const deliveries = service.db.collection('webhookDeliveries');
      expect(await deliveries.countDocuments(delivered)).toBe(2);
    });
    await eventually(async () => {
      const forgotten = { failingSince: null, failingDays: [] };
      expect(await endpointNow(endpoint.id)).toMatchObject(forgotten);
    });
    receiver.respondWith(500);
    expect(await failAgain()).toMatchObject({ failingSince: expect.any(Date) });
    for (let passed = 1; passed < 5; passed++) {
      await service.passTime(day);
      expect(await failAgain()).toMatchObject({ isEnabled: true });
    }
    await service.passTime(day + minute);
    // Unless one that is repeated fails first, after which the endpoint gets no further event.
    await service.createLead(tenant);
    await eventually(async () => {
      expect(await endpointNow(endpoint.id)).toMatchObject({
        isEnabled: false,
        disabledReason: 'failing',
      });
    });
  });

  it('that is quiet is not disabled by a failure now and one long ago', async () => {
    const receiver = await receiverWith(500);
    const endpoint = await service.subscribe(tenant, receiver.url);
    await service.createLead(tenant);
    await service.deliveryOf(endpoint, { attempts: 1 });
    // What an older version stored.
    await service.db
      .collection('webhookEndpoints')
      .updateOne({ _id: endpoint.id }, { $unset: { failingDays: 1 } });
    await service.passTime(30 * day);
    await service.deliveryOf(endpoint, { attempts: 2 });
    const stored = await endpointNow(endpoint.id);
    expect(stored).toMatchObject({ isEnabled: true, failingDays: [expect.any(String)] });
  });

  it('that succeeds while another attempt fails is not counted as failing', async () => {
    let respond: (() => void) | undefined;
    const receiver = await receiverWith();
    const endpoint = await service.subscribe(tenant, receiver.url);
    await service.createLead(tenant, 'quick');
    // From now on two at the same time.
    await service.deliveryOf(endpoint, { status: 'delivered' });
    receiver.respondWith(({ body }, response) => {
      if (body.includes('overlapping')) respond = () => response.writeHead(204).end();
      else response.writeHead(500).end();
    });
    await service.createLead(tenant, 'overlapping');
    await receiver.receivedRequests(2);
    await service.createLead(tenant, 'failing');
    await service.deliveryOf(endpoint, { status: 'pending', lastStatusCode: 500 });
    expect(await endpointNow(endpoint.id)).toMatchObject({ failingSince: expect.any(Date) });
    respond?.();
    await eventually(async () => {
      expect(await endpointNow(endpoint.id)).toMatchObject({ failingSince: null });
    });
  });

  it('that is removed gets nothing more, and its log stays', async () => {
    const receiver = await receiverWith(500);
    const endpoint = await service.subscribe(tenant, receiver.url);
    await service.createLead(tenant);
    await service.deliveryOf(endpoint, { attempts: 1 });
    await service.endpoints.remove(endpoint.id);
    await service.passTime(minute);
    const failed = await service.deliveryOf(endpoint, { failureReason: 'endpoint removed' });
    expect(await attemptsOf(failed._id)).toHaveLength(1);
    expect(receiver.received).toHaveLength(1);
  });
});

describe('a delivery', () => {
  it('that is replayed comes again with the same id and bytes, in a new round', async () => {
    const receiver = await receiverWith();
    const endpoint = await service.subscribe(tenant, receiver.url);
    await service.createLead(tenant);
    const { _id } = await service.deliveryOf(endpoint, { status: 'delivered' });
    const deliveries = service.service.app.get(WebhookDeliveriesService);
    expect(await deliveries.replay(endpoint.document, { _id })).toBe(1);
    await service.deliveryOf(endpoint, { status: 'delivered', round: 2, attempts: 1 });
    const [first, again] = receiver.received;
    expect([again?.body, again?.headers['webhook-id']]).toEqual([
      first?.body,
      first?.headers['webhook-id'],
    ]);
    expect(await attemptsOf(_id)).toMatchObject([{ round: 1 }, { round: 2 }]);
  });

  it('is not made for an endpoint that came later, by a replay neither', async () => {
    const earlier = await service.subscribe(tenant, (await receiverWith()).url);
    await service.createLead(tenant, 'before');
    await service.deliveryOf(earlier, { status: 'delivered' });
    const late = await receiverWith();
    const endpoint = await service.subscribe(tenant, late.url);
    const deliveries = service.service.app.get(WebhookDeliveriesService);
    expect(await deliveries.replay(endpoint.document, { since: new Date(0) })).toBe(0);
    await service.createLead(tenant, 'after');
    const [first] = await late.receivedRequests(1);
    expect(JSON.parse(first?.body ?? '').data.recordSystemId).toBe('after');
  });

  it('whose worker has died is sent by another one when the lease ends', async () => {
    const receiver = await receiverWith(500);
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
    const receiver = await receiverWith();
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
