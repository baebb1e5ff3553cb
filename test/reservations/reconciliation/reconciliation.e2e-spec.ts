import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Document, ObjectId } from 'mongodb';
import {
  addReservation,
  addTenant,
  addWallet,
  conventions,
  type Tenant,
} from '../../support/builders.js';
import { rounds } from '../../support/rounds.js';
import { sharedService } from '../../support/shared-service.js';

const service = sharedService();
let tenant: Tenant;

beforeEach(async () => {
  tenant = await addTenant(service.db);
});

const post = (body: object, key = tenant.key) =>
  service.api('post', '/reservations/reconciliation').set('api-key', key).send(body);

/** A reservation in the partner's flow with its wallet. */
async function addDeal(
  cheques: Document[],
  wallet: Document = {},
  reservation: Document = {},
): Promise<string> {
  const { organizationId } = tenant;
  const unitId = new ObjectId();
  const reservationId = await addReservation(service.db, organizationId, unitId, reservation);
  await addWallet(service.db, organizationId, { reservationId, unitId, cheques, ...wallet });
  return reservationId.toHexString();
}

const entry = (reservationId: string, installmentId: string, chequeStatus: string) => ({
  reservationId,
  installmentId,
  chequeStatus,
});

describe('POST /reservations/reconciliation', () => {
  it('returns no difference when all sent fields are equal', async () => {
    const id = await addDeal([
      { installmentId: '1', status: 'collected', chequeNumber: '007', chequeAmount: 250.5 },
      { installmentId: '2', status: 'bounced' },
    ]);
    const { body } = await post({
      cheques: [
        { ...entry(id.toUpperCase(), '1', 'collected'), chequeNumber: '007', chequeAmount: 250.5 },
        entry(id, '2', 'bounced'),
      ],
      complete: true,
    }).expect(200);
    expect(body).toEqual({
      ok: true,
      compared: 2,
      matching: 2,
      differences: [],
      unmentioned: [],
      hasMore: false,
    });
  });

  it('returns each difference in the order of the ledger', async () => {
    const id = await addDeal([
      { installmentId: '1', status: 'collected', chequeNumber: '7', chequeAmount: 100 },
      { installmentId: '2' },
      { installmentId: '3', status: 'overdue', chequeAmount: 5 },
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
        { ...entry(id, '3', 'overdue'), chequeAmount: 5 },
      ],
    }).expect(200);
    expect(body).toMatchObject({ ok: false, compared: 7, matching: 2 });
    expect(body).not.toHaveProperty('unmentioned');
    const expected = [
      [0, unknown, '1', 'reservation_missing', null, 'pending'],
      [1, id, '1', 'status', 'collected', 'bounced'],
      [1, id, '1', 'number', '7', '8'],
      [1, id, '1', 'amount', 100, 101],
      [3, 'no id', '1', 'reservation_missing', null, 'pending'],
      [4, id, '2', 'number', null, '9'],
      [5, id, '4', 'cheque_missing', null, 'collected'],
    ];
    expect(body.differences).toEqual(
      expected.map(([index, reservationId, installmentId, kind, ours, theirs]) => {
        return { index, reservationId, installmentId, kind, ours, theirs };
      }),
    );
  });

  it('returns unmentioned cheques of active and deleted wallets when the ledger is complete', async () => {
    const id = await addDeal([{ installmentId: '1' }, { installmentId: '2', status: 'overdue' }]);
    const canceled = await addDeal([{ installmentId: '1', status: 'bounced' }], {
      isDeleted: true,
      deletedAt: new Date(),
    });
    await addDeal([{ installmentId: '1' }], {}, { partnerCollection: { isActive: false } });
    await addDeal([{ installmentId: '1' }], {}, { isDeleted: true, deletedAt: new Date() });
    await addReservation(service.db, tenant.organizationId, new ObjectId());
    const { body } = await post({ cheques: [entry(id, '1', 'pending')], complete: true });
    expect(body).toEqual({
      ok: false,
      compared: 1,
      matching: 1,
      differences: [],
      unmentioned: [
        { reservationId: id, installmentId: '2', status: 'overdue' },
        { reservationId: canceled, installmentId: '1', status: 'bounced' },
      ],
      hasMore: false,
    });
  });

  it('returns reservation_missing for a cheque of another organization', async () => {
    const id = await addDeal([{ installmentId: '1' }]);
    const stranger = await addTenant(service.db);
    const ledger = { cheques: [entry(id, '1', 'pending')], complete: true };
    const { body } = await post(ledger, stranger.key).expect(200);
    expect(body).toMatchObject({
      differences: [{ kind: 'reservation_missing' }],
      unmentioned: [],
    });
  });

  it('returns at most 10,000 unmentioned cheques, and hasMore when more exist', async () => {
    const { organizationId } = tenant;
    const cheques = Array.from({ length: 500 }, (_one, index) => ({
      installmentId: String(index),
      status: 'pending',
    }));
    const deals = Array.from({ length: 21 }, () => conventions(organizationId));
    const active = { status: 'approved', partnerCollection: { isActive: true } };
    await service.db
      .collection('reservations')
      .insertMany(deals.map((deal) => ({ ...deal, ...active })));
    await service.db
      .collection('chequeWallets')
      .insertMany(
        deals.map(({ _id }) => ({ ...conventions(organizationId), reservationId: _id, cheques })),
      );
    const { body } = await post({ cheques: [entry('no id', '1', 'pending')], complete: true });
    expect(body.unmentioned).toHaveLength(10_000);
    expect(body.hasMore).toBe(true);
  });

  it('returns one snapshot, never half of another transaction', async () => {
    // Different queries read the first and the last reservation.
    const deals = Array.from({ length: 101 }, () =>
      addDeal([{ installmentId: '1', status: 'collected' }]),
    );
    const ids = await Promise.all(deals);
    const swapped = [ids[0], ids[100]].map((id) => new ObjectId(id));
    const flip = (status: string) =>
      service.db.client.withSession((session) =>
        session.withTransaction(() =>
          service.db
            .collection('chequeWallets')
            .updateMany(
              { reservationId: { $in: swapped } },
              { $set: { 'cheques.0.status': status } },
              { session },
            ),
        ),
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
    const state = () =>
      Promise.all(
        ['reservations', 'chequeWallets', 'outboxEvents', 'changeLogs', 'callbackLogs'].map(
          (name) =>
            service.db.collection(name).find({ organizationId: tenant.organizationId }).toArray(),
        ),
      );
    const before = await state();
    const key = crypto.randomUUID();
    const ledger = { cheques: [entry(id, '1', 'bounced')] };
    const first = await post(ledger).set('idempotency-key', key).expect(200);
    const second = await post(ledger).set('idempotency-key', key).expect(200);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(second.body).toEqual(first.body);
    expect(await state()).toEqual(before);
  });

  it('returns 405 for other methods instead of reading a reservation', async () => {
    const { headers } = await service
      .api('get', '/reservations/reconciliation')
      .set('api-key', tenant.key)
      .expect(405);
    expect(headers['allow']).toBe('POST');
  });
});
