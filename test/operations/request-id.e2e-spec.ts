import { beforeAll, expect, it } from '@jest/globals';
import type { Document, ObjectId } from 'mongodb';
import { runJson } from '../operator/command-line.js';
import { addReservation, addTenant, addUnit, type Tenant } from '../support/builders.js';
import { sharedService } from '../support/shared-service.js';

const service = sharedService();
let tenant: Tenant;
let unitId: ObjectId;

beforeAll(async () => {
  tenant = await addTenant(service.db);
  unitId = await addUnit(service.db, tenant.organizationId, {
    slug: 'villa-1',
    recordSystemId: 'crm-1',
  });
});

const stored = (collection: string): Promise<Document[]> =>
  service.db
    .collection(collection)
    .find({ organizationId: tenant.organizationId })
    .sort({ _id: 1 })
    .toArray();

const request = (method: 'post' | 'delete', path: string, requestId: string) =>
  service.api(method, path).set('api-key', tenant.key).set('x-request-id', requestId);

/** Waits for the responses that were sent together, so that they share a group. */
const posts = (leads: readonly string[]) =>
  Promise.all(
    leads.map((name) =>
      request('post', '/leads', `create-${name}`).send({ recordSystemId: name, name }).expect(201),
    ),
  );

it('the change log and the outbox store the request id, also for grouped requests', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  await posts(names);
  await request('post', '/leads', 'update-a')
    .send({ recordSystemId: 'a', email: 'a@example.com' })
    .expect(200);
  await request('delete', '/leads/a', 'delete-a').expect(200);
  const made = names.map((name) => `create-${name}`);
  const log = (await stored('changeLogs')).map(({ requestId }) => requestId as string);
  expect(log.toSorted()).toEqual([...made, 'delete-a', 'update-a']);
  const events = (await stored('outboxEvents')).map(
    ({ type, data, requestId }) => `${type as string} ${data.name ?? data.data.name} ${requestId}`,
  );
  expect(events.toSorted()).toEqual(
    [
      ...names.flatMap((name) => [
        `client.created ${name} create-${name}`,
        `lead.created ${name} create-${name}`,
      ]),
      'client.updated a update-a',
      'lead.updated a update-a',
      'lead.deleted a delete-a',
    ].toSorted(),
  );
});

it('units, reservations and callbacks store the request id', async () => {
  await request('post', '/units', 'unit-1').send({ recordSystemId: 'crm-1', price: 3 }).expect(200);
  await request('post', '/reservations', 'reservation-1')
    .send({ unit: 'villa-1', cheques: [{ installmentId: '1' }] })
    .expect(201);
  const reservationId = await addReservation(service.db, tenant.organizationId, unitId);
  await request('post', '/reservations/webhook', 'callback-1')
    .send({ reservationId: reservationId.toHexString(), reservationStatus: 'canceled' })
    .expect(201);
  const events = (await stored('outboxEvents'))
    .filter(({ type }) => /^(unit|reservation|wallet)/.test(type as string))
    .map(({ type, requestId }) => `${type as string} ${requestId as string}`);
  expect(events).toEqual([
    'unit.updated unit-1',
    'reservation.created reservation-1',
    'wallet.created reservation-1',
    'unit.updated reservation-1',
    'reservation.updated callback-1',
  ]);
  const callbacks = (await stored('reservationCallbacks')).map(
    ({ requestId }) => requestId as string,
  );
  expect(callbacks).toEqual(['callback-1']);
});

it('the command line shows the request id, and entries of earlier versions without one', async () => {
  const { organizationId } = tenant;
  const org = organizationId.toHexString();
  await request('post', '/leads', 'shown').send({ recordSystemId: 'shown' }).expect(201);
  await request('post', '/leads', 'old').send({ recordSystemId: 'shown' }).expect(200);
  await service.db
    .collection('changeLogs')
    .updateOne({ organizationId, requestId: 'old' }, { $unset: { requestId: 1 } });
  const variables = { MONGODB_URI: service.databaseUri };
  const history = await runJson<object[]>(['lead', 'history', 'shown', '--org', org], variables);
  expect(history).toMatchObject([{ requestId: 'shown' }, { requestId: null }]);
  const [event] = await runJson<object[]>(
    ['webhook', 'events', '--org', org, '--limit', '1'],
    variables,
  );
  expect(event).toMatchObject({ type: 'lead.created', requestId: 'shown' });
});
