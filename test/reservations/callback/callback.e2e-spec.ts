import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Document, ObjectId } from 'mongodb';
import {
  addKey,
  addReservation,
  addTenant,
  addUnit,
  addWallet,
  conventions,
} from '../../support/builders.js';
import { sharedService } from '../../support/shared-service.js';
import type { TenantApi } from '../../support/tenant-api.js';
import { storedDeals } from '../deals.js';

const service = sharedService();
const path = '/reservations/webhook';
let tenant: TenantApi;
let unitId: ObjectId;
let reservationId: ObjectId;

beforeEach(async () => {
  tenant = await service.addTenant();
  unitId = await tenant.add(addUnit, { status: 'Reserved' });
  reservationId = await tenant.add(addReservation, unitId);
  await tenant.add(addWallet, {
    reservationId,
    unitId,
    cheques: [{ installmentId: '1' }, { installmentId: '2', chequeNumber: 'A-2' }],
  });
});

const callback = (body: object | string) =>
  tenant.post(path, body).set('content-type', 'application/json');
const report = (installmentId: string, chequeStatus: string, details: object = {}) =>
  callback({ reservationId, installmentId, chequeStatus, ...details }).expect(201);
const read = (id: ObjectId | string) => tenant.get(`/reservations/${id.toString()}`);
const reservation = () => tenant.storedOne('reservations', { _id: reservationId });
const wallet = () => tenant.storedOne('chequeWallets', { reservationId });
const unitStatus = async () => (await tenant.storedOne('units', { _id: unitId }))['status'];
const error = (statusCode: number, message: unknown, name: string) => ({
  statusCode,
  message,
  error: name,
});

describe('POST /reservations/webhook', () => {
  it('returns 201 without a body and changes nothing when no status is sent', async () => {
    const before = await storedDeals(tenant);
    const { text, headers } = await callback({ reservationId }).expect(201);
    expect(text).toBe('');
    expect(headers).not.toHaveProperty('content-type');
    await callback({ reservationId, installmentId: '1', chequeNumber: 'X' }).expect(201);
    expect(await storedDeals(tenant)).toEqual(before);
  });

  it.each([
    ['approved', 'Sold', 'approvedAt', false],
    ['canceled', 'Available', 'canceledAt', true],
  ])('emits the changes when a reservation becomes %s', async (status, unit, time, isDeleted) => {
    await callback({ reservationId, reservationStatus: status }).expect(201);
    expect(await reservation()).toMatchObject({ status, [time]: expect.any(Date) });
    expect(await unitStatus()).toBe(unit);
    const deletedAt = isDeleted ? expect.any(Date) : undefined;
    expect(await wallet()).toMatchObject({ isDeleted, ...(deletedAt && { deletedAt }) });
    const { deletedChequeWallets: _deleted, ...data } = (await read(reservationId).expect(200)).body
      .data;
    const changes = [
      { field: 'status', from: 'pending_cheque_collection', to: status },
      { field: time, from: null, to: data[time] },
    ];
    expect(await tenant.stored('outboxEvents')).toMatchObject([
      { type: 'reservation.updated', data, changes },
      ...(isDeleted ? [{ type: 'wallet.deleted', data: data.chequeWallet }] : []),
    ]);
  });

  it('appends a history entry and emits the changes for each report', async () => {
    const sent = { chequeNumber: 'B-7', chequeAmount: 99.5 };
    await report('2', 'overdue', sent);
    await report('2', 'overdue');
    const entry = { status: 'overdue', changedAt: expect.any(Date), source: 'External API' };
    expect((await wallet())['cheques'][1]).toEqual({
      installmentId: '2',
      status: 'overdue',
      ...sent,
      statusHistory: [{ ...entry, ...sent }, entry],
    });
    const changes = [
      { field: 'cheques.2.status', from: 'pending', to: 'overdue' },
      { field: 'cheques.2.chequeNumber', from: 'A-2', to: 'B-7' },
      { field: 'cheques.2.chequeAmount', from: null, to: 99.5 },
    ];
    expect(await tenant.stored('outboxEvents')).toMatchObject([
      { type: 'wallet.updated', changes },
      { type: 'wallet.updated', changes: [] },
    ]);
  });

  it('updates the last deleted wallet when the active wallet does not have the cheque', async () => {
    for (const [number, installmentId] of ['older', 'newer'].entries()) {
      const deletion = { isDeleted: true, deletedAt: new Date(Date.UTC(2026, number)) };
      const cheques = [{ installmentId: 'x', chequeNumber: installmentId }];
      const fields = { reservationId, unitId, cheques, ...deletion };
      await tenant.add(addWallet, fields);
    }
    await report('x', 'overdue');
    const cheques = (await tenant.stored('chequeWallets', { isDeleted: true })).map(
      (one) => one['cheques'][0],
    );
    expect(cheques).toMatchObject([
      { chequeNumber: 'older', status: 'pending' },
      { chequeNumber: 'newer', status: 'overdue' },
    ]);
  });

  it('ignores deleted reservations when a recovery restores the wallet', async () => {
    const gone = { status: 'approved', isDeleted: true };
    await tenant.add(addReservation, unitId, gone);
    await report('1', 'bounced');
    expect(await unitStatus()).toBe('Available');
    await report('1', 'collected');
    expect(await reservation()).toMatchObject({ status: 'approved' });
    const cheques = [{ installmentId: '1', status: 'collected' }, { installmentId: '2' }];
    expect(await tenant.stored('outboxEvents', { type: 'wallet.restored' })).toMatchObject([
      { data: { isDeleted: false, deletedAt: null, cheques } },
    ]);
  });

  it('updates a unit when another program emptied its lock and status', async () => {
    await tenant.set('units', { _id: unitId }, { availabilityLock: null, status: null });
    await callback({ reservationId, reservationStatus: 'canceled' }).expect(201);
    expect(await unitStatus()).toBe('Available');
  });

  it('returns 404 when the reservation is deleted or the id is not an ObjectId', async () => {
    await tenant.set('reservations', {}, { isDeleted: true });
    const before = await storedDeals(tenant);
    await read(reservationId).expect(404);
    const ids = [reservationId, 'nonsense', 'ab'.repeat(13), '{"$gt":""}', '🏠/%2F'];
    for (const id of ids) {
      const sent = { reservationId: id, reservationStatus: 'canceled' };
      const { body, headers } = await callback(sent).expect(404);
      expect(body).toEqual(error(404, 'Reservation not found', 'Not Found'));
      const outcome = { 'x-callback-reservation': 'unchanged', 'x-callback-cheque': 'none' };
      expect(headers).toMatchObject(outcome);
    }
    expect(await storedDeals(tenant)).toEqual(before);
  });
});

