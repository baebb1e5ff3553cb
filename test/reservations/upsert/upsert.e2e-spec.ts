import { beforeEach, describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { addLead, addReservation, addUnit } from '../../support/builders.js';
import { range } from '../../support/counting.js';
import { rounds } from '../../support/rounds.js';
import { sharedService } from '../../support/shared-service.js';
import type { TenantApi } from '../../support/tenant-api.js';
import { storedDeals } from '../deals.js';

const service = sharedService();
const recordSystemId = 'deal-1';
const awaitingCheques = 'pending_cheque_collection';
let tenant: TenantApi;
let unitId: ObjectId;

beforeEach(async () => {
  tenant = await service.addTenant();
  unitId = await tenant.add(addUnit, {
    slug: 'villa-1',
    recordSystemId: 'crm-unit-1',
    unitId: 'V-1',
    compoundId: new ObjectId(),
  });
});

const post = (body: object, { post: send } = tenant) => send('/reservations', body);
const create = async (fields: object = {}) => {
  const { body } = await post({ recordSystemId, unit: 'villa-1', ...fields }).expect(201);
  return body.reservation;
};
const callback = (body: object) => tenant.post('/reservations/webhook', body).expect(201);
const unitStatus = async () => (await tenant.storedOne('units', { _id: unitId }))['status'];
const events = () => tenant.stored('outboxEvents');
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

describe('a new reservation of POST /reservations', () => {
  it('gets a wallet, reserves the unit and emits an event for each', async () => {
    const leadId = await tenant.add(addLead, { recordSystemId: 'lead-1' });
    const details = { chequeNumber: '0001', chequeAmount: 5e5 };
    const { body } = await post({
      recordSystemId,
      unit: 'villa-1',
      lead: { recordSystemId: 'lead-1' },
      status: awaitingCheques,
      partnerCollection: true,
      cheques: [{ installmentId: '1', ...details, dueDate: '2026-12-01' }, { installmentId: '2' }],
    }).expect(201);
    const { reservation } = body;
    const id = expect.stringMatching(/^[0-9a-f]{24}$/);
    const unit = unitId.toHexString();
    const conventions = { _id: id, isDeleted: false, createdAt: time, updatedAt: time };
    const pending = { status: 'pending', statusHistory: [] };
    const dueDate = '2026-12-01T00:00:00.000Z';
    expect(body).toEqual({
      ok: true,
      operation: 'create',
      reservation: {
        ...conventions,
        recordSystemId,
        unitId: unit,
        leadId: leadId.toHexString(),
        status: awaitingCheques,
        partnerCollection: { isActive: true },
        approvedAt: null,
        canceledAt: null,
        chequeWallet: {
          ...conventions,
          reservationId: reservation._id,
          unitId: unit,
          deletedAt: null,
          cheques: [
            { installmentId: '1', ...pending, ...details, dueDate },
            { installmentId: '2', ...pending },
          ],
        },
      },
    });
    const [created, ...others] = await events();
    expect(created).toMatchObject({ type: 'reservation.created', data: reservation });
    expect(created).not.toHaveProperty('changes');
    const changes = [{ field: 'status', from: 'Available', to: 'Reserved' }];
    expect(others).toMatchObject([
      { type: 'wallet.created', data: reservation.chequeWallet },
      { type: 'unit.updated', data: { slug: 'villa-1', status: 'Reserved' }, changes },
    ]);
    const read = await tenant.get(`/reservations/${reservation._id}`).expect(200);
    expect(read.body).toEqual({ data: { ...reservation, deletedChequeWallets: [] } });
  });

  it.each([
    ['slug', 'villa-1'],
    ['recordSystemId', { recordSystemId: 'crm-unit-1' }],
    ['unitId', { unitId: 'V-1' }],
  ])('is pending without a wallet when only a unit is sent, by %s', async (_title, unit) => {
    const { reservation } = (await post({ unit }).expect(201)).body;
    expect(reservation).toMatchObject({
      unitId: unitId.toHexString(),
      leadId: null,
      status: 'pending',
      partnerCollection: { isActive: false },
      chequeWallet: null,
    });
    expect(reservation).not.toHaveProperty('recordSystemId');
  });

  it('is created by each request without a recordSystemId', async () => {
    await post({ unit: 'villa-1' }).expect(201);
    await post({ unit: 'villa-1' }).expect(201);
    expect(await tenant.stored('reservations')).toHaveLength(2);
  });
});

it('a unit stays Sold while a reservation is approved, regardless of the letter case of the sent status', async () => {
  await tenant.add(addReservation, unitId, { status: 'approved' });
  for (const status of ['Available', 'aVAILABLE', 'reserved']) {
    await tenant.post('/units', { recordSystemId: 'crm-unit-1', status }).expect(200);
    expect(await unitStatus()).toBe('Sold');
    expect((await tenant.get(`/units?status=${status}`).expect(200)).body.data).toEqual([]);
  }
});

describe('POST /reservations with a known recordSystemId', () => {
  it('updates the active reservation and emits the changes', async () => {
    const { _id } = await create();
    await tenant.add(addLead, { recordSystemId: 'lead-2' });
    const { body } = await post({
      recordSystemId,
      unit: { unitId: 'V-1' },
      lead: { recordSystemId: 'lead-2' },
      status: awaitingCheques,
      partnerCollection: true,
    }).expect(200);
    expect(body).toMatchObject({ ok: true, operation: 'update', reservation: { _id } });
    expect((await events()).at(-1)).toMatchObject({
      type: 'reservation.updated',
      data: body.reservation,
      changes: [
        { field: 'leadId', from: null, to: expect.stringMatching(/^[0-9a-f]{24}$/) },
        { field: 'status', from: 'pending', to: awaitingCheques },
        { field: 'partnerCollection.isActive', from: false, to: true },
      ],
    });
  });

  it('stores nothing when nothing changes', async () => {
    const cheques = [{ installmentId: '1', chequeAmount: 5, dueDate: '2026-01-01T00:00:00Z' }];
    await create({ cheques });
    const before = await storedDeals(tenant);
    await post({ recordSystemId, unit: 'villa-1', status: 'pending', cheques }).expect(200);
    // The unit's lock is unchanged too, so a repeated request delays no decision about the unit.
    expect(await storedDeals(tenant)).toEqual(before);
  });

  it.each([
    ['rejected', null, []],
    ['canceled', time, ['wallet.deleted']],
  ])('frees the unit when the status becomes %s', async (status, canceledAt, deletion) => {
    await create({ partnerCollection: true, cheques: [{ installmentId: '1' }] });
    const before = (await events()).length;
    const { reservation } = (await post({ recordSystemId, status }).expect(200)).body;
    const chequeWallet = { isDeleted: deletion.length > 0 };
    expect(reservation).toMatchObject({ status, canceledAt, chequeWallet });
    expect(await unitStatus()).toBe('Available');
    const emitted = (await events()).slice(before).map(({ type }) => type);
    expect(emitted).toEqual(['reservation.updated', ...deletion, 'unit.updated']);
  });

  it('adds new cheques and keeps the status and history of known ones', async () => {
    const { _id } = await create({ cheques: [{ installmentId: '1', chequeNumber: 'A' }] });
    await callback({ reservationId: _id, installmentId: '1', chequeStatus: 'overdue' });
    const sent = { installmentId: '2', chequeAmount: 7 };
    const cheques = [sent, { installmentId: '1', chequeNumber: 'B' }];
    const { body } = await post({ recordSystemId, cheques }).expect(200);
    const statusHistory = [{ status: 'overdue', changedAt: time, source: 'External API' }];
    expect(body.reservation.chequeWallet.cheques).toEqual([
      { installmentId: '1', status: 'overdue', chequeNumber: 'B', statusHistory },
      { ...sent, status: 'pending', statusHistory: [] },
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

  it('keeps a reservation approved until it is canceled, and canceled until it is reopened', async () => {
    const request = { recordSystemId, unit: 'villa-1', status: awaitingCheques };
    const { _id } = await create(request);
    await callback({ reservationId: _id, reservationStatus: 'approved' });
    const before = await tenant.stored('reservations');
    for (const reopen of [false, true]) {
      const { body, headers } = await post({ ...request, reopen }).expect(200);
      expect(headers['x-ignored-fields']).toBe('status');
      expect(body.reservation.status).toBe('approved');
    }
    for (const status of ['rejected', 'expired']) {
      const { body, headers } = await post({ ...request, status }).expect(200);
      expect(headers['x-ignored-fields']).toBe('status');
      expect(body.reservation.status).toBe('approved');
    }
    const same = await post({ ...request, status: 'approved' }).expect(200);
    expect(same.headers).not.toHaveProperty('x-ignored-fields');
    expect(await tenant.stored('reservations')).toEqual(before);
    expect(await unitStatus()).toBe('Sold');
    await post({ recordSystemId, status: 'canceled' }).expect(200);
    expect(await unitStatus()).toBe('Available');
    const { body, headers } = await post({ ...request, reopen: true }).expect(200);
    expect(body.reservation).toMatchObject({ status: awaitingCheques, canceledAt: null });
    expect(headers).not.toHaveProperty('x-ignored-fields');
    expect(await unitStatus()).toBe('Reserved');
  });

  it.each(range(rounds(1, 10)))('keeps a concurrent callback approval (round %i)', async () => {
    const request = { recordSystemId, status: awaitingCheques };
    const { _id } = await create(request);
    await Promise.all([
      post(request).expect(200),
      callback({ reservationId: _id, reservationStatus: 'approved' }),
      post(request).expect(200),
    ]);
    expect(await tenant.stored('reservations')).toMatchObject([{ status: 'approved' }]);
    expect(await unitStatus()).toBe('Sold');
  });

  it('creates a new reservation when the old one is deleted', async () => {
    const { _id } = await create();
    await tenant.set('reservations', {}, { isDeleted: true });
    expect((await create())._id).not.toBe(_id);
  });
});

describe('POST /reservations with invalid data', () => {
  const notApproved = 'Only the reservation callback can approve a reservation';
  const notCreated = 'A reservation can only be created as pending or pending_cheque_collection';
  const unit = 'villa-1';

  it.each<[string, number, string, object]>([
    ['an unknown unit', 404, 'Unit not found', { unit: 'unknown' }],
    ['an unknown unit id', 404, 'Unit not found', { unit: { unitId: 'unknown' } }],
    ['an unknown external id', 404, 'Unit not found', { unit: { recordSystemId: 'V-1' } }],
    ['an unknown lead', 404, 'Lead not found', { unit, lead: { recordSystemId: 'unknown' } }],
    ['the status approved on creation', 422, notApproved, { unit, status: 'approved' }],
    ['the status canceled on creation', 422, notCreated, { unit, status: 'canceled' }],
    ['approval on update', 422, notApproved, { recordSystemId, status: 'approved' }],
    [
      'another unit on update',
      422,
      'The unit of a reservation cannot be changed: create another reservation',
      { recordSystemId, unit: 'villa-2' },
    ],
  ])('refuses %s', async (_title, statusCode, message, body) => {
    await tenant.add(addUnit, { slug: 'villa-2' });
    await create();
    const before = await storedDeals(tenant);
    const response = await post(body).expect(statusCode);
    expect(response.body).toMatchObject({ statusCode, message, error: expect.any(String) });
    expect(await storedDeals(tenant)).toEqual(before);
  });

  it('refuses a unit id of two compounds', async () => {
    const other = { unitId: 'V-1', compoundId: new ObjectId() };
    await tenant.add(addUnit, other);
    const { body } = await post({ unit: { unitId: 'V-1' } }).expect(400);
    expect(body.message).toEqual([
      'unit.unitId matches more than one unit: send the slug or the recordSystemId instead',
    ]);
  });

  it('refuses a deleted unit, and everything of another organization', async () => {
    const other = await service.addTenant();
    await other.add(addLead, { recordSystemId: 'theirs' });
    await create();
    const before = await storedDeals(tenant);
    for (const named of [unit, { unitId: 'V-1' }, { recordSystemId: 'crm-unit-1' }]) {
      await post({ unit: named }, other).expect(404);
    }
    await post({ recordSystemId, status: 'canceled' }, other).expect(400);
    await post({ unit, lead: { recordSystemId: 'theirs' } }).expect(404);
    expect(await storedDeals(tenant)).toEqual(before);
    await tenant.set('units', { _id: unitId }, { isDeleted: true });
    await post({ unit }).expect(404);
  });
});
