import { describe, expect, it } from '@jest/globals';
import type { Document, ObjectId } from 'mongodb';
import { addReserved, addUnit } from '../support/builders.js';
import { countStatuses, range } from '../support/counting.js';
import { eventually } from '../support/eventually.js';
import { sharedInstances } from '../support/instances.js';
import { rounds } from '../support/rounds.js';

const instances = sharedInstances();
const { db } = instances;

const bounced = { status: 'canceled', cheque: 'bounced', isDeleted: true };
const collected = { installmentId: '1', chequeStatus: 'collected' };

async function addDeals(unit: Document = {}) {
  const tenant = await instances.addTenant();
  const unitId = await tenant.add(addUnit, unit);
  return {
    ...tenant,
    unitId,
    reserve: (fields: Document = {}) => tenant.add(addReserved, unitId, fields),
    report: (turn: number, reservationId: ObjectId, body: object) =>
      tenant.postTo(turn, '/reservations/webhook', { reservationId, ...body }),
    /** Returns the statuses of the reservation and its unit, and whether its wallet is deleted. */
    stateOf: async (reservationId: ObjectId) => {
      const { status } = await tenant.storedOne('reservations', { _id: reservationId });
      const { isDeleted } = await tenant.storedOne('chequeWallets', { reservationId });
      const unitNow = await tenant.storedOne('units', { _id: unitId });
      return [status, unitNow['status'], isDeleted] as unknown[];
    },
  };
}

