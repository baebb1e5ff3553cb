import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Document, ObjectId } from 'mongodb';
import {
  addLead,
  addReservation,
  addTenant,
  addUnit,
  type Tenant,
} from '../../support/builders.js';
import { rounds } from '../../support/rounds.js';
import { sharedService } from '../../support/shared-service.js';

const service = sharedService();
let tenant: Tenant;
let unitId: ObjectId;

beforeEach(async () => {
  tenant = await addTenant(service.db);
  unitId = await addUnit(service.db, tenant.organizationId, {
    slug: 'villa-1',
    recordSystemId: 'crm-unit-1',
    unitId: 'V-1',
    compoundId: new ObjectId(),
  });
});

const post = (body: object, key = tenant.key) =>
  service.api('post', '/reservations').set('api-key', key).send(body);
const callback = (body: object) =>
  service.api('post', '/reservations/webhook').set('api-key', tenant.key).send(body);
const unitStatus = async (_id = unitId) =>
  (await service.db.collection('units').findOne({ _id }))?.['status'];
const everything = () =>
  Promise.all(
    ['reservations', 'chequeWallets', 'units', 'outboxEvents'].map((name) =>
      service.db.collection(name).find({ organizationId: tenant.organizationId }).toArray(),
    ),
  );
const events = async (): Promise<Document[]> =>
  service.db
    .collection('outboxEvents')
    .find({ organizationId: tenant.organizationId })
    .sort({ _id: 1 })
    .toArray();
const eventTypes = async () => (await events()).map(({ type }) => type);
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

describe('a new reservation of POST /reservations', () => {
  it('gets a wallet, reserves the unit and emits all three', async () => {
    const leadId = await addLead(service.db, tenant.organizationId, { recordSystemId: 'lead-1' });
    const { body } = await post({
      recordSystemId: 'deal-1',
      unit: 'villa-1',
      lead: { recordSystemId: 'lead-1' },
      status: 'pending_cheque_collection',
      partnerCollection: true,
      cheques: [
        { installmentId: '1', chequeNumber: '0001', chequeAmount: 5e5, dueDate: '2026-12-01' },
        { installmentId: '2' },
      ],
    }).expect(201);
    const { _id } = body.reservation;
    expect(body).toEqual({
      ok: true,
      operation: 'create',
      reservation: {
        _id: expect.stringMatching(/^[0-9a-f]{24}$/),
        recordSystemId: 'deal-1',
        unitId: unitId.toHexString(),
        leadId: leadId.toHexString(),
        status: 'pending_cheque_collection',
        partnerCollection: { isActive: true },
        approvedAt: null,
        canceledAt: null,
        isDeleted: false,
        createdAt: time,
        updatedAt: time,
        chequeWallet: {
          _id: expect.stringMatching(/^[0-9a-f]{24}$/),
          reservationId: _id,
          unitId: unitId.toHexString(),
          isDeleted: false,
          deletedAt: null,
          createdAt: time,
          updatedAt: time,
          cheques: [
            {
              installmentId: '1',
              status: 'pending',
              chequeNumber: '0001',
              chequeAmount: 5e5,
              dueDate: '2026-12-01T00:00:00.000Z',
              statusHistory: [],
            },
            { installmentId: '2', status: 'pending', statusHistory: [] },
          ],
        },
      },
    });
    expect(await unitStatus()).toBe('Reserved');
    const [reservation, wallet, unit, ...more] = await events();
    expect(more).toEqual([]);
    expect(reservation).toMatchObject({ type: 'reservation.created', data: body.reservation });
    expect(reservation).not.toHaveProperty('changes');
    expect(wallet).toMatchObject({ type: 'wallet.created', data: body.reservation.chequeWallet });
    expect(unit).toMatchObject({
      type: 'unit.updated',
      data: { slug: 'villa-1', status: 'Reserved' },
      changes: [{ field: 'status', from: 'Available', to: 'Reserved' }],
    });
    const { body: read } = await service
      .api('get', `/reservations/${_id}`)
      .set('api-key', tenant.key)
      .expect(200);
    expect(read).toEqual({ data: body.reservation });
  });

  it.each<[string, unknown]>([
    ['slug', 'villa-1'],
    ['recordSystemId', { recordSystemId: 'crm-unit-1' }],
    ['unitId', { unitId: 'V-1' }],
  ])('is pending without a wallet when only a unit is sent, by %s', async (_by, unit) => {
    const { body } = await post({ unit }).expect(201);
    expect(body.reservation).toMatchObject({
      unitId: unitId.toHexString(),
      leadId: null,
      status: 'pending',
      partnerCollection: { isActive: false },
      chequeWallet: null,
    });
    expect(body.reservation).not.toHaveProperty('recordSystemId');
  });

  it('is created by each request without a recordSystemId', async () => {
    await post({ unit: 'villa-1' }).expect(201);
    await post({ unit: 'villa-1' }).expect(201);
    const filter = { organizationId: tenant.organizationId };
    expect(await service.db.collection('reservations').countDocuments(filter)).toBe(2);
  });
});

