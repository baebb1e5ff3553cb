import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Document, ObjectId } from 'mongodb';
import {
  addKey,
  addReservation,
  addTenant,
  addUnit,
  addWallet,
  type Tenant,
} from '../../support/builders.js';
import { sharedService } from '../../support/shared-service.js';

const service = sharedService();
let tenant: Tenant;
let unitId: ObjectId;
let reservationId: ObjectId;

beforeEach(async () => {
  tenant = await addTenant(service.db);
  unitId = await addUnit(service.db, tenant.organizationId, { status: 'Reserved' });
  reservationId = await addReservation(service.db, tenant.organizationId, unitId);
  await addWallet(service.db, tenant.organizationId, {
    reservationId,
    unitId,
    cheques: [{ installmentId: '1' }, { installmentId: '2', chequeNumber: 'A-2' }],
  });
});

const callback = (body: object | string, key = tenant.key) =>
  service
    .api('post', '/reservations/webhook')
    .set('api-key', key)
    .set('content-type', 'application/json')
    .send(body);
const read = (id: ObjectId | string, key = tenant.key) =>
  service.api('get', `/reservations/${id.toString()}`).set('api-key', key);
const stored = async (collection: string, _id: ObjectId) =>
  (await service.db.collection(collection).findOne({ _id })) as Document;
const walletOf = async (id: ObjectId) =>
  (await service.db.collection('chequeWallets').findOne({ reservationId: id })) as Document;
const logEntries = () =>
  service.db
    .collection('reservationCallbacks')
    .find({ organizationId: tenant.organizationId })
    .sort({ _id: 1 })
    .toArray();
const error = (statusCode: number, message: unknown, name: string) => ({
  statusCode,
  message,
  error: name,
});
const outboxEvents = () =>
  service.db
    .collection('outboxEvents')
    .find({ organizationId: tenant.organizationId })
    .sort({ _id: 1 })
    .toArray();
/** Everything of the tenant but the log of callbacks. */
const everything = () =>
  Promise.all(
    ['reservations', 'chequeWallets', 'units', 'outboxEvents'].map((name) =>
      service.db.collection(name).find({ organizationId: tenant.organizationId }).toArray(),
    ),
  );