describe('the body of a callback', () => {
  const textWith = (fields: string) =>
    `{"reservationId":"${reservationId.toHexString()}","installmentId":"1",` +
    `"chequeStatus":"overdue",${fields}}`;

  it.each([
    '"traceId":18446744073709551615',
    '"traceId":1e400',
    '"note":"\\ud83d"',
    '"meta":{"$id":"1","$ref":"2"}',
    '"constructor":{"prototype":{}}',
    `"deep":${'['.repeat(100)}${']'.repeat(100)}`,
  ])('is accepted when an ignored field has an unusual value: %s', async (unread) => {
    const { headers } = await callback(textWith(`"chequeAmount":250000.5,${unread}`)).expect(201);
    expect(headers['x-ignored-fields']).toBe(Object.keys(JSON.parse(`{${unread}}`)).join());
    expect((await wallet())['cheques'][0]).toMatchObject({ chequeAmount: 250_000.5 });
  });

  it.each([
    ['33333.333333333333333333', 33_333.333333333336],
    ['9007199254740993', 9_007_199_254_740_992],
    ['9007199254740993.0', 9_007_199_254_740_992],
    ['12345678901234567891', 12_345_678_901_234_567_000],
  ])('is stored with a rounded amount when %s has too many digits', async (sent, chequeAmount) => {
    await callback(textWith(`"chequeAmount":${sent}`)).expect(201);
    expect((await wallet())['cheques'][0]).toMatchObject({ chequeAmount });
  });

  it('is refused in English regardless of the language header', async () => {
    const bad = await callback({ reservationId: 7 }).set('language', 'ar-eg').expect(400);
    expect(bad.body.message).toEqual(['reservationId must be a string']);
    const unknown = await callback({ reservationId: 'x' }).set('language', 'ar-eg').expect(404);
    expect(unknown.body.message).toBe('Reservation not found');
  });
});

describe('authentication of a callback', () => {
  const denied = { statusCode: 401, message: 'Access Denied, API key not valid' };
  const send = (header: string | undefined, query = '') => {
    const request = service.api('post', `${path}${query && `?api-key=${query}`}`);
    return (header === undefined ? request : request.set('api-key', header)).send({
      reservationId,
    });
  };

  it('accepts the key as a query parameter, but uses the header when both are sent', async () => {
    const other = await addTenant(service.db);
    await send(undefined, tenant.key).expect(201);
    expect(service.logged()).not.toContain(tenant.key);
    await send(tenant.key, 'nonsense').expect(201);
    await send(other.key, tenant.key).expect(404);
    expect((await send('nonsense', tenant.key).expect(401)).body).toEqual(denied);
  });

  it('returns 401 with two fields when the key is missing or invalid', async () => {
    const missing = { ...denied, message: 'Access Denied, API key not provided' };
    expect((await send(undefined).expect(401)).body).toEqual(missing);
    const permissions = { allowExternal: false };
    const internal = await tenant.add(addKey, { permissions });
    for (const key of ['nonsense', internal]) {
      expect((await send(key).expect(401)).body).toEqual(denied);
    }
  });

  it('refuses a key in the query when a reservation is read', async () => {
    const url = `/reservations/${reservationId.toHexString()}?api-key=${tenant.key}`;
    const { body } = await service.api('get', url).expect(401);
    expect(body).toEqual(error(401, 'Access Denied, API key not provided', 'Unauthorized'));
  });
});

