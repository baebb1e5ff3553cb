import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Document, ObjectId } from 'mongodb';
import { cacheLifetimeMs, TenantCache } from '../../src/core/cache/tenant-cache.js';
import { Clock } from '../../src/core/configuration/clock.js';
import { apiClient } from '../support/api-client.js';
import { mayReadEvents } from '../support/builders.js';
import { rounds } from '../support/rounds.js';
import type { TenantApi } from '../support/tenant-api.js';
import { startTestService, type TestService } from '../support/test-service.js';
import { Poller } from './poller.js';

/** The longest time in seconds between a writer's clock read and its commit. */
const maxLagSeconds = 110;
const recordCount = 6;

let service: TestService;
let now: number;

beforeAll(async () => {
  service = await startTestService({});
  service.service.app.get(Clock).now = () => new Date(now);
  service.service.app.get(TenantCache).now = () => now;
});
afterAll(() => service.stop());

const kinds = ['leads', 'reservations', 'chequeWallets'] as const;
type Kind = (typeof kinds)[number];
const changes = ['value', 'value', 'delete', 'tombstone', 'restore'] as const;

/** A write of another program or of a client, or a page that a poller reads. */
type Step = { readonly pause: number; readonly lag: number } & (
  | { readonly kind: 'page'; readonly list: 'leads' | 'reservations'; readonly limit: number }
  | {
      readonly kind: 'change';
      readonly target: Kind;
      readonly index: number;
      readonly change: (typeof changes)[number];
      readonly value: number;
    }
  | { readonly kind: 'insert'; readonly target: Kind; readonly isFirst: boolean }
  | { readonly kind: 'request'; readonly target: Kind; readonly index: number }
);

const pause = fc.oneof(fc.nat({ max: 30 }), fc.nat({ max: 400 }));
const timing = { pause, lag: fc.nat({ max: maxLagSeconds }) };
const index = fc.nat({ max: recordCount - 1 });
const target = fc.constantFrom(...kinds);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      ...timing,
      kind: fc.constant('page' as const),
      list: fc.constantFrom('leads' as const, 'reservations' as const),
      limit: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      ...timing,
      kind: fc.constant('change' as const),
      target,
      index,
      change: fc.constantFrom(...changes),
      value: fc.nat({ max: 99 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      ...timing,
      kind: fc.constant('insert' as const),
      target,
      isFirst: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ ...timing, kind: fc.constant('request' as const), target, index }),
  },
);

const collectionOf = (name: Kind) => service.db.collection(name);

async function addRecords({ organizationId }: TenantApi) {
  const old = { createdAt: new Date(now - 1e9), updatedAt: new Date(now - 1e9) };
  const common = { organizationId, isDeleted: false, ...old };
  const ids = Array.from({ length: recordCount }, () => new ObjectId());
  const unitId = new ObjectId();
  await service.db.collection('units').insertOne({ ...common, _id: unitId, slug: 'villa' });
  const make: Record<Kind, (_id: ObjectId, position: number) => Document> = {
    leads: (_id, position) => {
      const data = { name: `Mona ${position}` };
      return { ...common, _id, recordSystemId: `lead-${position}`, data, additionalData: {} };
    },
    reservations: (_id, position) => {
      const partnerCollection = { isActive: true };
      const state = { status: 'pending_cheque_collection', partnerCollection, leadId: null };
      return { ...common, _id, unitId, recordSystemId: `deal-${position}`, ...state };
    },
    chequeWallets: (_id, position) => ({
      ...common,
      _id,
      reservationId: ids[position % recordCount],
      unitId,
      cheques: [{ installmentId: '1', status: 'pending', statusHistory: [] }],
    }),
  };
  await collectionOf('leads').insertMany(ids.map(make.leads));
  await collectionOf('reservations').insertMany(ids.map(make.reservations));
  // Some reservations have no wallet at first.
  const withWallet = ids.slice(0, recordCount - 2);
  await collectionOf('chequeWallets').insertMany(withWallet.map(make.chequeWallets));
  return { ids, make };
}

