import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { type Document, ObjectId } from 'mongodb';
import { cachedPhoneCount } from '../../src/tenants/contacts/phone-number.js';
import { IdempotencyService } from '../../src/core/idempotency/idempotency.service.js';
import { LeadPhoneKeys } from '../../src/leads/phones/lead-phone-keys.js';
import { LeadsRepository } from '../../src/leads/leads.repository.js';
import { WebhookFanOut } from '../../src/webhooks/deliveries/webhook-fan-out.js';
import { post as postKeyed } from '../idempotency/keyed-requests.js';
import { range } from '../support/counting.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { rounds } from '../support/rounds.js';
import type { TenantApi } from '../support/tenant-api.js';
import { startWebhookService, type WebhookService } from '../webhooks/webhook-service.js';
import {
  waitForDeliveries,
  findPersonalData,
  createEraser,
  newPerson,
  payloadsOf,
  type Person,
} from './personal-data.js';

let service: WebhookService;
let tenant: TenantApi;
let receiver: Receiver;

beforeAll(async () => {
  service = await startWebhookService();
  receiver = await startReceiver();
});
beforeEach(async () => {
  tenant = await service.addTenant();
  receiver.respondWith((received, response) => response.end(received.body));
});
afterAll(async () => {
  await receiver.stop();
  await service.stop();
});

const post = (body: object) => tenant.post('/leads', body);
const stored = (collection: string, filter?: Document) => tenant.stored(collection, filter);
const remainingData = (person: Person) => findPersonalData(service.db, person, tenant);
const erase = async (recordSystemId: string) =>
  (await createEraser(service, tenant)).erase(recordSystemId);

/** Blocks calls of a method until the gate is removed. `reached` resolves at the first call. */
function blockMethod<T extends object>(part: T, method: keyof T) {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const original = part[method] as (...args: unknown[]) => Promise<unknown>;
  Object.assign(part, {
    [method]: async (...args: unknown[]) => {
      reach();
      await opened;
      return original.apply(part, args);
    },
  });
  const remove = () => {
    open();
    Object.assign(part, { [method]: original });
  };
  return { reached, remove };
}

it('an erasure keeps no webhook response when the relay had already read the event', async () => {
  const person = newPerson();
  await service.subscribe(tenant, receiver.url);
  const gate = blockMethod(service.service.app.get(WebhookFanOut), 'fanOut');
  await post(payloadsOf(person).earlier).expect(201);
  await gate.reached;
  await erase(person.recordSystemId);
  expect(await remainingData(person)).toEqual({});
  gate.remove();
  await waitForDeliveries(service.db, tenant);
  expect(await remainingData(person)).toEqual({});
  const isOther = { type: { $ne: 'lead.erased' } };
  expect(await tenant.count('webhookDeliveries', { type: 'lead.erased' })).toBe(1);
  const deliveries = await stored('webhookDeliveries', isOther);
  expect(deliveries.map(({ type }) => String(type)).toSorted()).toEqual([
    'client.created',
    'lead.created',
  ]);
  for (const { erasedAt } of deliveries) expect(erasedAt).toBeInstanceOf(Date);
});

it('an erasure keeps the result of a delivery in progress, but not its response', async () => {
  const person = newPerson();
  const { promise: erased, resolve: respond } = Promise.withResolvers<void>();
  const { promise: received, resolve: receive } = Promise.withResolvers<void>();
  receiver.respondWith(({ body }, response) => {
    receive();
    void erased.then(() => response.end(body));
  });
  await service.subscribe(tenant, receiver.url, ['lead.created']);
  await post(payloadsOf(person).earlier).expect(201);
  await received;
  await erase(person.recordSystemId);
  respond();
  await waitForDeliveries(service.db, tenant);
  expect(await remainingData(person)).toEqual({});
  const delivered = {
    status: 'delivered',
    attempts: 1,
    log: [{ statusCode: 200, response: null }],
  };
  expect(await stored('webhookDeliveries')).toMatchObject([delivered]);
});

