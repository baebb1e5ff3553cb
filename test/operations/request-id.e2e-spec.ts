import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Document, ObjectId } from 'mongodb';
import { runJson } from '../operator/command-line.js';
import { addReservation, addTenant, addUnit } from '../support/builders.js';
import { sharedService } from '../support/shared-service.js';

const service = sharedService();
const { db } = service;
let key: string;
let organizationId: ObjectId;
let unitId: ObjectId;

beforeAll(async () => {
  ({ key, organizationId } = await addTenant(db));
  unitId = await addUnit(db, organizationId, { slug: 'villa-1', recordSystemId: 'crm-1' });
});

const stored = (collection: string): Promise<Document[]> =>
  db.collection(collection).find({ organizationId }).sort({ _id: 1 }).toArray();
const request = (method: 'post' | 'delete', path: string, requestId: string) =>
  service.api(method, path).set('api-key', key).set('x-request-id', requestId);

describe('the request id', () => {
  it('is stored in the change log and in events of leads, also of grouped requests', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const create = (name: string) =>
      request('post', '/leads', `create-${name}`).send({ recordSystemId: name, name }).expect(201);
    await Promise.all(names.map(create));
    const update = { recordSystemId: 'a', email: 'a@example.com' };
    await request('post', '/leads', 'update-a').send(update).expect(200);
    await request('delete', '/leads/a', 'delete-a').expect(200);
    const log = (await stored('changeLogs')).map(({ requestId }) => String(requestId));
    const created = names.map((name) => `create-${name}`);
    expect(log.toSorted()).toEqual([...created, 'delete-a', 'update-a']);
    const events = (await stored('outboxEvents')).map(
      ({ type, data, requestId }) => `${type} ${data.name ?? data.data.name} ${requestId}`,
    );
    const expected = [
      ...names.map((name) => `client.created ${name} create-${name}`),
      ...names.map((name) => `lead.created ${name} create-${name}`),
      'client.updated a update-a',
      'lead.updated a update-a',
      'lead.deleted a delete-a',
    ];
    expect(events.toSorted()).toEqual(expected.toSorted());
  });

  it('is stored in events of units and reservations, and with callbacks', async () => {
    const reservationId = await addReservation(db, organizationId, unitId);
    const reservation = { unit: 'villa-1', cheques: [{ installmentId: '1' }] };
    const cancellation = { reservationId, reservationStatus: 'canceled' };
    const price = { recordSystemId: 'crm-1', price: 3 };
    await request('post', '/units', 'unit-1').send(price).expect(200);
    await request('post', '/reservations', 'reservation-1').send(reservation).expect(201);
    await request('post', '/reservations/webhook', 'callback-1').send(cancellation).expect(201);
    const events = (await stored('outboxEvents'))
      .filter(({ type }) => /^(unit|reservation|wallet)/.test(type as string))
      .map(({ type, requestId }) => `${type} ${requestId}`);
    expect(events).toEqual([
      'unit.updated unit-1',
      'reservation.created reservation-1',
      'wallet.created reservation-1',
      'unit.updated reservation-1',
      'reservation.updated callback-1',
    ]);
    expect(await stored('reservationCallbacks')).toMatchObject([{ requestId: 'callback-1' }]);
  });

  it('is shown by the command line, except for entries of earlier versions', async () => {
    await request('post', '/leads', 'shown').send({ recordSystemId: 'shown' }).expect(201);
    await request('post', '/leads', 'old').send({ recordSystemId: 'shown' }).expect(200);
    const old = { organizationId, requestId: 'old' };
    await db.collection('changeLogs').updateOne(old, { $unset: { requestId: 1 } });
    const run = (...args: string[]) =>
      runJson<object[]>([...args, '--org', String(organizationId)], {
        MONGODB_URI: service.databaseUri,
      });
    const history = await run('lead', 'history', 'shown');
    expect(history).toMatchObject([{ requestId: 'shown' }, { requestId: null }]);
    const [event] = await run('webhook', 'events', '--limit', '1');
    expect(event).toMatchObject({ type: 'lead.created', requestId: 'shown' });
  });
});
