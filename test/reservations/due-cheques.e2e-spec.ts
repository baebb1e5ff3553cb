import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Response } from 'supertest';
import type { Document } from 'mongodb';
import {
  addReservation,
  addUnit,
  addWallet,
  conventions,
  mayReadEvents,
} from '../support/builders.js';
import { rounds } from '../support/rounds.js';
import { sharedService } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';

const service = sharedService();
const statuses = ['pending', 'collected', 'overdue', 'bounced', 'post_dated'];

const day = (number: number) => new Date(Date.UTC(2026, 0, number));

async function tenantWithTwoCheques(): Promise<TenantApi> {
  const api = await service.addTenant({ key: mayReadEvents });
  const unitId = await api.add(addUnit);
  const reservationId = await api.add(addReservation, unitId);
  const cheques = ['1', '2'].map((installmentId) => ({ installmentId, dueDate: day(1) }));
  await api.add(addWallet, { reservationId, unitId, cheques });
  return api;
}

async function pagesOf(
  api: TenantApi,
  parameters: Record<string, string>,
  limit: number,
): Promise<Document[]> {
  const query = new URLSearchParams({ ...parameters, limit: String(limit) }).toString();
  const items: Document[] = [];
  for (let after: string | null = '0'; after !== null;) {
    const page: Response = await api.get(`/cheques?${query}&after=${after}`).expect(200);
    const { body, headers } = page;
    expect(headers).not.toHaveProperty('x-updated-as-of');
    items.push(...body.data);
    after = body.pagination.next;
    if (after !== null) expect(body.data).toHaveLength(limit);
    expect(body.pagination.total).toBeGreaterThanOrEqual(items.length);
    if (after === null) expect(body.pagination.total).toBe(items.length);
  }
  return items;
}

interface Wallet {
  readonly kind: 'active' | 'deleted' | 'of a deleted reservation';
  readonly cheques: readonly { readonly status: string; readonly due: number | null }[];
}

const wallet: fc.Arbitrary<Wallet> = fc.record({
  kind: fc.constantFrom<Wallet['kind'][]>(
    'active',
    'active',
    'active',
    'deleted',
    'of a deleted reservation',
  ),
  cheques: fc.array(
    fc.record({
      status: fc.constantFrom(...statuses),
      // Few days, so that many cheques are due on one.
      due: fc.oneof(fc.nat({ max: 4 }), fc.nat({ max: 40 }), fc.constant(null)),
    }),
    { maxLength: 6 },
  ),
});

const filter = fc.record({
  statuses: fc.option(fc.uniqueArray(fc.constantFrom(...statuses), { minLength: 1 })),
  from: fc.option(fc.nat({ max: 20 })),
  to: fc.option(fc.nat({ max: 40 })),
});

const isoDay = (number: number) => day(number).toISOString().slice(0, 10);