describe('the status of a unit', () => {
  it('stays Sold while a reservation is approved, in any case of the sent status', async () => {
    await addReservation(service.db, tenant.organizationId, unitId, { status: 'approved' });
    const api = (method: 'get' | 'post', path: string) =>
      service.api(method, path).set('api-key', tenant.key);
    for (const status of ['Available', 'aVAILABLE', 'reserved']) {
      await api('post', '/units').send({ recordSystemId: 'crm-unit-1', status }).expect(200);
      expect(await unitStatus()).toBe('Sold');
      const { body } = await api('get', `/units?status=${status}`).expect(200);
      expect(body.data).toEqual([]);
    }
  });
});

describe('POST /reservations with a known recordSystemId', () => {
  const recordSystemId = 'deal-1';
  const create = async (fields: object = {}) => {
    const { body } = await post({ recordSystemId, unit: 'villa-1', ...fields }).expect(201);
    return body.reservation;
  };

  it('updates the active reservation and emits the changes', async () => {
    const { _id } = await create();
    await addLead(service.db, tenant.organizationId, { recordSystemId: 'lead-2' });
    const { body } = await post({
      recordSystemId,
      unit: { unitId: 'V-1' },
      lead: { recordSystemId: 'lead-2' },
      status: 'pending_cheque_collection',
      partnerCollection: true,
    }).expect(200);
    expect(body).toMatchObject({
      ok: true,
      operation: 'update',
      reservation: {
        _id,
        leadId: expect.stringMatching(/^[0-9a-f]{24}$/),
        status: 'pending_cheque_collection',
        partnerCollection: { isActive: true },
      },
    });
    expect((await events()).at(-1)).toMatchObject({
      type: 'reservation.updated',
      data: body.reservation,
      changes: [
        { field: 'leadId', from: null, to: body.reservation.leadId },
        { field: 'status', from: 'pending', to: 'pending_cheque_collection' },
        { field: 'partnerCollection.isActive', from: false, to: true },
      ],
    });
  });

  it('stores nothing when nothing changes', async () => {
    const cheques = [{ installmentId: '1', chequeAmount: 5, dueDate: '2026-01-01T00:00:00Z' }];
    await create({ cheques });
    const before = await everything();
    await post({ recordSystemId, unit: 'villa-1', status: 'pending', cheques }).expect(200);
    // The lock on the unit included: a repeat holds up no decision about it.
    expect(await everything()).toEqual(before);
  });

  it.each(['rejected', 'expired', 'canceled'])(
    'frees the unit when the status becomes %s',
    async (status) => {
      await create({ partnerCollection: true, cheques: [{ installmentId: '1' }] });
      const { body } = await post({ recordSystemId, status }).expect(200);
      const isCanceled = status === 'canceled';
      expect(body.reservation).toMatchObject({
        status,
        canceledAt: isCanceled ? time : null,
        chequeWallet: { isDeleted: isCanceled },
      });
      expect(await unitStatus()).toBe('Available');
      expect(await eventTypes()).toEqual([
        'reservation.created',
        'wallet.created',
        'unit.updated',
        'reservation.updated',
        ...(isCanceled ? ['wallet.deleted'] : []),
        'unit.updated',
      ]);
    },
  );

  it('adds new cheques and keeps the status and history of known ones', async () => {
    const { _id } = await create({ cheques: [{ installmentId: '1', chequeNumber: 'A' }] });
    await callback({ reservationId: _id, installmentId: '1', chequeStatus: 'overdue' });
    const { body } = await post({
      recordSystemId,
      cheques: [
        { installmentId: '2', chequeAmount: 7 },
        { installmentId: '1', chequeNumber: 'B' },
      ],
    }).expect(200);
    expect(body.reservation.chequeWallet.cheques).toEqual([
      {
        installmentId: '1',
        status: 'overdue',
        chequeNumber: 'B',
        statusHistory: [{ status: 'overdue', changedAt: time, source: 'External API' }],
      },
      { installmentId: '2', status: 'pending', chequeAmount: 7, statusHistory: [] },
    ]);
    expect((await events()).at(-1)).toMatchObject({
      type: 'wallet.updated',
      changes: [
        { field: 'cheques.1.chequeNumber', from: 'A', to: 'B' },
        { field: 'cheques.2.status', from: null, to: 'pending' },
        { field: 'cheques.2.chequeAmount', from: null, to: 7 },
      ],
    });
  });

  it('extends a deleted wallet, so a recovery of its cheque still counts', async () => {
    const status = 'pending_cheque_collection';
    const cheques = [{ installmentId: '1' }];
    const { _id } = await create({ status, partnerCollection: true, cheques });
    const report = { reservationId: _id, installmentId: '1' };
    await callback({ ...report, chequeStatus: 'bounced' }).expect(201);
    const { body } = await post({ recordSystemId, cheques: [...cheques, { installmentId: '2' }] });
    expect(body.reservation.chequeWallet).toMatchObject({
      isDeleted: true,
      cheques: [{ installmentId: '1', status: 'bounced' }, { installmentId: '2' }],
    });
    await callback({ ...report, chequeStatus: 'collected' }).expect(201);
    const { body: read } = await service
      .api('get', `/reservations/${_id}`)
      .set('api-key', tenant.key);
    expect(read.data).toMatchObject({ status: 'approved', chequeWallet: { isDeleted: false } });
  });

  it('restores a canceled reservation with its wallet when reopen is sent', async () => {
    await create({ partnerCollection: true, cheques: [{ installmentId: '1' }] });
    await post({ recordSystemId, status: 'canceled' }).expect(200);
    const { body, headers } = await post({ recordSystemId, status: 'pending', reopen: true });
    expect(body.reservation).toMatchObject({
      status: 'pending',
      canceledAt: null,
      chequeWallet: { isDeleted: false, deletedAt: null },
    });
    expect(headers).not.toHaveProperty('x-ignored-fields');
    expect(await unitStatus()).toBe('Reserved');
  });

  it('keeps a reservation approved and its unit sold until it is canceled', async () => {
    const status = 'pending_cheque_collection';
    const request = { recordSystemId, unit: 'villa-1', status };
    const { _id } = await create(request);
    await callback({ reservationId: _id, reservationStatus: 'approved' }).expect(201);
    const before = await service.db
      .collection('reservations')
      .findOne({ _id: new ObjectId(_id as string) });
    for (const reopen of [false, true]) {
      const { body, headers } = await post({ ...request, reopen }).expect(200);
      expect(headers['x-ignored-fields']).toBe('status');
      expect(body.reservation.status).toBe('approved');
    }
    const same = await post({ ...request, status: 'approved' }).expect(200);
    expect(same.headers).not.toHaveProperty('x-ignored-fields');
    expect(
      await service.db.collection('reservations').findOne({ _id: new ObjectId(_id as string) }),
    ).toEqual(before);
    expect(await unitStatus()).toBe('Sold');
    await post({ recordSystemId, status: 'canceled' }).expect(200);
    expect(await unitStatus()).toBe('Available');
  });

  it('keeps a concurrent approval by the callback', async () => {
    const request = { unit: 'villa-1', status: 'pending_cheque_collection' };
    for (const round of Array.from({ length: rounds(1, 10) }, (_, i) => `deal-${i}`)) {
      const { _id } = await create({ ...request, recordSystemId: round });
      const responses = await Promise.all([
        post({ ...request, recordSystemId: round }),
        callback({ reservationId: _id, reservationStatus: 'approved' }),
        post({ ...request, recordSystemId: round }),
      ]);
      expect(responses.map(({ status }) => status)).toEqual([200, 201, 200]);
      const stored = await service.db
        .collection('reservations')
        .findOne({ _id: new ObjectId(_id as string) });
      expect(stored).toMatchObject({ status: 'approved' });
      expect(await unitStatus()).toBe('Sold');
      await post({ recordSystemId: round, status: 'canceled' }).expect(200);
    }
  });

  it('creates a new reservation when the old one is deleted', async () => {
    const { _id } = await create();
    await service.db
      .collection('reservations')
      .updateOne({ _id: new ObjectId(_id as string) }, { $set: { isDeleted: true } });
    expect((await create())._id).not.toBe(_id);
  });
});

