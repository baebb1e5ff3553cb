import { describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { eventually } from '../support/eventually.js';
import { useWebhooks } from './webhook-service.js';

const [second, minute] = [1_000, 60_000];
const day = 24 * 60 * minute;

const webhooks = useWebhooks();

describe('a delivery', () => {
  it('is retried with the same id and bytes, and a new signature, after a failure', async () => {
    const { service, tenant } = webhooks;
    const receiver = await webhooks.receiverWith(500);
    const endpoint = await service.subscribe(tenant, receiver.url);
    await service.createLead(tenant);
    const failed = await service.deliveryOf(endpoint, { attempts: 1 });
    const wait = failed['nextAttemptAt'].getTime() - failed['log'][0].startedAt.getTime();
    expect(wait).toBeGreaterThan(3.9 * second);
    expect(wait).toBeLessThan(7 * second);
    receiver.respondWith((_received, response) => response.writeHead(200).end('thanks'));
    await service.passTime(7 * second);
    const { _id } = await service.deliveryOf(endpoint, { status: 'delivered', attempts: 2 });
    const [first, again] = receiver.received;
    expect(again?.body).toBe(first?.body);
    expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(again?.headers['webhook-timestamp']).not.toBe(first?.headers['webhook-timestamp']);
    expect(await webhooks.attemptsOf(_id)).toMatchObject([
      { attempt: 1, statusCode: 500, response: '', error: null },
      { attempt: 2, statusCode: 200, response: 'thanks', error: null },
    ]);
    // The results of deliveries are stored before those of their endpoint.
    await eventually(async () => {
      const endpointNow = await webhooks.endpointNow(endpoint.id);
      expect(endpointNow).toMatchObject({ isEnabled: true, failingSince: null });
    });
  });

  it('fails after ten attempts over two days', async () => {
    const { service, tenant } = webhooks;
    const receiver = await webhooks.receiverWith(404);
    const endpoint = await service.subscribe(tenant, receiver.url);
    await service.createLead(tenant);
    const { _id } = await service.deliveryOf(endpoint, { attempts: 1, status: 'pending' });
    let waited = 0;
    for (let attempts = 1; attempts < 10; attempts++) {
      const delivery = await service.deliveryOf(endpoint, { attempts, status: 'pending' });
      const wait = delivery['nextAttemptAt'].getTime() - delivery['log'].at(-1).startedAt.getTime();
      waited += wait / day;
      await service.passTime(wait + second);
    }
    await service.deliveryOf(endpoint, {
      status: 'failed',
      attempts: 10,
      failureReason: 'exhausted',
    });
    expect(await webhooks.attemptsOf(_id)).toMatchObject(
      Array.from({ length: 10 }, () => ({ statusCode: 404 })),
    );
    expect([waited > 1.75, waited < 2.5, receiver.received.length]).toEqual([true, true, 10]);
  });

  it('waits for Retry-After together with all deliveries of its endpoint', async () => {
    const { service, tenant } = webhooks;
    const receiver = await webhooks.receiverWith((_received, response) =>
      response.writeHead(503, { 'retry-after': '90' }).end(),
    );
    const endpoint = await service.subscribe(tenant, receiver.url);
    await service.createLead(tenant);
    const { nextAttemptAt, log } = await service.deliveryOf(endpoint, { attempts: 1 });
    expect(nextAttemptAt - log[0].startedAt).toBeGreaterThanOrEqual(90 * second);
    await Promise.all([1, 2, 3].map(() => service.createLead(tenant)));
    await webhooks.outboxIsEmpty();
    await service.passTime(60 * second);
    const other = await webhooks.receiverWith();
    await service.subscribe(tenant, other.url);
    await service.createLead(tenant);
    await other.receivedRequests(1);
    expect(receiver.received).toHaveLength(1);
    receiver.respondWith(204);
    await service.passTime(31 * second);
    await receiver.receivedRequests(6);
  });
});

describe('an endpoint', () => {
  it('is disabled by 410, which fails its pending deliveries', async () => {
    const { service, tenant } = webhooks;
    const receiver = await webhooks.receiverWith(500);
    const endpoint = await service.subscribe(tenant, receiver.url);
    await service.createLead(tenant, 'waits');
    await service.deliveryOf(endpoint, { attempts: 1 });
    receiver.respondWith(410);
    await service.createLead(tenant, 'gone');
    await service.deliveryOf(endpoint, { status: 'failed', failureReason: 'gone', attempts: 1 });
    await eventually(async () => {
      const endpointNow = await webhooks.endpointNow(endpoint.id);
      expect(endpointNow).toMatchObject({ isEnabled: false, disabledReason: 'gone' });
    });
    await service.createLead(tenant, 'unheard');
    await service.passTime(minute);
    await service.deliveryOf(endpoint, { status: 'failed', failureReason: 'endpoint disabled' });
    await webhooks.outboxIsEmpty();
    expect(receiver.received).toHaveLength(2);
    expect(
      await service.db.collection('webhookDeliveries').countDocuments({ endpointId: endpoint.id }),
    ).toBe(2);
  });

  it('is disabled after failures on five days, counted from the last success', async () => {
    const { service, tenant } = webhooks;
    const receiver = await webhooks.receiverWith(500);
    const endpoint = await service.subscribe(tenant, receiver.url);
    /** Has an event sent whose delivery ends so; the endpoint after it. */
    const send = async (looks: Document) => {
      const sent = receiver.received.length;
      await service.createLead(tenant);
      await receiver.receivedRequests(sent + 1);
      await eventually(async () => {
        expect(await webhooks.endpointNow(endpoint.id)).toMatchObject({
          leaseOwner: null,
          ...looks,
        });
      });
      return webhooks.endpointNow(endpoint.id);
    };
    const fails = { failingSince: expect.any(Date) };
    const first = await send(fails);
    receiver.respondWith(204);
    await service.passTime(4 * day);
    await send({ failingSince: null, failingDays: [] });
    receiver.respondWith(500);
    const again = await send(fails);
    expect(again?.['failingSince'].getTime() - first?.['failingSince'].getTime()).toBeGreaterThan(
      day,
    );
    for (let passed = 1; passed < 5; passed++) {
      await service.passTime(day);
      await send({ isEnabled: true, ...fails });
    }
    await service.passTime(day + minute);
    // If a retry fails first, the endpoint gets no further event.
    await service.createLead(tenant);
    await eventually(async () => {
      const disabled = { isEnabled: false, disabledReason: 'failing' };
      expect(await webhooks.endpointNow(endpoint.id)).toMatchObject(disabled);
    });
  });
});