describe('POST /reservations/webhook', () => {
  it('returns 201 without a body, with headers that report both steps', async () => {
    const response = await callback({
      reservationId,
      reservationStatus: 'approved',
      installmentId: '1',
      chequeStatus: 'post_dated',
    }).expect(201);
    expect(response.text).toBe('');
    expect(response.headers['content-type']).toBeUndefined();
    expect(response.headers).toMatchObject({
      'x-callback-reservation': 'applied',
      'x-callback-cheque': 'applied',
    });
  });

  it('changes nothing when only the reservation is sent', async () => {
    const before = await everything();
    const response = await callback({ reservationId }).expect(201);
    expect(response.headers).toMatchObject({
      'x-callback-reservation': 'unchanged',
      'x-callback-cheque': 'none',
    });
    await callback({ reservationId, installmentId: '1', chequeNumber: 'X' }).expect(201);
    expect(await everything()).toEqual(before);
  });

  it('sets approvedAt, sells the unit and emits only reservation.updated on approval', async () => {
    await callback({ reservationId, reservationStatus: 'approved' }).expect(201);
    expect(await stored('reservations', reservationId)).toMatchObject({
      status: 'approved',
      approvedAt: expect.any(Date),
    });
    expect(await stored('units', unitId)).toMatchObject({ status: 'Sold' });
    const [event, ...more] = await outboxEvents();
    expect(more).toEqual([]);
    const { body } = await read(reservationId).expect(200);
    expect(event).toMatchObject({
      type: 'reservation.updated',
      data: body.data,
      changes: [
        { field: 'status', from: 'pending_cheque_collection', to: 'approved' },
        { field: 'approvedAt', from: null, to: body.data.approvedAt },
      ],
    });
  });

  it('sets canceledAt, frees the unit and deletes the wallet on cancellation', async () => {
    await callback({ reservationId, reservationStatus: 'canceled' }).expect(201);
    expect(await stored('reservations', reservationId)).toMatchObject({
      status: 'canceled',
      canceledAt: expect.any(Date),
      partnerCollection: { isActive: true },
    });
    expect(await stored('units', unitId)).toMatchObject({ status: 'Available' });
    expect(await walletOf(reservationId)).toMatchObject({
      isDeleted: true,
      deletedAt: expect.any(Date),
    });
    const { body } = await read(reservationId).expect(200);
    const events = await outboxEvents();
    expect(events).toMatchObject([
      {
        type: 'reservation.updated',
        data: body.data,
        changes: [
          { field: 'status', from: 'pending_cheque_collection', to: 'canceled' },
          { field: 'canceledAt', from: null, to: body.data.canceledAt },
        ],
      },
      { type: 'wallet.deleted', data: body.data.chequeWallet },
    ]);
  });

  it('appends a history entry and emits the changes for each report', async () => {
    const report = { reservationId, installmentId: '2', chequeStatus: 'overdue' };
    await callback({ ...report, chequeNumber: 'B-7', chequeAmount: 99.5 }).expect(201);
    await callback(report).expect(201);
    const [, cheque] = (await walletOf(reservationId))['cheques'];
    expect(cheque).toEqual({
      installmentId: '2',
      status: 'overdue',
      chequeNumber: 'B-7',
      chequeAmount: 99.5,
      statusHistory: [
        {
          status: 'overdue',
          chequeNumber: 'B-7',
          chequeAmount: 99.5,
          changedAt: expect.any(Date),
          source: 'External API',
        },
        { status: 'overdue', changedAt: expect.any(Date), source: 'External API' },
      ],
    });
    const [first, second] = await outboxEvents();
    expect(first).toMatchObject({
      type: 'wallet.updated',
      changes: [
        { field: 'cheques.2.status', from: 'pending', to: 'overdue' },
        { field: 'cheques.2.chequeNumber', from: 'A-2', to: 'B-7' },
        { field: 'cheques.2.chequeAmount', from: null, to: 99.5 },
      ],
    });
    expect(second).toMatchObject({ type: 'wallet.updated', changes: [] });
  });

  it('updates the last deleted wallet when the active wallet does not have the cheque', async () => {
    const { organizationId } = tenant;
    const other = await addReservation(service.db, organizationId, unitId);
    const wallet = (installmentId: string, deletedAt?: Date) =>
      addWallet(service.db, organizationId, {
        reservationId: other,
        unitId,
        cheques: [{ installmentId }],
        ...(deletedAt === undefined ? {} : { isDeleted: true, deletedAt }),
      });
    const older = await wallet('x', new Date('2026-01-01'));
    const newer = await wallet('x', new Date('2026-02-01'));
    await wallet('y');
    await callback({ reservationId: other, installmentId: 'x', chequeStatus: 'overdue' });
    const statusIn = async (id: ObjectId) =>
      (await stored('chequeWallets', id))['cheques'][0].status;
    expect([await statusIn(older), await statusIn(newer)]).toEqual(['pending', 'overdue']);
  });

  it('emits wallet.restored with the wallet after the restoration', async () => {
    const report = { reservationId, installmentId: '1' };
    await callback({ ...report, chequeStatus: 'bounced' }).expect(201);
    await callback({ ...report, chequeStatus: 'collected' }).expect(201);
    const restored = await service.db
      .collection('outboxEvents')
      .findOne({ organizationId: tenant.organizationId, type: 'wallet.restored' });
    expect(restored?.['data']).toMatchObject({
      isDeleted: false,
      deletedAt: null,
      cheques: [{ installmentId: '1', status: 'collected' }, { installmentId: '2' }],
    });
  });

  it('ignores deleted reservations when it recomputes the unit', async () => {
    const report = { reservationId, installmentId: '1' };
    const gone = { status: 'approved', isDeleted: true };
    await addReservation(service.db, tenant.organizationId, unitId, gone);
    await callback({ ...report, chequeStatus: 'bounced' }).expect(201);
    expect(await stored('units', unitId)).toMatchObject({ status: 'Available' });
    await callback({ ...report, chequeStatus: 'collected' }).expect(201);
    expect(await stored('reservations', reservationId)).toMatchObject({ status: 'approved' });
  });

  it('updates a unit when another program emptied its lock and status', async () => {
    const emptied = { availabilityLock: null, status: null };
    await service.db.collection('units').updateOne({ _id: unitId }, { $set: emptied });
    await callback({ reservationId, reservationStatus: 'canceled' }).expect(201);
    expect(await stored('units', unitId)).toMatchObject({ status: 'Available' });
  });

  it('returns 404 when the id is not an ObjectId', async () => {
    for (const id of ['nonsense', 'ab'.repeat(13), '{"$gt":""}', '🏠/%2F']) {
      const { body, headers } = await callback({ reservationId: id }).expect(404);
      expect(body).toEqual(error(404, 'Reservation not found', 'Not Found'));
      expect(headers).toMatchObject({
        'x-callback-reservation': 'unchanged',
        'x-callback-cheque': 'none',
      });
    }
  });

  it('returns 404 when the reservation is deleted', async () => {
    await service.db
      .collection('reservations')
      .updateOne({ _id: reservationId }, { $set: { isDeleted: true } });
    await callback({ reservationId, reservationStatus: 'canceled' }).expect(404);
    await read(reservationId).expect(404);
    expect(await stored('reservations', reservationId)).toMatchObject({
      status: 'pending_cheque_collection',
    });
  });
});