describe('concurrent callbacks to two processes', () => {
  it.each(
    range(rounds(2, 10)).map((round) => [round, round % 2 === 0 ? 'Available' : 'Sold'] as const),
  )(
    'approve one of several recoveries of a unit and store all cheques (round %i, %s)',
    async (round, status) => {
      // The status of a sold unit does not change, yet concurrent writes to it must conflict.
      const { report, reserve, stateOf, storedOne } = await addDeals({ status });
      const recoveries = round % 2 === 0 ? 2 : 12;
      const ids = await Promise.all(range(recoveries).map(() => reserve(bounced)));
      const responses = await Promise.all(ids.map((id, turn) => report(turn, id, collected)));
      expect(countStatuses(responses)).toEqual({ 201: 1, 422: recoveries - 1 });
      const refused = responses.find((response) => response.status === 422);
      expect(refused?.body).toMatchObject({ message: 'This unit already reserved' });
      for (const [index, reservationId] of ids.entries()) {
        const isApproved = responses[index]?.status === 201;
        const reservation = isApproved ? 'approved' : 'canceled';
        expect(await stateOf(reservationId)).toEqual([reservation, 'Sold', !isApproved]);
        const { cheques } = await storedOne('chequeWallets', { reservationId });
        const statusHistory = [{ status: 'collected' }];
        expect(cheques).toMatchObject([{ status: 'collected', statusHistory }]);
      }
    },
  );

  it('approve a recovery when a cancellation is committed before it', async () => {
    const { report, reserve, stateOf, unitId } = await addDeals({ status: 'Sold' });
    const approved = await reserve({ status: 'approved' });
    const reservationId = await reserve(bounced);
    const countAborted = async () =>
      (await db.admin().serverStatus())['transactions'].totalAborted as number;
    const session = db.client.startSession();
    const cancel = async (collection: string, _id: ObjectId, status: string) =>
      db.collection(collection).updateOne({ _id }, { $set: { status } }, { session });
    try {
      session.startTransaction();
      await cancel('reservations', approved, 'canceled');
      await cancel('units', unitId, 'Available');
      const before = await countAborted();
      let isOver = false;
      const recovery = report(0, reservationId, collected).finally(() => (isOver = true));
      await eventually(async () => expect(isOver || (await countAborted()) > before).toBe(true));
      await session.commitTransaction();
      expect(await recovery).toMatchObject({ status: 201 });
    } finally {
      await session.endSession();
    }
    expect(await stateOf(reservationId)).toEqual(['approved', 'Sold', false]);
  });

  it('keep sixty history entries after sixty reports about one wallet', async () => {
    const { count, report, reserve, storedOne } = await addDeals();
    const reservationId = await reserve({ status: 'pending' });
    const overdue = { installmentId: '1', chequeStatus: 'overdue' };
    const responses = await Promise.all(
      range(60).map((i) => report(i, reservationId, { ...overdue, chequeNumber: `${i}` })),
    );
    expect(countStatuses(responses)).toEqual({ 201: 60 });
    const { cheques } = await storedOne('chequeWallets', { reservationId });
    const numbers = cheques[0].statusHistory.map((entry: Document) =>
      Number(entry['chequeNumber']),
    );
    expect(numbers.toSorted((a: number, b: number) => a - b)).toEqual(range(60));
    expect([await count('outboxEvents'), await count('reservationCallbacks')]).toEqual([60, 60]);
  });

  const canceled = { reservationStatus: 'canceled' };

  it.each(range(rounds(2, 10)))(
    'apply a recovery and a cancellation in some sequential order (round %i)',
    async () => {
      const { report, reserve, stateOf, storedOne } = await addDeals();
      const reservationId = await reserve(bounced);
      const [recovery, cancel] = await Promise.all([
        report(0, reservationId, collected),
        report(1, reservationId, canceled),
      ]);
      expect([recovery.status, cancel.status]).toEqual([201, 201]);
      // The response of the cancellation shows the order: if it came first, it changed nothing.
      const cameFirst = cancel.headers.get('x-callback-reservation') === 'unchanged';
      expect(await stateOf(reservationId)).toEqual(
        cameFirst ? ['approved', 'Sold', false] : ['canceled', 'Available', true],
      );
      const { cheques } = await storedOne('chequeWallets', { reservationId });
      expect(cheques[0].statusHistory).toHaveLength(1);
    },
  );

  it.each(range(rounds(2, 10)))(
    'apply an approval and a cancellation in some sequential order (round %i)',
    async () => {
      const { report, reserve, stateOf, storedOne } = await addDeals();
      const reservationId = await reserve();
      const [approval, cancel] = await Promise.all([
        report(0, reservationId, { reservationStatus: 'approved' }),
        report(1, reservationId, canceled),
      ]);
      expect(cancel.status).toBe(201);
      expect([201, 422]).toContain(approval.status);
      expect(await stateOf(reservationId)).toEqual(['canceled', 'Available', true]);
      expect(await storedOne('reservations')).not.toHaveProperty('approvedAt');
    },
  );

  it.each(range(rounds(1, 5)))(
    'keep a unit Sold when its status is sent during an approval (round %i)',
    async () => {
      const { postTo, report, reserve, stateOf } = await addDeals({ recordSystemId: 'erp' });
      const reservationId = await reserve();
      const available = { recordSystemId: 'erp', status: 'Available' };
      const responses = await Promise.all([
        report(1, reservationId, { reservationStatus: 'approved' }),
        ...range(8).map((turn) => postTo(turn, '/units', { ...available, price: turn })),
      ]);
      expect(countStatuses(responses)).toEqual({ 200: 8, 201: 1 });
      expect(await stateOf(reservationId)).toEqual(['approved', 'Sold', false]);
    },
  );
});

describe('concurrent upserts of reservations to two processes', () => {
  it('create one reservation with one wallet for one recordSystemId', async () => {
    const { count, postTo, stored } = await addDeals({ slug: 'villa-1' });
    const deal = { recordSystemId: 'deal', unit: 'villa-1' };
    const responses = await Promise.all(
      range(40).map((i) =>
        postTo(i, '/reservations', { ...deal, cheques: [{ installmentId: `${i}` }] }),
      ),
    );
    expect(countStatuses(responses)).toEqual({ 200: 39, 201: 1 });
    expect(await count('reservations')).toBe(1);
    const wallets = await stored('chequeWallets');
    expect(wallets.map(({ cheques }) => (cheques as unknown[]).length)).toEqual([40]);
  });

  it.each(range(rounds(1, 5)))(
    'keep a unit Reserved for a new reservation when another is canceled (round %i)',
    async () => {
      const { postTo, report, reserve, stateOf } = await addDeals({ slug: 'villa-1' });
      const reservationId = await reserve();
      const responses = await Promise.all([
        postTo(0, '/reservations', { unit: 'villa-1' }),
        report(1, reservationId, { reservationStatus: 'canceled' }),
      ]);
      expect(countStatuses(responses)).toEqual({ 201: 2 });
      expect(await stateOf(reservationId)).toEqual(['canceled', 'Reserved', true]);
    },
  );
});
