import { describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { addReserved, addTenant, addUnit, type Tenant } from '../support/builders.js';
import { countDocuments, countStatuses, range } from '../support/counting.js';
import { eventually } from '../support/eventually.js';
import { sharedInstances } from '../support/instances.js';
import { rounds } from '../support/rounds.js';
import { send } from '../support/service-process.js';

const instances = sharedInstances();
const { db } = instances;

const callback = (tenant: Tenant, body: object, turn: number) =>
  send(instances.url(turn), {
    method: 'POST',
    path: '/reservations/webhook',
    key: tenant.key,
    body,
  });
const stored = async (collection: string, filter: Document) =>
  (await db.collection(collection).findOne(filter)) as Document;

describe('concurrent callbacks to two processes', () => {
  it.each(range(rounds(2, 10)))(
    'approve one of several recoveries of a unit and store all cheques (round %i)',
    async (round) => {
      const tenant = await addTenant(db);
      // A unit that is sold already has no status to change: writing it must conflict all the same.
      const unitId = await addUnit(db, tenant.organizationId, {
        status: round % 2 === 0 ? 'Available' : 'Sold',
      });
      const bounced = { status: 'canceled', cheque: 'bounced', isDeleted: true };
      const recoveries = round % 2 === 0 ? 2 : 12;
      const ids = await Promise.all(
        range(recoveries).map(() => addReserved(db, tenant.organizationId, unitId, bounced)),
      );
      const responses = await Promise.all(
        ids.map((reservationId, turn) =>
          callback(tenant, { reservationId, installmentId: '1', chequeStatus: 'collected' }, turn),
        ),
      );
      expect(countStatuses(responses)).toEqual({ 201: 1, 422: recoveries - 1 });
      expect(responses.find(({ status }) => status === 422)?.body).toMatchObject({
        message: 'This unit already reserved',
      });
      for (const [index, reservationId] of ids.entries()) {
        const isApproved = responses[index]?.status === 201;
        expect(await stored('reservations', { _id: reservationId })).toMatchObject({
          status: isApproved ? 'approved' : 'canceled',
        });
        expect(await stored('chequeWallets', { reservationId })).toMatchObject({
          isDeleted: !isApproved,
          cheques: [{ status: 'collected', statusHistory: [{ status: 'collected' }] }],
        });
      }
      expect(await stored('units', { _id: unitId })).toMatchObject({ status: 'Sold' });
    },
  );

  it('approve a recovery when a cancellation is committed before it', async () => {
    const tenant = await addTenant(db);
    const unitId = await addUnit(db, tenant.organizationId, { status: 'Sold' });
    const approved = await addReserved(db, tenant.organizationId, unitId, { status: 'approved' });
    const bounced = { status: 'canceled', cheque: 'bounced', isDeleted: true };
    const reservationId = await addReserved(db, tenant.organizationId, unitId, bounced);
    const abortedTransactions = async () =>
      (await db.admin().serverStatus())['transactions'].totalAborted as number;
    const session = db.client.startSession();
    try {
      session.startTransaction();
      const canceled = { $set: { status: 'canceled' } };
      await db.collection('reservations').updateOne({ _id: approved }, canceled, { session });
      const available = { $set: { status: 'Available' } };
      await db.collection('units').updateOne({ _id: unitId }, available, { session });
      const before = await abortedTransactions();
      let isOver = false;
      const recovery = callback(
        tenant,
        { reservationId, installmentId: '1', chequeStatus: 'collected' },
        0,
      ).finally(() => (isOver = true));
      await eventually(async () =>
        expect(isOver || (await abortedTransactions()) > before).toBe(true),
      );
      await session.commitTransaction();
      expect(await recovery).toMatchObject({ status: 201 });
    } finally {
      await session.endSession();
    }
    expect(await stored('reservations', { _id: reservationId })).toMatchObject({
      status: 'approved',
    });
    expect(await stored('units', { _id: unitId })).toMatchObject({ status: 'Sold' });
  });

  it('keep sixty history entries after sixty reports about one wallet', async () => {
    const tenant = await addTenant(db);
    const unitId = await addUnit(db, tenant.organizationId);
    const reservationId = await addReserved(db, tenant.organizationId, unitId, {
      status: 'pending',
    });
    const responses = await Promise.all(
      range(60).map((i) =>
        callback(
          tenant,
          { reservationId, installmentId: '1', chequeStatus: 'overdue', chequeNumber: `${i}` },
          i,
        ),
      ),
    );
    expect(countStatuses(responses)).toEqual({ 201: 60 });
    const { cheques } = await stored('chequeWallets', { reservationId });
    const numbers = cheques[0].statusHistory.map((entry: Document) => entry['chequeNumber']);
    expect(numbers).toHaveLength(60);
    expect(new Set(numbers)).toEqual(new Set(range(60).map(String)));
    expect(await countDocuments(db, 'outboxEvents', tenant)).toBe(60);
    expect(await countDocuments(db, 'reservationCallbacks', tenant)).toBe(60);
  });

  it.each(range(rounds(2, 10)))(
    'apply a recovery and a cancellation in some sequential order (round %i)',
    async () => {
      const tenant = await addTenant(db);
      const unitId = await addUnit(db, tenant.organizationId);
      const reservationId = await addReserved(db, tenant.organizationId, unitId, {
        status: 'canceled',
        cheque: 'bounced',
        isDeleted: true,
      });
      const responses = await Promise.all([
        callback(tenant, { reservationId, installmentId: '1', chequeStatus: 'collected' }, 0),
        callback(tenant, { reservationId, reservationStatus: 'canceled' }, 1),
      ]);
      expect(responses.map(({ status }) => status)).toEqual([201, 201]);
      const { status } = await stored('reservations', { _id: reservationId });
      const { isDeleted, cheques } = await stored('chequeWallets', { reservationId });
      const unit = await stored('units', { _id: unitId });
      expect(cheques[0].statusHistory).toHaveLength(1);
      expect([
        ['approved', false, 'Sold'],
        ['canceled', true, 'Available'],
      ]).toContainEqual([status, isDeleted, unit['status']]);
      // The other response shows the order: a cancel that came first changed nothing.
      const cameFirst = responses[1].headers.get('x-callback-reservation') === 'unchanged';
      expect(status).toBe(cameFirst ? 'approved' : 'canceled');
    },
  );

  it.each(range(rounds(2, 10)))(
    'apply an approval and a cancellation in some sequential order (round %i)',
    async () => {
      const tenant = await addTenant(db);
      const unitId = await addUnit(db, tenant.organizationId);
      const reservationId = await addReserved(db, tenant.organizationId, unitId);
      const [approval, cancel] = await Promise.all([
        callback(tenant, { reservationId, reservationStatus: 'approved' }, 0),
        callback(tenant, { reservationId, reservationStatus: 'canceled' }, 1),
      ]);
      expect(cancel.status).toBe(201);
      expect([201, 422]).toContain(approval.status);
      const reservation = await stored('reservations', { _id: reservationId });
      expect(reservation['status']).toBe('canceled');
      expect(reservation).not.toHaveProperty('approvedAt');
      expect(await stored('units', { _id: unitId })).toMatchObject({ status: 'Available' });
      expect(await stored('chequeWallets', { reservationId })).toMatchObject({ isDeleted: true });
    },
  );

  it.each(range(rounds(1, 5)))(
    'keep a unit Sold when its status is sent during an approval (round %i)',
    async () => {
      const tenant = await addTenant(db);
      const unitId = await addUnit(db, tenant.organizationId, { recordSystemId: 'erp' });
      const reservationId = await addReserved(db, tenant.organizationId, unitId);
      const sent = range(8).map((turn) =>
        send(instances.url(turn), {
          method: 'POST',
          path: '/units',
          key: tenant.key,
          body: { recordSystemId: 'erp', status: 'Available', price: turn },
        }),
      );
      const approval = callback(tenant, { reservationId, reservationStatus: 'approved' }, 1);
      const statuses = (await Promise.all([approval, ...sent])).map(({ status }) => status);
      expect(statuses).toEqual([201, ...sent.map(() => 200)]);
      expect(await stored('units', { _id: unitId })).toMatchObject({ status: 'Sold' });
    },
  );
});

describe('concurrent upserts of reservations to two processes', () => {
  const post = (tenant: Tenant, body: object, turn: number) =>
    send(instances.url(turn), { method: 'POST', path: '/reservations', key: tenant.key, body });

  it('create one reservation with one wallet for one recordSystemId', async () => {
    const tenant = await addTenant(db);
    const { organizationId } = tenant;
    await addUnit(db, organizationId, { slug: 'villa-1' });
    const responses = await Promise.all(
      range(40).map((i) =>
        post(
          tenant,
          { recordSystemId: 'deal', unit: 'villa-1', cheques: [{ installmentId: `${i}` }] },
          i,
        ),
      ),
    );
    expect(countStatuses(responses)).toEqual({ 200: 39, 201: 1 });
    expect(await countDocuments(db, 'reservations', tenant)).toBe(1);
    const wallets = await db.collection('chequeWallets').find({ organizationId }).toArray();
    expect(wallets).toHaveLength(1);
    expect(wallets[0]?.['cheques']).toHaveLength(40);
  });

  it.each(range(rounds(1, 5)))(
    'keep a unit Reserved for a new reservation when another is canceled (round %i)',
    async () => {
      const tenant = await addTenant(db);
      const unitId = await addUnit(db, tenant.organizationId, { slug: 'villa-1' });
      const reservationId = await addReserved(db, tenant.organizationId, unitId);
      const [created, canceled] = await Promise.all([
        post(tenant, { unit: 'villa-1' }, 0),
        callback(tenant, { reservationId, reservationStatus: 'canceled' }, 1),
      ]);
      expect([created.status, canceled.status]).toEqual([201, 201]);
      expect(await stored('units', { _id: unitId })).toMatchObject({ status: 'Reserved' });
    },
  );
});
