import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Document, ObjectId } from 'mongodb';
import {
  addLead,
  addReservation,
  addReserved,
  addUnit,
  addWallet,
  conventions,
  mayReadEvents,
} from '../support/builders.js';
import { range } from '../support/counting.js';
import { sharedService } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';

const service = sharedService();
let tenant: TenantApi;

const day = (number: number) => new Date(Date.UTC(2026, 0, number));
const old = { createdAt: day(1), updatedAt: day(1) };

const list = async (parameters: Record<string, string>, api = tenant) => {
  const query = new URLSearchParams({ limit: '100', ...parameters }).toString();
  return (await api.get(`/reservations?${query}`).expect(200)).body;
};

/** Returns the external ids of the listed reservations. */
const listed = async (parameters: Record<string, string>, api = tenant): Promise<string> =>
  (await list(parameters, api)).data
    .map(({ recordSystemId }: Document) => recordSystemId)
    .toSorted()
    .join(' ');

beforeAll(async () => {
  tenant = await service.addTenant({ key: mayReadEvents });
  const unitId = await tenant.add(addUnit, old);
  await tenant.add(addReserved, unitId, old);
});

describe('GET /reservations', () => {
  it('lists reservations with wallets as GET /reservations/:reservationId does', async () => {
    const own = await service.addTenant({ key: mayReadEvents });
    const ownUnit = await own.add(addUnit);
    const cheques = [{ installmentId: '1', chequeAmount: 5, dueDate: day(2) }];
    const ids: ObjectId[] = [];
    for (let count = 0; count < 12; count++) {
      const reservationId = await own.add(addReservation, ownUnit);
      ids.push(reservationId);
      const wallet = { reservationId, unitId: ownUnit, cheques };
      if (count % 3 === 0) await own.add(addWallet, wallet);
      const deletion = { isDeleted: true, deletedAt: day(count + 1) };
      if (count % 2 === 0) await own.add(addWallet, { ...wallet, ...deletion });
    }
    const read = ids.map(async (id) => (await own.get(`/reservations/${id.toHexString()}`)).body);
    const expected = (await Promise.all(read)).map(({ data }) => {
      const { deletedChequeWallets: _deleted, ...reservation } = data;
      return reservation;
    });
    const first = await own.get('/reservations?after=0&limit=7').expect(200);
    const { next } = first.body.pagination;
    expect(first.body.pagination).toMatchObject({ count: 7, total: 12, pages: 2 });
    const second = await own.get(`/reservations?limit=7&after=${next}`).expect(200);
    expect([...first.body.data, ...second.body.data]).toEqual(expected);
    expect(second.headers).toHaveProperty('x-updated-as-of');
    const newest = (await list({}, own)).data;
    expect(newest).toEqual(expected.toReversed());
  });

  it('supports If-None-Match', async () => {
    const path = '/reservations?limit=1';
    const { headers } = await tenant.get(path).expect(200);
    await tenant
      .get(path)
      .set('if-none-match', headers['etag'] ?? '')
      .expect(304);
  });

  it('filters by external id, unit, lead and status', async () => {
    const own = await service.addTenant({ key: mayReadEvents });
    const villa = await own.add(addUnit, { slug: 'villa-1', recordSystemId: 'crm-1', unitId: 'V' });
    const other = await own.add(addUnit);
    const leadId = await own.add(addLead, { recordSystemId: 'form-1' });
    await own.add(addReservation, villa, { recordSystemId: 'a', leadId, status: 'approved' });
    await own.add(addReservation, villa, { recordSystemId: 'b', status: 'pending' });
    await own.add(addReservation, other, { recordSystemId: 'c', leadId, status: 'expired' });
    for (const unit of ['villa-1', 'crm-1', 'V', villa.toHexString()]) {
      expect(await listed({ unit }, own)).toBe('a b');
    }
    for (const lead of ['form-1', leadId.toHexString()]) {
      expect(await listed({ lead }, own)).toBe('a c');
    }
    expect(await listed({ status: 'approved,expired' }, own)).toBe('a c');
    expect(await listed({ status: 'approved', unit: 'villa-1' }, own)).toBe('a');
    expect(await listed({ recordSystemId: 'b' }, own)).toBe('b');
    for (const none of [{ unit: 'castle' }, { lead: 'nobody' }, { recordSystemId: 'A' }]) {
      expect(await listed(none as Record<string, string>, own)).toBe('');
    }
    const { body } = await own.get('/reservations?status=sold').expect(400);
    expect(body.message).toEqual([
      'status must be one of the following values: pending, approved, pending_cheque_collection, rejected, canceled, expired',
    ]);
  });

  it('finds changes of the reservation and of its wallet by any program', async () => {
    const own = await service.addTenant({ key: mayReadEvents });
    const ownUnit = await own.add(addUnit, old);
    const add = (recordSystemId: string, fields: Document = {}) =>
      own.add(addReserved, ownUnit, { recordSystemId, ...old, ...fields });
    await add('old');
    await add('changed', { updatedAt: day(20), createdAt: day(1) });
    await add('gone', { isDeleted: false });
    const { organizationId } = own;
    const reservations = service.db.collection('reservations');
    const wallets = service.db.collection('chequeWallets');
    const deletion = { $set: { isDeleted: true, deletedAt: day(18) } };
    await reservations.updateOne({ organizationId, recordSystemId: 'gone' }, deletion);
    for (const [recordSystemId, $set] of [
      ['collected', { updatedAt: day(16), 'cheques.0.status': 'collected' }],
      ['bounced', { deletedAt: day(17), isDeleted: true }],
    ] as const) {
      const reservationId = await add(recordSystemId);
      await wallets.updateOne({ reservationId }, { $set });
    }
    const reservationId = await add('late');
    const cheques = [{ installmentId: '9' }];
    await wallets.deleteOne({ reservationId });
    const wallet = { reservationId, unitId: ownUnit, cheques, updatedAt: day(16) };
    await own.add(addWallet, wallet);
    const updatedSince = day(15).toISOString();
    expect(await listed({ updatedSince }, own)).toBe('bounced changed collected late');
    expect(await listed({ updatedSince, includeDeleted: '1' }, own)).toBe(
      'bounced changed collected gone late',
    );
  });

  it('returns every reservation when more than a thousand wallets changed', async () => {
    const own = await service.addTenant({ key: mayReadEvents });
    const { organizationId } = own;
    const ownUnit = await own.add(addUnit, old);
    await own.add(addReservation, ownUnit, { recordSystemId: 'unchanged', ...old });
    const wallets = (count: number) =>
      range(count).map(() => ({
        ...conventions(organizationId),
        reservationId: new ObjectId(),
        updatedAt: day(20),
        cheques: [],
      }));
    const updatedSince = day(15).toISOString();
    await service.db.collection('chequeWallets').insertMany(wallets(1_000));
    expect(await listed({ updatedSince }, own)).toBe('');
    // Wallets without a reservation, and several of one, also count.
    const same = { ...wallets(1)[0], _id: new ObjectId(), isDeleted: true, reservationId: null };
    await service.db.collection('chequeWallets').insertOne(same);
    expect(await listed({ updatedSince }, own)).toBe('unchanged');
  });

  it('finds the reservations of all units with a unitId', async () => {
    const own = await service.addTenant({ key: mayReadEvents });
    const { organizationId } = own;
    const units = range(120).map(() => {
      return { ...conventions(organizationId), compoundId: new ObjectId(), unitId: '101' };
    });
    await service.db.collection('units').insertMany(units);
    const reservations = units.map(({ _id }) => ({
      ...conventions(organizationId),
      unitId: _id,
      status: 'pending',
    }));
    await service.db.collection('reservations').insertMany(reservations);
    expect((await list({ unit: '101' }, own)).pagination.total).toBe(120);
  });

  it('streams a page with large wallets', async () => {
    const own = await service.addTenant({ key: mayReadEvents });
    const ownUnit = await own.add(addUnit);
    const entry = { status: 'pending', source: 'x'.repeat(1_000) };
    const cheques = [{ installmentId: '1', statusHistory: range(1_000).map(() => entry) }];
    for (let count = 0; count < 12; count++) {
      const reservationId = await own.add(addReservation, ownUnit);
      await own.add(addWallet, { reservationId, unitId: ownUnit, cheques });
    }
    const { body, headers } = await own.get('/reservations?limit=20').expect(200);
    expect(headers).not.toHaveProperty('etag');
    expect(body.data).toHaveLength(12);
    expect(body.pagination).toMatchObject({ total: 12, next: null });
  });

  it('needs an operation that keys without a list do not have', async () => {
    const { key } = await service.addTenant();
    for (const path of ['/reservations', '/cheques']) {
      const { body } = await tenant.with(key).get(path).expect(403);
      expect(body.message).toBe('This API key does not permit reservations.list');
    }
    const { body } = await tenant.with(key).get('/leads').expect(403);
    expect(body.message).toBe('This API key does not permit leads.list');
  });
});