describe('the body of a callback', () => {
  it.each([
    '"traceId":18446744073709551615',
    '"traceId":1e400',
    '"note":"\\ud83d"',
    '"meta":{"$id":"1","$ref":"2"}',
    '"constructor":{"prototype":{}}',
    `"deep":${'['.repeat(100)}${']'.repeat(100)}`,
  ])('is accepted when no field reads the value: %s', async (unread) => {
    const fields = `"reservationId":"${reservationId.toHexString()}","installmentId":"1"`;
    const text = `{${fields},"chequeStatus":"overdue","chequeAmount":250000.5,${unread}}`;
    const { headers } = await callback(text).expect(201);
    expect(headers['x-ignored-fields']).toBe(Object.keys(JSON.parse(`{${unread}}`)).join());
    const { body } = await read(reservationId);
    expect(body.data.chequeWallet.cheques[0]).toMatchObject({
      status: 'overdue',
      chequeAmount: 250_000.5,
    });
  });

  it.each([
    ['33333.333333333333333333', 33_333.333333333336],
    ['9007199254740993', 9_007_199_254_740_992],
    ['9007199254740993.0', 9_007_199_254_740_992],
    ['12345678901234567891', 12_345_678_901_234_567_000],
  ])('has a rounded amount when %s has too many digits', async (sent, chequeAmount) => {
    const text =
      `{"reservationId":"${reservationId.toHexString()}","installmentId":"1",` +
      `"chequeStatus":"collected","chequeAmount":${sent}}`;
    await callback(text).expect(201);
    const wallet = await service.db.collection('chequeWallets').findOne({ reservationId });
    expect(wallet?.['cheques'][0]).toMatchObject({ chequeAmount });
  });

  it('is rejected in English regardless of the language header', async () => {
    const bad = await callback({ reservationId: 7 }).set('language', 'ar-eg').expect(400);
    expect(bad.body.message).toEqual(['reservationId must be a string']);
    const unknown = await callback({ reservationId: 'x' }).set('language', 'ar-eg').expect(404);
    expect(unknown.body.message).toBe('Reservation not found');
  });
});

describe('authentication of a callback', () => {
  const bare = (message: string) => ({ statusCode: 401, message });
  const path = '/reservations/webhook';

  it('accepts the key as a query parameter', async () => {
    await service.api('post', `${path}?api-key=${tenant.key}`).send({ reservationId }).expect(201);
    expect(service.logged()).not.toContain(tenant.key);
  });

  it('uses the header when both are sent', async () => {
    const other = await addTenant(service.db);
    const both = (header: string, query: string) =>
      service
        .api('post', `${path}?api-key=${query}`)
        .set('api-key', header)
        .send({ reservationId });
    await both(tenant.key, 'nonsense').expect(201);
    await both(other.key, tenant.key).expect(404);
    const rejected = await both('nonsense', tenant.key).expect(401);
    expect(rejected.body).toEqual(bare('Access Denied, API key not valid'));
  });

  it('returns 401 with two fields when the key is missing or invalid', async () => {
    const missing = await service.api('post', path).send({ reservationId }).expect(401);
    expect(missing.body).toEqual(bare('Access Denied, API key not provided'));
    const invalid = await callback({ reservationId }, 'nonsense').expect(401);
    expect(invalid.body).toEqual(bare('Access Denied, API key not valid'));
    const permissions = { allowExternal: false };
    const internal = await addKey(service.db, tenant.organizationId, { permissions });
    const internalKey = await callback({ reservationId }, internal).expect(401);
    expect(internalKey.body).toEqual(bare('Access Denied, API key not valid'));
  });

  it('rejects a key in the query when a reservation is read', async () => {
    const url = `/reservations/${reservationId.toHexString()}?api-key=${tenant.key}`;
    const { body } = await service.api('get', url).expect(401);
    expect(body).toEqual(error(401, 'Access Denied, API key not provided', 'Unauthorized'));
  });

  it('returns 404 for a reservation of another organization', async () => {
    const other = await addTenant(service.db);
    const before = await everything();
    const sent = { reservationId, reservationStatus: 'canceled' };
    const { body } = await callback(sent, other.key).expect(404);
    expect(body).toEqual(error(404, 'Reservation not found', 'Not Found'));
    await read(reservationId, other.key).expect(404);
    expect(await everything()).toEqual(before);
  });
});