type Records = Awaited<ReturnType<typeof addRecords>>;

/** Writes as another program that read the clock `lag` seconds ago. */
async function write({ ids, make }: Records, action: Step): Promise<void> {
  const updatedAt = new Date(now - action.lag * 1_000);
  if (action.kind === 'insert') {
    const _id = new ObjectId(
      `${action.isFirst ? '01' : 'ff'}${new ObjectId().toHexString().slice(2)}`,
    );
    const record = { ...make[action.target](_id, action.lag + recordCount), updatedAt };
    // The database allows one active record for each external id, and one active wallet.
    const gone = action.target === 'chequeWallets' ? { isDeleted: true, deletedAt: updatedAt } : {};
    const { recordSystemId: _external, ...inserted } = record as Document;
    await collectionOf(action.target).insertOne({ ...inserted, ...gone });
  } else if (action.kind === 'change') {
    const { value } = action;
    const values: Record<Kind, Document> = {
      leads: { 'data.name': `New ${value}` },
      reservations: { leadId: ids[value % recordCount] },
      chequeWallets: { 'cheques.0.chequeNumber': `${value}` },
    };
    const $set = {
      value: { ...values[action.target], updatedAt },
      delete: { isDeleted: true, deletedAt: updatedAt, updatedAt },
      tombstone: { isDeleted: true, deletedAt: updatedAt },
      restore: { isDeleted: false, updatedAt },
    }[action.change];
    const filter =
      action.target === 'chequeWallets'
        ? { reservationId: ids[action.index] as ObjectId, 'cheques.0.installmentId': '1' }
        : { _id: ids[action.index] as ObjectId };
    // A second active wallet of a reservation is refused, as it would be for any program.
    await collectionOf(action.target)
      .updateOne(filter, { $set })
      .catch(() => undefined);
  }
}

/** Changes a record through the service. */
async function request({ ids }: Records, tenant: TenantApi, action: Step): Promise<void> {
  if (action.kind !== 'request') return;
  const recordSystemId = `lead-${action.index}`;
  if (action.target === 'leads') {
    if (action.lag % 3 === 0) await tenant.delete(`/leads/${recordSystemId}`);
    else await tenant.post('/leads', { recordSystemId, name: `Ours ${action.pause}` });
    return;
  }
  const reservationId = ids[action.index]?.toHexString();
  const report = { installmentId: '1', chequeStatus: 'overdue', chequeNumber: `${action.pause}` };
  const body = action.target === 'reservations' ? { reservationStatus: 'canceled' } : report;
  await tenant.post('/reservations/webhook', { reservationId, ...body });
}

const byId = (items: readonly { _id: string }[]) =>
  items.toSorted((a, b) => a._id.localeCompare(b._id));

describe('a poller of leads and reservations', () => {
  it('ends with an exact copy after any writes between pages, of wallets too', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 60 }), async (steps) => {
        now = Date.now();
        const tenant = await service.addTenant({ key: mayReadEvents });
        const records = await addRecords(tenant);
        const api = apiClient(service.url, tenant.key);
        const pollers = {
          leads: new Poller(api.listLeads),
          reservations: new Poller(api.listReservations),
        };
        for (const action of steps) {
          now += action.pause * 1_000;
          if (action.kind === 'page') await pollers[action.list].readPage(action.limit);
          else if (action.kind === 'request') await request(records, tenant, action);
          else await write(records, action);
        }
        for (const list of ['leads', 'reservations'] as const) {
          await pollers[list].finish();
          now += cacheLifetimeMs + 1;
          await pollers[list].finish();
          const { body } = await tenant.get(`/${list}?limit=100`).expect(200);
          expect(body.pagination.next).toBeNull();
          expect(pollers[list].sortedCopy()).toEqual(byId(body.data));
        }
      }),
      { numRuns: rounds(3, 100), endOnFailure: true },
    );
  });
});
