import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Document, ObjectId } from 'mongodb';
import { addReservation, addWallet, conventions } from '../../support/builders.js';
import { range } from '../../support/counting.js';
import { rounds } from '../../support/rounds.js';
import { sharedService } from '../../support/shared-service.js';
import type { TenantApi } from '../../support/tenant-api.js';
import { storedDeals } from '../deals.js';

const service = sharedService();
let tenant: TenantApi;

beforeEach(async () => {
  tenant = await service.addTenant();
});

const post = (body: object, { post: send } = tenant) => send('/reservations/reconciliation', body);

/** Adds a reservation in the partner collection flow, with its wallet. */
async function addDeal(
  cheques: Document[],
  wallet: Document = {},
  reservation: Document = {},
): Promise<string> {
  const unitId = new ObjectId();
  const reservationId = await tenant.add(addReservation, unitId, reservation);
  await tenant.add(addWallet, { reservationId, unitId, cheques, ...wallet });
  return reservationId.toHexString();
}

const entry = (reservationId: string, installmentId: string, chequeStatus: string) => ({
  reservationId,
  installmentId,
  chequeStatus,
});
const deletion = { isDeleted: true, deletedAt: new Date() };

describe('POST /reservations/reconciliation', () => {
  it('returns each difference in the order of the ledger', async () => {
    const id = await addDeal([
      { installmentId: '1', status: 'collected', chequeNumber: '7', chequeAmount: 100 },
      { installmentId: '2' },
      { installmentId: '3', status: 'overdue', chequeNumber: '007', chequeAmount: 5.5 },
    ]);
    const other = await addDeal([{ installmentId: '1', status: 'bounced' }]);
    const unknown = new ObjectId().toHexString();
    const { body } = await post({
      cheques: [
        entry(unknown, '1', 'pending'),
        { ...entry(id, '1', 'bounced'), chequeNumber: '8', chequeAmount: 101 },
        entry(other, '1', 'bounced'),
        entry('no id', '1', 'pending'),
        { ...entry(id, '2', 'pending'), chequeNumber: '9' },
        entry(id, '4', 'collected'),
        { ...entry(id.toUpperCase(), '3', 'overdue'), chequeNumber: '007', chequeAmount: 5.5 },
      ],
    }).expect(200);
    const expected = [
      [0, unknown, '1', 'reservation_missing', null, 'pending'],
      [1, id, '1', 'status', 'collected', 'bounced'],
      [1, id, '1', 'number', '7', '8'],
      [1, id, '1', 'amount', 100, 101],
      [3, 'no id', '1', 'reservation_missing', null, 'pending'],
      [4, id, '2', 'number', null, '9'],
      [5, id, '4', 'cheque_missing', null, 'collected'],
    ];
    const differences = expected.map(
      ([index, reservationId, installmentId, kind, ours, theirs]) => {
        return { index, reservationId, installmentId, kind, ours, theirs };
      },
    );
    expect(body).toEqual({ ok: false, compared: 7, matching: 2, differences });
  });

  it('returns unmentioned cheques of active and deleted wallets when the ledger is complete', async () => {
    const id = await addDeal([{ installmentId: '1' }, { installmentId: '2', status: 'overdue' }]);
    const canceled = await addDeal([{ installmentId: '1', status: 'bounced' }], deletion);
    await addDeal([{ installmentId: '1' }], {}, { partnerCollection: { isActive: false } });
    await addDeal([{ installmentId: '1' }], {}, deletion);
    await tenant.add(addReservation, new ObjectId());
    const cheques = [entry(id, '1', 'pending')];
    const matching = { compared: 1, matching: 1, differences: [], hasMore: false };
    expect((await post({ cheques, complete: true })).body).toEqual({
      ...matching,
      ok: false,
      unmentioned: [
        { reservationId: id, installmentId: '2', status: 'overdue' },
        { reservationId: canceled, installmentId: '1', status: 'bounced' },
      ],
    });
    await tenant.set('reservations', { _id: { $ne: new ObjectId(id) } }, deletion);
    const whole = { cheques: [...cheques, entry(id, '2', 'overdue')], complete: true };
    const equal = { ...matching, compared: 2, matching: 2, ok: true, unmentioned: [] };
    expect((await post(whole)).body).toEqual(equal);
  });

  it('returns reservation_missing for a cheque of another organization', async () => {
    const id = await addDeal([{ installmentId: '1' }]);
    const ledger = { cheques: [entry(id, '1', 'pending')], complete: true };
    const { body } = await post(ledger, await service.addTenant()).expect(200);
    expect(body).toMatchObject({ differences: [{ kind: 'reservation_missing' }], unmentioned: [] });
  });

  it('returns at most 10,000 unmentioned cheques, and hasMore when more exist', async () => {
    const { organizationId } = tenant;
    const cheques = range(500).map((index) => ({ installmentId: `${index}`, status: 'pending' }));
    const deals = range(21).map(() => conventions(organizationId));
    const active = { status: 'approved', partnerCollection: { isActive: true } };
    const reservations = deals.map((deal) => ({ ...deal, ...active }));
    await service.db.collection('reservations').insertMany(reservations);
    const wallets = deals.map(({ _id }) => {
      return { ...conventions(organizationId), reservationId: _id, cheques };
    });
    await service.db.collection('chequeWallets').insertMany(wallets);
    const { body } = await post({ cheques: [entry('no id', '1', 'pending')], complete: true });
    expect(body.unmentioned).toHaveLength(10_000);
    expect(body.hasMore).toBe(true);
  });

  it('reads from one snapshot during concurrent transactions', async () => {
    // Different queries read the first and the last reservation.
    const ids = await Promise.all(
      range(101).map(() => addDeal([{ installmentId: '1', status: 'collected' }])),
    );
    const reservationId = { $in: [ids[0], ids[100]].map((id) => new ObjectId(id)) };
    const flip = (status: string) =>
      service.db.client.withSession((session) =>
        session.withTransaction(() => {
          const change = { $set: { 'cheques.0.status': status } };
          const wallets = service.db.collection('chequeWallets');
          return wallets.updateMany({ reservationId }, change, { session });
        }),
      );
    let isOver = false;
    const flips = (async () => {
      for (let round = 0; !isOver; round++) await flip(round % 2 === 0 ? 'bounced' : 'collected');
    })();
    const cheques = ids.map((id) => entry(id, '1', 'collected'));
    const seen = new Set<number>();
    for (let round = 0; round < rounds(8, 100); round++) {
      const { body } = await post({ cheques }).expect(200);
      seen.add(body.differences.length);
    }
    isOver = true;
    await flips;
    expect([...seen].filter((count) => count !== 0 && count !== 2)).toEqual([]);
  });

  it('changes nothing, and replays the first response for a repeated Idempotency-Key', async () => {
    const id = await addDeal([{ installmentId: '1' }]);
    const before = await storedDeals(tenant);
    const key = crypto.randomUUID();
    const ledger = { cheques: [entry(id, '1', 'bounced')] };
    const first = await post(ledger).set('idempotency-key', key).expect(200);
    const second = await post(ledger).set('idempotency-key', key).expect(200);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(second.body).toEqual(first.body);
    expect(await storedDeals(tenant)).toEqual(before);
    expect(await tenant.stored('reservationCallbacks')).toEqual([]);
  });

  it('returns 405 for other methods instead of reading a reservation', async () => {
    const { headers } = await tenant.get('/reservations/reconciliation').expect(405);
    expect(headers['allow']).toBe('POST');
  });
});