describe('GET /reservations/:reservationId', () => {
  it('returns defaults when another program omitted optional fields', async () => {
    const fields = conventions(tenant.organizationId);
    const { _id } = fields;
    const empty = { status: null, recordSystemId: null };
    await service.db.collection('reservations').insertOne({ ...fields, ...empty });
    await service.db.collection('chequeWallets').insertOne({ ...fields, reservationId: _id });
    const { data } = (await read(_id).expect(200)).body;
    expect(data).not.toHaveProperty('recordSystemId');
    expect(data).toMatchObject({
      status: '',
      unitId: null,
      leadId: null,
      partnerCollection: { isActive: false },
      chequeWallet: { unitId: null, cheques: [] },
    });
    await callback({ reservationId: _id, reservationStatus: 'canceled' }).expect(201);
  });

  it('returns 404 in the language of the request, and to another organization', async () => {
    const { body } = await read('nonsense').set('language', 'ar-eg').expect(404);
    expect(body.message).toMatch(/[؀-ۿ]/);
    const other = await service.addTenant();
    await other.get(`/reservations/${reservationId.toHexString()}`).expect(404);
  });
});

describe('the log of callbacks', () => {
  const logEntries = () => tenant.stored('reservationCallbacks');

  it('keeps each authenticated callback with its outcome', async () => {
    const id = reservationId.toHexString();
    const requestId = 'callback-request-1';
    const approval = { reservationId: id, reservationStatus: 'approved' };
    await callback({ ...approval, extra: 1 }).set('x-request-id', requestId);
    await callback({ ...approval, reservationId: id.toUpperCase() });
    await callback({ reservationId, chequeStatus: 'lost' });
    await callback('{"reservationId": ').expect(400);
    await service.api('post', path).set('api-key', 'nonsense').send(approval).expect(401);
    const entries = await logEntries();
    const applied = {
      status: 201,
      errorCode: null,
      messages: [],
      reservation: 'applied',
      cheque: 'none',
    };
    const refused = {
      status: 422,
      errorCode: 'reservation.not_pending_cheque_collection',
      messages: ['Reservation must be pending cheque collection before OIC approval'],
      reservation: 'unchanged',
    };
    const bad = {
      status: 400,
      errorCode: 'validation.failed',
      messages: expect.arrayContaining(['chequeStatus must be a valid enum value']),
    };
    const refusedFields = [{ field: 'chequeStatus', type: 'string', length: 4 }];
    const payload = { reservationId: id };
    expect(entries).toMatchObject([
      {
        ...payload,
        requestId,
        payload: approval,
        refusedFields: [],
        otherFields: 1,
        outcome: applied,
      },
      { ...payload, outcome: refused },
      { payload, refusedFields, outcome: bad },
    ]);
  });

  it('keeps a refused status that differs from a valid one only in case, blanks or separators', async () => {
    const spellings = ['APPROVED', ' Pending Cheque-Collection', 'pending.cheque_collection'];
    const others = ['approved!', 'approvd', `approved${' '.repeat(64)}`, 'post_dated'];
    for (const reservationStatus of [...spellings, ...others]) {
      await callback({ reservationId, reservationStatus }).expect(400);
    }
    const kept = (await logEntries()).map(
      (entry) => (entry['payload'] as Document)['reservationStatus'] as unknown,
    );
    expect(kept).toEqual([...spellings, ...others.map(() => undefined)]);
  });

  it('keeps only type and length of other refused values, and a count of unknown fields', async () => {
    const refused = {
      reservationId: 'Mona Adel',
      installmentId: { name: 'Mona' },
      chequeNumber: 201_001_234_567,
      chequeAmount: ['Mona', 'Adel'],
      chequeStatus: null,
      reservationStatus: true,
    };
    await callback({ ...refused, payer: 'Mona', phones: ['01001234567'] }).expect(400);
    await callback([]).expect(400);
    await callback({ reservationId: 'Mona Adel' }).expect(404);
    const entries = await logEntries();
    const refusedFields = [
      { field: 'reservationId', type: 'string', length: 9 },
      { field: 'installmentId', type: 'object', length: 1 },
      { field: 'chequeNumber', type: 'number', length: null },
      { field: 'chequeAmount', type: 'array', length: 2 },
      { field: 'reservationStatus', type: 'boolean', length: null },
    ];
    expect(entries).toMatchObject([
      { reservationId: null, payload: {}, refusedFields, otherFields: 2 },
      { payload: {}, refusedFields: [], otherFields: 0 },
      { reservationId: null, payload: {}, outcome: { status: 404 } },
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/Mona|Adel|1001234567/);
  });

  it('expires after 90 days', async () => {
    const indexes = await service.db.collection('reservationCallbacks').indexes();
    const expiry = indexes.find(({ key }) => Object.keys(key).join() === 'createdAt');
    expect(expiry?.['expireAfterSeconds']).toBe(90 * 24 * 60 * 60);
  });
});
