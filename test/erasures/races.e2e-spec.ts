import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { parsedPhoneCount } from '../../src/tenants/contacts/phone-number.js';
import { IdempotencyService } from '../../src/core/idempotency/idempotency.service.js';
import { LeadPhoneKeys } from '../../src/leads/phones/lead-phone-keys.js';
import { LeadsRepository } from '../../src/leads/leads.repository.js';
import { WebhookFanOut } from '../../src/webhooks/deliveries/webhook-fan-out.js';
import { post as postKeyed } from '../idempotency/keyed-requests.js';
import { addTenant, type Tenant } from '../support/builders.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { rounds } from '../support/rounds.js';
import { startWebhookService, type WebhookService } from '../webhooks/webhook-service.js';
import { allDelivered, collectionsWith, erasuresOf, newPerson, payloadsOf } from './traces.js';

let service: WebhookService;
let tenant: Tenant;
let receiver: Receiver;

beforeAll(async () => {
  service = await startWebhookService();
  receiver = await startReceiver();
});
beforeEach(async () => {
  tenant = await addTenant(service.db);
  receiver.respondWith((received, response) => response.end(received.body));
});
afterAll(async () => {
  await receiver.stop();
  await service.stop();
});

const post = (body: object) => service.api('post', '/leads').set('api-key', tenant.key).send(body);
const stored = (collection: string, filter: Document = {}) =>
  service.db
    .collection(collection)
    .find({ organizationId: tenant.organizationId, ...filter })
    .toArray();
const tracesOf = (person: ReturnType<typeof newPerson>) =>
  collectionsWith(service.db, person, { organizationId: tenant.organizationId });

/** Lets calls of a method wait until it is opened; tells when the first one does. */
function gateAt<T extends object>(part: T, method: keyof T) {
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
  const gate = gateAt(service.service.app.get(WebhookFanOut), 'fanOut');
  await post(payloadsOf(person).earlier).expect(201);
  await gate.reached;
  const { erase } = await erasuresOf(service, tenant);
  await erase(person.recordSystemId);
  expect(await tracesOf(person)).toEqual({});
  gate.remove();
  await allDelivered(service.db, tenant);
  expect(await tracesOf(person)).toEqual({});
  const deliveries = await stored('webhookDeliveries');
  expect(deliveries.map(({ type }) => String(type)).toSorted()).toEqual([
    'client.created',
    'lead.created',
    'lead.erased',
  ]);
  const ofPerson = deliveries.filter(({ type }) => type !== 'lead.erased');
  expect(ofPerson).toMatchObject([{ erasedAt: expect.any(Date) }, { erasedAt: expect.any(Date) }]);
});

it('an erasure keeps the result of a delivery in progress, but not its response', async () => {
  const person = newPerson();
  const { promise: erased, resolve: answer } = Promise.withResolvers<void>();
  const { promise: received, resolve: receive } = Promise.withResolvers<void>();
  receiver.respondWith(({ body }, response) => {
    receive();
    void erased.then(() => response.end(body));
  });
  await service.subscribe(tenant, receiver.url, ['lead.created']);
  await post(payloadsOf(person).earlier).expect(201);
  await received;
  const { erase } = await erasuresOf(service, tenant);
  await erase(person.recordSystemId);
  answer();
  await allDelivered(service.db, tenant);
  expect(await tracesOf(person)).toEqual({});
  expect(await stored('webhookDeliveries')).toMatchObject([
    { status: 'delivered', attempts: 1, log: [{ statusCode: 200, response: null }] },
  ]);
});

it('an erasure removes values of a request that had read the lead, except its response', async () => {
  const person = newPerson();
  const { now } = payloadsOf(person);
  const { body: before } = await post(now).expect(201);
  const gate = gateAt(service.service.app.get(IdempotencyService), 'completeAll');
  const answer = postKeyed({ url: service.url, apiKey: tenant.key, body: now });
  await gate.reached;
  const { erase } = await erasuresOf(service, tenant);
  await erase(person.recordSystemId);
  gate.remove();
  const { status, text } = await answer;
  expect(status).toBe(200);
  expect(JSON.parse(text)).toMatchObject({ lead: { _id: before.lead._id } });
  expect(await tracesOf(person)).toEqual({});
});

it.each(Array.from({ length: rounds(1, 5) }, (_, round) => round))(
  'an erasure during updates lets later updates create another lead (round %i)',
  async () => {
    const person = newPerson();
    const { earlier, now } = payloadsOf(person);
    const { body } = await post(earlier).expect(201);
    const { erase } = await erasuresOf(service, tenant);
    let isErased = false;
    const update = async (index: number) => {
      for (let time = 0; !isErased; time++) {
        const { status } = await post({ ...now, data: { [`${person.name} ${index}`]: time } });
        expect([200, 201]).toContain(status);
      }
    };
    const updates = Array.from({ length: 6 }, (_, index) => update(index));
    await Promise.all([erase(person.recordSystemId), erase(person.recordSystemId)]);
    isErased = true;
    await Promise.all(updates);
    const _id = String(body.lead._id);
    const lead = (await stored('leads')).find((one) => one._id.toHexString() === _id);
    expect(lead).toMatchObject({ isDeleted: true, data: {}, additionalData: {} });
    const about = [
      await stored('changeLogs', { entityId: lead?._id }),
      await stored('outboxEvents', { 'data._id': _id }),
    ];
    expect(JSON.stringify(about)).not.toContain(person.name);
    const told = await stored('outboxEvents', { type: 'lead.erased', 'data._id': _id });
    expect(told).toHaveLength(1);
    expect(await stored('erasures', { leadIds: lead?._id })).toHaveLength(1);
    // The second erasure may have found the lead that came after the first one.
    const left = await stored('leads', { isDeleted: false });
    expect(left.length).toBeLessThanOrEqual(1);
  },
);

it('an erasure removes the client when both of its leads are erased concurrently', async () => {
  const person = newPerson();
  const shared = { email: person.email, name: person.name };
  const ids = ['a', 'b', 'c', 'd'];
  for (const recordSystemId of ids) await post({ recordSystemId, ...shared }).expect(201);
  const { erase } = await erasuresOf(service, tenant);
  await Promise.all(ids.map((id) => erase(id)));
  expect(await tracesOf(person)).toEqual({});
});

it('a lead is linked to a new client during the erasure of another lead', async () => {
  const { email, name } = newPerson();
  // Without a phone, and with nothing that would change the client.
  await post({ recordSystemId: 'old', email, name }).expect(201);
  const gate = gateAt(service.service.app.get(LeadsRepository), 'nextNumbers');
  const linked = post({ recordSystemId: 'new', email, name }).then((response) => response);
  await gate.reached;
  const { erase } = await erasuresOf(service, tenant);
  await erase('old');
  gate.remove();
  const { status, body } = await linked;
  expect(status).toBe(201);
  const clients = await stored('clients', { isDeleted: false });
  expect(clients.map(({ _id }) => _id.toHexString())).toEqual([body.lead.clientId]);
  expect(clients).toMatchObject([{ email, name }]);
});

it('a phone stays in memory for at most one hour', async () => {
  await post(payloadsOf(newPerson()).now).expect(201);
  const pass = service.service.app.get(LeadPhoneKeys);
  await pass.run();
  await post(payloadsOf(newPerson()).now).expect(201);
  await pass.run();
  expect(parsedPhoneCount()).toBeGreaterThan(0);
  await service.passTime(3_600_000);
  await pass.run();
  expect(parsedPhoneCount()).toBe(0);
});
