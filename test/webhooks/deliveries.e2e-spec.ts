import { describe, expect, it, jest } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import type { Document } from 'mongodb';
import { Types } from 'mongoose';
import { Webhook } from 'standardwebhooks';
import { Transactions } from '../../src/core/database/transactions/transactions.js';
import { Outbox } from '../../src/events/outbox/outbox.js';
import { WebhookEndpointsRepository } from '../../src/webhooks/endpoints/webhook-endpoints.repository.js';
import { WebhookStatsService } from '../../src/webhooks/statistics/webhook-stats.service.js';
import { addTenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import type { Received } from '../support/receiver.js';
import { useWebhooks } from './webhook-service.js';

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
const day = 24 * hour;

const webhooks = useWebhooks();
const { addEndpoint, createLead, passTime, waitForFanOut, collection } = webhooks;

const bodyOf = (received?: Received) => JSON.parse(received?.body ?? '') as Document;
const idOf = (received?: Received) => received?.headers['webhook-id'];
/** Computes the signature, because verification would refuse timestamps of the moved clock. */
const signatureOf = (received: Received | undefined, secret: string) => {
  const { 'webhook-id': id = '', 'webhook-timestamp': at } = received?.headers ?? {};
  return new Webhook(secret).sign(id, new Date(Number(at) * second), received?.body ?? '');
};

describe('a change', () => {
  it('emits no event when it is rolled back', async () => {
    const endpoint = await addEndpoint();
    const { app } = webhooks.service.service;
    const organizationId = new Types.ObjectId(webhooks.tenant.organizationId.toHexString());
    const work = app.get(Transactions).run(async () => {
      const event = { type: 'lead.created', data: { _id: '1' } } as const;
      await app.get(Outbox).publish(organizationId, [event], new Date());
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
    await createLead('committed');
    await endpoint.waitForDelivery({ status: 'delivered' });
    await waitForFanOut();
    expect(endpoint.received.map((each) => bodyOf(each)['data'].recordSystemId)).toEqual([
      'committed',
    ]);
  });

  it('reaches every enabled and subscribed endpoint of its organization', async () => {
    const stranger = await addTenant(webhooks.service.db);
    const [all, leads, clients, off, foreign] = await Promise.all([
      addEndpoint(),
      addEndpoint(204, { types: ['lead.*'] }),
      addEndpoint(204, { types: ['client.created', 'lead.updated'] }),
      addEndpoint(),
      addEndpoint(204, { owner: stranger }),
    ]);
    await webhooks.service.endpoints.disable(off.id);
    await createLead('published');
    const [request] = await all.receivedRequests(1);
    const [same] = await leads.receivedRequests(1);
    expect(request).toMatchObject({
      method: 'POST',
      path: '/hook',
      headers: { 'content-type': 'application/json', 'webhook-id': expect.stringMatching(/^msg_/) },
    });
    expect(new Webhook(all.secret).verify(request?.body ?? '', request?.headers ?? {})).toEqual({
      type: 'lead.created',
      timestamp: expect.stringMatching(/^\d{4}-.+Z$/),
      data: expect.objectContaining({ recordSystemId: 'published', data: { source: 'form' } }),
    });
    expect(idOf(same)).toBe(idOf(request));
    await waitForFanOut();
    expect([clients, off, foreign].flatMap(({ received }) => received)).toEqual([]);
  });

  it('lists the changed fields when it is an update', async () => {
    await createLead('changing');
    const endpoint = await addEndpoint(204, { types: ['lead.updated'] });
    const constructor = [1, { $set: null }];
    const lead = { recordSystemId: 'changing', data: { constructor } };
    const { service, tenant } = webhooks;
    await service.api('post', '/leads').set('api-key', tenant.key).send(lead).expect(200);
    const [request] = await endpoint.receivedRequests(1);
    expect(bodyOf(request)).toMatchObject({
      data: { data: { source: 'form', constructor } },
      changes: [{ field: 'data.constructor', from: null, to: constructor }],
    });
  });
});

describe('a delivery', () => {
  it('is retried with the same id and bytes, and a new signature, after a failure', async () => {
    const endpoint = await addEndpoint(500);
    await createLead();
    const { nextAttemptAt, log } = await endpoint.waitForDelivery({ attempts: 1 });
    const wait = nextAttemptAt - log[0].startedAt;
    expect(wait).toBeGreaterThan(3.9 * second);
    expect(wait).toBeLessThan(7 * second);
    endpoint.respondWith((_received, response) => response.writeHead(200).end('thanks'));
    await passTime(7 * second);
    const delivered = await endpoint.waitForDelivery({ status: 'delivered' });
    expect(delivered['log']).toMatchObject([
      { attempt: 1, statusCode: 500, response: '', error: null },
      { attempt: 2, statusCode: 200, response: 'thanks', error: null },
    ]);
    const [first, again] = endpoint.received;
    expect([again?.body, idOf(again)]).toEqual([first?.body, idOf(first)]);
    expect(again?.headers['webhook-timestamp']).not.toBe(first?.headers['webhook-timestamp']);
    expect(again?.headers['webhook-signature']).toBe(signatureOf(again, endpoint.secret));
  });

  it('fails after ten attempts over two days', async () => {
    const endpoint = await addEndpoint(404);
    await createLead();
    let waited = 0;
    for (let attempts = 1; attempts < 10; attempts++) {
      const { nextAttemptAt, log } = await endpoint.waitForDelivery({
        attempts,
        status: 'pending',
      });
      const wait = nextAttemptAt - log.at(-1).startedAt;
      waited += wait / day;
      await passTime(wait + second);
    }
    const failed = await endpoint.waitForDelivery({ status: 'failed', failureReason: 'exhausted' });
    expect(failed['log']).toHaveLength(10);
    expect([waited > 1.75, waited < 2.5, endpoint.received.length]).toEqual([true, true, 10]);
  });

  it('waits for Retry-After together with all deliveries of its endpoint', async () => {
    const endpoint = await addEndpoint((_received, response) =>
      response.writeHead(503, { 'retry-after': '90' }).end(),
    );
    await createLead();
    const { nextAttemptAt, log } = await endpoint.waitForDelivery({ attempts: 1 });
    expect(nextAttemptAt - log[0].startedAt).toBeGreaterThanOrEqual(90 * second);
    await createLead();
    await waitForFanOut();
    await passTime(60 * second);
    const other = await addEndpoint();
    await createLead();
    await other.receivedRequests(1);
    expect(endpoint.received).toHaveLength(1);
    endpoint.respondWith(204);
    await passTime(31 * second);
    await endpoint.receivedRequests(4);
  });

  it('is replayed with the same id and bytes in a new round', async () => {
    const endpoint = await addEndpoint();
    await createLead();
    const { _id } = await endpoint.waitForDelivery({ status: 'delivered' });
    expect(await webhooks.service.deliveries.replay(endpoint.document, { _id })).toBe(1);
    await passTime(0);
    const { log } = await endpoint.waitForDelivery({ status: 'delivered', round: 2, attempts: 1 });
    expect(log).toMatchObject([{ round: 1 }, { round: 2 }]);
    const [first, again] = endpoint.received;
    expect([again?.body, idOf(again)]).toEqual([first?.body, idOf(first)]);
  });

  it('starts a new round of all attempts when it is replayed during an attempt', async () => {
    const { promise: attempt, resolve } = Promise.withResolvers<ServerResponse>();
    const endpoint = await addEndpoint((_received, response) => resolve(response));
    await createLead();
    const response = await attempt;
    const { _id } = await endpoint.waitForDelivery({ attempts: 0 });
    expect(await webhooks.service.deliveries.replay(endpoint.document, { _id })).toBe(1);
    endpoint.respondWith(204);
    response.writeHead(500).end();
    const { log } = await endpoint.waitForDelivery({ status: 'delivered', round: 2, attempts: 1 });
    expect(log).toMatchObject([
      { round: 1, attempt: 1, statusCode: 500 },
      { round: 2, attempt: 1, statusCode: 204 },
    ]);
  });

  it('is never created for an endpoint added after the event, not even by a replay', async () => {
    const earlier = await addEndpoint();
    await createLead('before');
    await earlier.waitForDelivery({ status: 'delivered' });
    const late = await addEndpoint();
    const since = new Date(0);
    expect(await webhooks.service.deliveries.replay(late.document, { since })).toBe(0);
    await createLead('after');
    const [first] = await late.receivedRequests(1);
    expect(bodyOf(first)['data'].recordSystemId).toBe('after');
  });

  it("is not attempted until another worker's lease expires by the server's clock", async () => {
    const endpoint = await addEndpoint(500);
    await createLead();
    await endpoint.waitForDelivery({ attempts: 1 });
    await endpoint.store({ leaseOwner: 'dead', leasedUntil: new Date(Date.now() + minute) });
    endpoint.respondWith(204);
    await passTime(31 * day);
    const other = await addEndpoint();
    await createLead();
    await other.receivedRequests(1);
    expect(endpoint.received).toHaveLength(1);
    await endpoint.store({ leasedUntil: new Date() });
    await endpoint.waitForDelivery({ status: 'delivered', attempts: 2 });
  });

  it('is not attempted when the endpoint lease expires before the attempt would end', async () => {
    const endpoints = webhooks.service.service.app.get(WebhookEndpointsRepository);
    const [now, lease] = [performance.now.bind(performance), endpoints.lease.bind(endpoints)];
    let passed = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + passed);
    const leases = jest.spyOn(endpoints, 'lease').mockImplementation(async (id) => {
      const endpoint = await lease(id);
      if (leases.mock.calls.length < 4) passed += 50 * second;
      return endpoint;
    });
    const endpoint = await addEndpoint();
    await createLead();
    await endpoint.waitForDelivery({ status: 'delivered', attempts: 1 });
    // After the delivery, the worker may already have taken the lease again.
    expect(leases.mock.calls.length).toBeGreaterThanOrEqual(4);
    expect(endpoint.received).toHaveLength(1);
    leases.mockRestore();
    clock.mockRestore();
  });

  it('is signed with the old and the new secret during the overlap', async () => {
    const endpoint = await addEndpoint();
    const rotated = await webhooks.service.endpoints.rotateSecret(endpoint.id, day);
    const [newer, older] = [rotated?.secret ?? '', endpoint.secret];
    await createLead();
    await endpoint.receivedRequests(1);
    await passTime(day + minute);
    await createLead();
    const [during, after] = await endpoint.receivedRequests(2);
    expect([during, after].map((each) => each?.headers['webhook-signature'])).toEqual([
      `${signatureOf(during, newer)} ${signatureOf(during, older)}`,
      signatureOf(after, newer),
    ]);
  });
});

describe('an endpoint', () => {
  it('is disabled by 410, which fails its pending deliveries', async () => {
    const endpoint = await addEndpoint(500);
    await createLead();
    await endpoint.waitForDelivery({ attempts: 1 });
    endpoint.respondWith(410);
    await createLead();
    await endpoint.waitForDelivery({ status: 'failed', failureReason: 'gone', attempts: 1 });
    await eventually(async () => {
      expect(await endpoint.stored()).toMatchObject({ isEnabled: false, disabledReason: 'gone' });
    });
    await createLead();
    await passTime(minute);
    await endpoint.waitForDelivery({ status: 'failed', failureReason: 'endpoint disabled' });
    await waitForFanOut();
    expect(endpoint.received).toHaveLength(2);
    const ofEndpoint = { endpointId: endpoint.id };
    expect(await collection('webhookDeliveries').countDocuments(ofEndpoint)).toBe(2);
  });

  it('is disabled after failures on five days, counted from the last success', async () => {
    const endpoint = await addEndpoint(500);
    /** Sends an event and waits until the endpoint has these fields. */
    const send = async (fields: Document) => {
      const sent = endpoint.received.length;
      await createLead();
      await endpoint.receivedRequests(sent + 1);
      await eventually(async () => {
        expect(await endpoint.stored()).toMatchObject({ leaseOwner: null, ...fields });
      });
    };
    const failing = { isEnabled: true, failingSince: expect.any(Date) };
    await send(failing);
    endpoint.respondWith(204);
    await passTime(4 * day);
    await send({ failingSince: null, failingDays: [] });
    endpoint.respondWith(500);
    for (let passed = 0; passed < 5; passed++) {
      await send(failing);
      await passTime(day);
    }
    await passTime(minute);
    // If a retry fails first, the endpoint is disabled and gets no further event.
    await createLead();
    await eventually(async () => {
      const disabled = { isEnabled: false, disabledReason: 'failing' };
      expect(await endpoint.stored()).toMatchObject(disabled);
    });
  });

  it('is shown as faulty and gets no events while its eventTypes are null', async () => {
    const [broken, good] = [await addEndpoint(), await addEndpoint()];
    await broken.store({ eventTypes: null });
    await createLead();
    await good.waitForDelivery({ status: 'delivered' });
    const { service } = webhooks;
    const showEndpoint = async () => (await service.endpoints.inspect(broken.document._id))?.shown;
    const fault = 'eventTypes is not a list';
    expect(await showEndpoint()).toMatchObject({ isEnabled: true, fault });
    const failing = await service.service.app.get(WebhookStatsService).failingEndpoints(10);
    expect(failing).toMatchObject([{ _id: broken.id.toHexString(), fault, state: 'faulty' }]);
    await broken.store({ eventTypes: ['*'] });
    await createLead();
    await broken.waitForDelivery({ status: 'delivered' });
    expect(await showEndpoint()).toMatchObject({ fault: null });
    expect(broken.received).toHaveLength(1);
  });
});