describe('POST /reservations with invalid data', () => {
  it.each<[string, number, string | string[], object]>([
    ['an unknown unit', 404, 'Unit not found', { unit: 'unknown' }],
    ['an unknown unit id', 404, 'Unit not found', { unit: { unitId: 'unknown' } }],
    [
      'an unknown external id of a unit',
      404,
      'Unit not found',
      { unit: { recordSystemId: 'V-1' } },
    ],
    [
      'an unknown lead',
      404,
      'Lead not found',
      { unit: 'villa-1', lead: { recordSystemId: 'unknown' } },
    ],
    [
      'the status approved on creation',
      422,
      'A reservation is approved by the reservation callback only',
      { unit: 'villa-1', status: 'approved' },
    ],
    [
      'the status canceled on creation',
      422,
      'A reservation can only be created as pending or pending_cheque_collection',
      { unit: 'villa-1', status: 'canceled' },
    ],
  ])('rejects %s', async (_name, status, message, body) => {
    const before = await everything();
    const response = await post(body).expect(status);
    expect(response.body.statusCode).toBe(status);
    expect([response.body.message].flat()).toEqual([message].flat());
    expect(await everything()).toEqual(before);
  });

  it('rejects approval or another unit on update', async () => {
    await addUnit(service.db, tenant.organizationId, { slug: 'villa-2' });
    const recordSystemId = 'deal-1';
    await post({ recordSystemId, unit: 'villa-1' }).expect(201);
    const before = await everything();
    const approved = await post({ recordSystemId, status: 'approved' }).expect(422);
    expect(approved.body).toEqual({
      statusCode: 422,
      message: 'A reservation is approved by the reservation callback only',
      error: 'Unprocessable Entity',
    });
    const moved = await post({ recordSystemId, unit: 'villa-2' }).expect(422);
    expect(moved.body.message).toBe('The unit of a reservation cannot be changed');
    expect(await everything()).toEqual(before);
  });

  it('rejects a unit id of two compounds', async () => {
    const other = { unitId: 'V-1', compoundId: new ObjectId() };
    await addUnit(service.db, tenant.organizationId, other);
    const { body } = await post({ unit: { unitId: 'V-1' } }).expect(400);
    expect(body.message).toEqual([
      'unit.unitId names more than one unit, send the slug or the recordSystemId instead',
    ]);
  });

  it('rejects a deleted unit, and units and leads of another organization', async () => {
    const other = await addTenant(service.db);
    await addLead(service.db, other.organizationId, { recordSystemId: 'theirs' });
    await post({ unit: 'villa-1' }, other.key).expect(404);
    await post({ unit: { unitId: 'V-1' } }, other.key).expect(404);
    await post({ unit: { recordSystemId: 'crm-unit-1' } }, other.key).expect(404);
    await post({ unit: 'villa-1', lead: { recordSystemId: 'theirs' } }).expect(404);
    await service.db.collection('units').updateOne({ _id: unitId }, { $set: { isDeleted: true } });
    await post({ unit: 'villa-1' }).expect(404);
  });

  it('rejects the recordSystemId of another organization', async () => {
    const other = await addTenant(service.db);
    await post({ recordSystemId: 'deal-1', unit: 'villa-1' }).expect(201);
    const before = await everything();
    await post({ recordSystemId: 'deal-1', status: 'canceled' }, other.key).expect(400);
    expect(await everything()).toEqual(before);
  });
});