it('an erasure removes values of a request that had read the lead, except its response', async () => {
  const person = newPerson();
  const { now } = payloadsOf(person);
  const { body: before } = await post(now).expect(201);
  const gate = blockMethod(service.service.app.get(IdempotencyService), 'completeAll');
  const response = postKeyed({ url: service.url, apiKey: tenant.key, body: now });
  await gate.reached;
  await erase(person.recordSystemId);
  gate.remove();
  const { status, text } = await response;
  expect(status).toBe(200);
  expect(JSON.parse(text)).toMatchObject({ lead: { _id: before.lead._id } });
  expect(await remainingData(person)).toEqual({});
});

it.each(range(rounds(1, 5)))(
  'an erasure during updates lets later updates create another lead (round %i)',
  async () => {
    const person = newPerson();
    const { earlier, now } = payloadsOf(person);
    const { body } = await post(earlier).expect(201);
    let isErased = false;
    const update = async (index: number) => {
      for (let time = 0; !isErased; time++) {
        const { status } = await post({ ...now, data: { [`${person.name} ${index}`]: time } });
        expect([200, 201]).toContain(status);
      }
    };
    const updates = range(6).map(update);
    await Promise.all([erase(person.recordSystemId), erase(person.recordSystemId)]);
    isErased = true;
    await Promise.all(updates);
    const _id = String(body.lead._id);
    const leadId = ObjectId.createFromHexString(_id);
    const emptied = { isDeleted: true, data: {}, additionalData: {} };
    expect(await stored('leads', { _id: leadId })).toMatchObject([emptied]);
    const events = await stored('outboxEvents', { 'data._id': _id });
    const history = await stored('changeLogs', { entityId: leadId });
    expect(JSON.stringify([events, history])).not.toContain(person.name);
    expect(events.filter(({ type }) => type === 'lead.erased')).toHaveLength(1);
    expect(await stored('erasures', { leadIds: leadId })).toHaveLength(1);
    // The second erasure may have found the lead that was created after the first one.
    expect(await tenant.count('leads', { isDeleted: false })).toBeLessThanOrEqual(1);
  },
);

it('an erasure removes the client when both of its leads are erased concurrently', async () => {
  const person = newPerson();
  const shared = { email: person.email, name: person.name };
  const ids = ['a', 'b', 'c', 'd'];
  for (const recordSystemId of ids) await post({ recordSystemId, ...shared }).expect(201);
  await Promise.all(ids.map((id) => erase(id)));
  expect(await remainingData(person)).toEqual({});
});

it('a lead is linked to a new client during the erasure of another lead', async () => {
  const { email, name } = newPerson();
  // Without phones and changes to the client, only the link to it can conflict with the erasure.
  await post({ recordSystemId: 'old', email, name }).expect(201);
  const gate = blockMethod(service.service.app.get(LeadsRepository), 'reserveNumbers');
  const linked = post({ recordSystemId: 'new', email, name }).then((response) => response);
  await gate.reached;
  await erase('old');
  gate.remove();
  const { status, body } = await linked;
  expect(status).toBe(201);
  const clients = await stored('clients', { isDeleted: false });
  expect(clients.map(({ _id }) => String(_id))).toEqual([body.lead.clientId]);
  expect(clients).toMatchObject([{ email, name }]);
});

it('a phone stays in memory for at most one hour', async () => {
  await post(payloadsOf(newPerson()).now).expect(201);
  const phoneJob = service.service.app.get(LeadPhoneKeys);
  await phoneJob.run();
  await post(payloadsOf(newPerson()).now).expect(201);
  await phoneJob.run();
  expect(cachedPhoneCount()).toBeGreaterThan(0);
  await service.passTime(3_600_000);
  await phoneJob.run();
  expect(cachedPhoneCount()).toBe(0);
});