describe('GET /reservations/:reservationId', () => {
  it('returns defaults when another program omitted optional fields', async () => {
    const now = new Date();
    const { organizationId } = tenant;
    const _id = new ObjectId();
    const conventions = { organizationId, createdAt: now, updatedAt: now, isDeleted: false };
    await service.db
      .collection('reservations')
      .insertOne({ ...conventions, _id, status: null, recordSystemId: null });
    await service.db.collection('chequeWallets').insertOne({ ...conventions, reservationId: _id });
    const { body } = await read(_id).expect(200);
    expect(body.data).not.toHaveProperty('recordSystemId');
    expect(body.data).toMatchObject({
      status: '',
      unitId: null,
      leadId: null,
      partnerCollection: { isActive: false },
      chequeWallet: { unitId: null, cheques: [] },
    });
    await callback({ reservationId: _id, reservationStatus: 'canceled' }).expect(201);
  });

  it('returns 404 in the language of the request', async () => {
    const { body } = await read('nonsense').set('language', 'ar-eg').expect(404);
    expect(body.message).toMatch(/[؀-ۿ]/);
  });
});

describe('the log of callbacks', () => {
  it('keeps each authenticated callback with its outcome', async () => {
    const id = reservationId.toHexString();
    const requestId = 'callback-request-1';
    await callback({ reservationId, reservationStatus: 'approved', extra: 1 }).set(
      'x-request-id',
      requestId,
    );
    await callback({ reservationId: id.toUpperCase(), reservationStatus: 'approved' });
    await callback({ reservationId, chequeStatus: 'lost' });
    await callback('{"reservationId": ', tenant.key).expect(400);
    await callback({ reservationId }, 'nonsense').expect(401);
    const [applied, rejected, bad, ...more] = await logEntries();
    expect(more).toEqual([]);
    expect(applied).toMatchObject({
      reservationId: id,
      requestId,
      payload: { reservationId: id, reservationStatus: 'approved' },
      refusedFields: [],
      otherFields: 1,
      outcome: {
        status: 201,
        errorCode: null,
        messages: [],
        reservation: 'applied',
        cheque: 'none',
      },
    });
    expect(rejected).toMatchObject({
      reservationId: id,
      outcome: {
        status: 422,
        errorCode: 'reservation.not_pending_cheque_collection',
        messages: ['Reservation must be pending cheque collection before OIC approval'],
        reservation: 'unchanged',
      },
    });
    expect(bad).toMatchObject({
      payload: { reservationId: id },
      refusedFields: [{ field: 'chequeStatus', type: 'string', length: 4 }],
      outcome: { status: 400, errorCode: 'validation.failed' },
    });
    expect(bad?.['outcome'].messages).toContain('chequeStatus must be a valid enum value');
  });

  it('keeps a rejected status when only case, blanks or separators differ', async () => {
    const spellings = ['APPROVED', ' Pending Cheque-Collection', 'pending.cheque_collection'];
    for (const reservationStatus of spellings) {
      await callback({ reservationId, reservationStatus }).expect(400);
    }
    const others = ['approved!', 'approvd', `approved${' '.repeat(64)}`, 'post_dated'];
    for (const reservationStatus of others) {
      await callback({ reservationId, reservationStatus }).expect(400);
    }
    const entries = await logEntries();
    expect(
      entries.map(({ payload }) => (payload as Document)['reservationStatus'] as unknown),
    ).toEqual([...spellings, ...others.map(() => undefined)]);
  });

  it('keeps only type and length of other rejected values, and a count of unknown fields', async () => {
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
    const [bad, none, unknown] = await logEntries();
    expect(bad).toMatchObject({
      reservationId: null,
      payload: {},
      refusedFields: [
        { field: 'reservationId', type: 'string', length: 9 },
        { field: 'installmentId', type: 'object', length: 1 },
        { field: 'chequeNumber', type: 'number', length: null },
        { field: 'chequeAmount', type: 'array', length: 2 },
        { field: 'chequeStatus', type: 'null', length: null },
        { field: 'reservationStatus', type: 'boolean', length: null },
      ],
      otherFields: 2,
    });
    expect(none).toMatchObject({ payload: {}, refusedFields: [], otherFields: 0 });
    expect(unknown).toMatchObject({ reservationId: null, payload: {}, outcome: { status: 404 } });
    expect(JSON.stringify([bad, none, unknown])).not.toMatch(/Mona|Adel|1001234567/);
  });

  it('expires after 90 days', async () => {
    const indexes = await service.db.collection('reservationCallbacks').indexes();
    const expiry = indexes.find(({ key }) => Object.keys(key).join() === 'createdAt');
    expect(expiry?.['expireAfterSeconds']).toBe(90 * 24 * 60 * 60);
  });
});
