import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ObjectId } from 'mongodb';
import { addTenant, type Tenant } from '../support/builders.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { startWebhookService, type WebhookService } from './webhook-service.js';

let service: WebhookService;
let tenant: Tenant;
let receivers: Receiver[] = [];

beforeAll(async () => {
  // Eight places for quick endpoints, eight for those that are not known yet, four for slow ones.
  service = await startWebhookService({ WEBHOOKS_CONCURRENCY: '8' });
});
afterEach(async () => {
  await Promise.all(receivers.map((receiver) => receiver.stop()));
  receivers = [];
  await service.db.collection('webhookEndpoints').deleteMany({});
});
afterAll(() => service.stop());

const endpoints = () => service.db.collection('webhookEndpoints');
const receiverWith = async (respond: Parameters<typeof startReceiver>[0] = 204) => {
  const receiver = await startReceiver(respond);
  receivers.push(receiver);
  return receiver;
};
const paceOf = async ({ id }: { id: ObjectId }) =>
  (await endpoints().findOne({ _id: id }))?.['pace'] as unknown;

/** Many endpoints of one tenant whose receiver never responds, each with an event. */
async function startHanging(pace?: 'slow'): Promise<Receiver> {
  const hanging = await receiverWith(() => undefined);
  tenant = await addTenant(service.db);
  for (let number = 0; number < 20; number++) {
    await service.subscribe(tenant, `${hanging.url}/${number}`);
  }
  if (pace !== undefined) {
    await endpoints().updateMany({ organizationId: tenant.organizationId }, { $set: { pace } });
  }
  await service.createLead(tenant);
  return hanging;
}

describe('endpoints that are known to be slow', () => {
  it('have half as many places, also in a process that never sent to them', async () => {
    const hanging = await startHanging('slow');
    await hanging.receivedRequests(4);
    const other = await addTenant(service.db);
    const good = await receiverWith();
    const endpoint = await service.subscribe(other, good.url);
    for (const id of ['first', 'second', 'third']) {
      await service.createLead(other, id);
      await service.deliveryOf(endpoint, { status: 'delivered' });
    }
    await good.receivedRequests(3);
    expect(hanging.received).toHaveLength(4);
    expect(await paceOf(endpoint)).toEqual(expect.any(String));
  });
});

describe('endpoints that turn out to be slow', () => {
  it('leave their places while their receivers have not responded', async () => {
    const hanging = await startHanging();
    const startedAt = Date.now();
    await hanging.receivedRequests(20);
    expect(Date.now() - startedAt).toBeLessThan(15_000);
  });
});

describe('a receiver that responds with 200 and a body without an end', () => {
  it('is delivered to by its status, a second later, and is not a quick one', async () => {
    const dripping = await receiverWith((_received, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('x'), 50);
      response.on('close', () => clearInterval(drip));
    });
    tenant = await addTenant(service.db);
    const endpoint = await service.subscribe(tenant, dripping.url);
    await service.createLead(tenant);
    const { _id, lastError } = await service.deliveryOf(endpoint, { status: 'delivered' });
    expect(lastError).toMatch(/body broke off: it took longer than 1000 ms/);
    const attempt = await service.db.collection('webhookAttempts').findOne({ deliveryId: _id });
    expect(attempt).toMatchObject({ statusCode: 200, response: expect.stringMatching(/^x+$/) });
    expect(attempt?.['milliseconds']).toBeLessThan(15_000);
    expect(['unproven', 'slow']).toContain(await paceOf(endpoint));
  });
});