describe('GET /cheques', () => {
  it('lists the cheques of active wallets by due date, wallet and installment', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(wallet, { maxLength: 14 }),
        fc.array(filter, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 5 }),
        async (wallets, filters, limit) => {
          const api = await service.addTenant({ key: mayReadEvents });
          const unitId = await api.add(addUnit);
          const all: (Document & { due: number | null })[] = [];
          for (const { kind, cheques } of wallets) {
            const isGone = kind === 'of a deleted reservation';
            const reservationId = await api.add(addReservation, unitId, { isDeleted: isGone });
            const stored = cheques.map(({ status, due }, index) => ({
              installmentId: String(index),
              status,
              ...(due !== null && { dueDate: day(due) }),
            }));
            const isDeleted = kind === 'deleted';
            const ids = { reservationId, unitId, cheques: stored, isDeleted };
            const walletId = await api.add(addWallet, ids);
            if (kind !== 'active') continue;
            for (const [index, { due, status }] of cheques.entries()) {
              const installmentId = String(index);
              all.push({ walletId: walletId.toHexString(), installmentId, status, due });
            }
          }
          for (const { statuses: wanted, from, to } of filters) {
            const parameters = {
              ...(wanted && { status: wanted.join(',') }),
              ...(from !== null && { dueFrom: isoDay(from) }),
              ...(to !== null && { dueTo: isoDay(to) }),
            };
            const expected = all
              .filter(({ status }) => wanted?.includes(status) ?? true)
              .filter(({ due }) => from === null || (due !== null && due >= from))
              .filter(({ due }) => to === null || (due !== null && due <= to))
              .toSorted(
                (a, b) =>
                  (a.due ?? 999) - (b.due ?? 999) ||
                  a['walletId'].localeCompare(b['walletId']) ||
                  a['installmentId'].localeCompare(b['installmentId']),
              )
              .map(({ due: _due, ...ids }) => ids);
            const items = await pagesOf(api, parameters, limit);
            const shown = items.map(({ walletId, installmentId, status }) => {
              return { walletId, installmentId, status };
            });
            expect(shown).toEqual(expected);
          }
        },
      ),
      { numRuns: rounds(12, 150), endOnFailure: true },
    );
  });

  it('shows each cheque with the ids by which callbacks report it', async () => {
    const api = await service.addTenant({ key: mayReadEvents });
    const unitId = await api.add(addUnit);
    const reservationId = await api.add(addReservation, unitId, { recordSystemId: 'deal-1' });
    const cheque = { installmentId: '3', chequeNumber: '000123', chequeAmount: 250_000.5 };
    const cheques = [{ ...cheque, dueDate: day(5) }, { installmentId: '4' }];
    const walletId = await api.add(addWallet, { reservationId, unitId, cheques });
    await api.add(addReservation, unitId, { recordSystemId: 'deal-2' });
    const ids = {
      reservationId: reservationId.toHexString(),
      reservationRecordSystemId: 'deal-1',
      reservationStatus: 'pending_cheque_collection',
      unitId: unitId.toHexString(),
      walletId: walletId.toHexString(),
    };
    const expected = [
      { ...ids, ...cheque, status: 'pending', dueDate: day(5).toISOString() },
      { ...ids, installmentId: '4', status: 'pending' },
    ];
    for (const query of ['', '?reservation=deal-1', `?reservation=${ids.reservationId}`]) {
      const { body } = await api.get(`/cheques${query}`).expect(200);
      expect(body.data).toEqual(expected);
    }
    expect((await api.get('/cheques?reservation=deal-2')).body.data).toEqual([]);
    expect((await api.get('/cheques?reservation=deal-3')).body.data).toEqual([]);
  });

  it('takes a plain day as the whole day', async () => {
    const api = await service.addTenant({ key: mayReadEvents });
    const unitId = await api.add(addUnit);
    const reservationId = await api.add(addReservation, unitId);
    const noon = new Date(day(5).getTime() + 43_200_000);
    await api.add(addWallet, {
      reservationId,
      unitId,
      cheques: [{ installmentId: 'noon', dueDate: noon }],
    });
    const count = async (query: string) => (await api.get(`/cheques?${query}`)).body.data.length;
    expect(await count('dueFrom=2026-01-05&dueTo=2026-01-05')).toBe(1);
    expect(await count('dueTo=2026-01-05T11:00Z')).toBe(0);
    expect(await count('dueFrom=2026-01-05T13:00Z')).toBe(0);
    expect(await count('dueFrom=2026-01-06')).toBe(0);
  });

  it.each(['status=lost', 'dueFrom=soon', 'dueTo=2026-01-01 02:00', 'page=2', 'after=nonsense'])(
    'returns 400 for %s',
    async (query) => {
      const api = await service.addTenant({ key: mayReadEvents });
      await api.get(`/cheques?${query}`).expect(400);
    },
  );

  it('refuses a cursor whose position was changed', async () => {
    const api = await tenantWithTwoCheques();
    const { body } = await api.get('/cheques?limit=1').expect(200);
    const [position, ...rest] = JSON.parse(
      Buffer.from(body.pagination.next, 'base64url').toString(),
    );
    const invalid = { $date: { $numberLong: '9223372036854775807' } };
    for (const changed of [
      [],
      [false, { $date: 'x' }, ...position.slice(2)],
      [false, invalid, ...position.slice(2)],
      [true, ...position.slice(1)],
      [false, 'x', ...position.slice(2)],
      [false, position[1], { $gt: '' }, '1'],
    ]) {
      const after = Buffer.from(JSON.stringify([changed, ...rest])).toString('base64url');
      await api.get(`/cheques?limit=1&after=${after}`).expect(400);
    }
  });

  it('keeps its entity tag while nothing changes', async () => {
    const api = await tenantWithTwoCheques();
    const { headers } = await api.get('/cheques?limit=1').expect(200);
    const tag = headers['etag'] ?? '';
    await api.get('/cheques?limit=1').set('if-none-match', tag).expect(304);
  });

  it('fills pages despite deleted reservations, and lists odd cheques at most once', async () => {
    const api = await service.addTenant({ key: mayReadEvents });
    const unitId = await api.add(addUnit);
    const options = { bypassDocumentValidation: true };
    const odd: Document[] = [
      { installmentId: 'same', dueDate: day(3), status: 'pending' },
      { installmentId: 'same', dueDate: day(3), status: 'pending' },
      { installmentId: 'two dates', dueDate: [day(3), day(4)], status: 'pending' },
      { installmentId: 'text', dueDate: '2026-01-03', status: 'pending' },
      { installmentId: 'statuses', dueDate: day(3), status: ['pending'] },
      5 as never,
    ];
    const { organizationId } = api;
    for (let count = 0; count < 12; count++) {
      const isDeleted = count % 2 === 0;
      const reservationId = await api.add(addReservation, unitId, { isDeleted });
      const stored = { ...conventions(organizationId), reservationId, unitId, cheques: odd };
      await service.db.collection('chequeWallets').insertOne(stored, options);
    }
    for (const limit of [1, 4, 7, 100]) {
      for (const parameters of [{}, { status: 'pending' }, { dueFrom: '2026-01-01' }]) {
        const items = await pagesOf(api, parameters, limit);
        const same = items.filter(({ installmentId }) => installmentId === 'same');
        expect([limit, same.length]).toEqual([limit, 12]);
        expect(items.some(({ installmentId }) => installmentId === 'two dates')).toBe(false);
      }
    }
  });
});
