import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Document, ObjectId } from 'mongodb';
import { LeadPhoneKeys } from '../../src/leads/phones/lead-phone-keys.js';
import {
  addKey,
  addReservation,
  addUnit,
  addWallet,
  conventions,
  mayReadEvents,
} from '../support/builders.js';
import {
  collectionNames,
  profileCommands,
  excessiveKeyReads,
  wastefulCommands,
} from '../support/command-plans.js';
import { range } from '../support/counting.js';
import { eventually } from '../support/eventually.js';
import { basePath } from '../support/shared-service.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { isFull } from '../support/rounds.js';
import type { TenantApi } from '../support/tenant-api.js';
import { addUnitCatalogue, type Catalogue } from '../units/catalogue.js';
import { startWebhookService, type WebhookService } from '../webhooks/webhook-service.js';

const leadCount = 400;
const maxInBatch = 100;

let service: WebhookService;
let tenant: TenantApi;
let receiver: Receiver;
let reservationId: ObjectId;

beforeAll(async () => {
  service = await startWebhookService();
  tenant = await service.addTenant({ key: mayReadEvents });
  const past = new Date(Date.UTC(2025, 0, 1));
  // The further compounds have no flags, so keys with public visibility do not see them.
  const shared = { updatedAt: past, isPublished: true, isPublic: true };
  const catalogue = await tenant.add(addUnitCatalogue, shared);
  const unitId = await tenant.add(addUnit, {});
  reservationId = await tenant.add(addReservation, unitId);
  const cheques = [{ installmentId: '1' }, { installmentId: '2' }];
  await tenant.add(addWallet, { reservationId, unitId, cheques });
  await addUnrelatedRecords(catalogue, past);
  for (let first = 0; first < leadCount; first += maxInBatch) {
    const leads = range(maxInBatch).map((index) => leadOf(first + index));
    const { body } = await tenant.post('/leads/batch', { leads });
    expect(body).toMatchObject({ ok: true, created: maxInBatch });
  }
  receiver = await startReceiver();
  await service.subscribe(tenant, receiver.url);
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

/** Adds records that a query without a suitable index would read. */
async function addUnrelatedRecords(catalogue: Catalogue, past: Date): Promise<void> {
  const { compoundId, phaseId, villaId, designId, poolId } = catalogue;
  const endpointId = new ObjectId();
  const expiresAt = new Date(Date.now() + 3_600_000);
  const others: Readonly<Record<string, [number, (index: number) => Document]>> = {
    units: [
      2_000,
      (index) => ({
        compoundId,
        locationId: phaseId,
        propertyTypeId: villaId,
        unitDesignId: designId,
        amenitiesIds: [poolId],
        unitId: `U-${index}`,
        recordSystemId: `erp-${index}`,
        slug: `u-${index}`,
        name: { 'en-us': `Unit ${index}`, ...(index % 2 === 0 && { 'ar-eg': `وحدة ${index}` }) },
        status: ['Available', 'Sold'][index % 2],
        rentalStatus: 'Unavailable',
        saleType: 'primary',
        ...(index % 5 !== 0 && { price: index, bua: index, beds: index % 6 }),
        createdAt: new Date(Date.UTC(2026, 0, 1) + index * 1_000),
        updatedAt: new Date(Date.UTC(2026, 0, 1) + index * 1_000),
      }),
    ],
    compounds: [
      500,
      (index) => ({ name: { 'en-us': `C ${index}` }, slug: `c-${index}`, updatedAt: past }),
    ],
    reservations: [300, () => ({ unitId: new ObjectId(), status: 'canceled', updatedAt: past })],
    chequeWallets: [
      900,
      (index) => ({
        reservationId: new ObjectId(),
        // A few have changed since the last poll.
        updatedAt: index < 5 ? new Date() : past,
        // A third of the cheques is due on one day.
        cheques: [0, 1, 2].map((position) => ({
          installmentId: String(position),
          status: ['pending', 'collected'][position % 2],
          dueDate: new Date(
            Date.UTC(2026, 5, position === 0 ? 1 : 2 + ((index * 7 + position) % 90)),
          ),
        })),
      }),
    ],
    reservationCallbacks: [300, () => ({ reservationId: new ObjectId() })],
    apiKeys: [300, (index) => ({ hash: `hash ${index}`, permissions: {} })],
    idempotencyRecords: [
      300,
      (index) => ({ apiKeyId: endpointId, key: `key-${index}`, expiresAt }),
    ],
    webhookDeliveries: [
      600,
      (index) => ({
        endpointId,
        eventId: new ObjectId(),
        status: ['delivered', 'failed'][index % 2],
        nextAttemptAt: past,
        completedAt: new Date(),
      }),
    ],
  };
  for (const [name, [count, make]] of Object.entries(others)) {
    const documents = range(count).map((index) => ({
      ...conventions(tenant.organizationId),
      ...make(index),
    }));
    await service.db.collection(name).insertMany(documents, { bypassDocumentValidation: true });
  }
}

const leadOf = (index: number, name = 'Mona') => ({
  recordSystemId: `crm-${index}`,
  name,
  email: `mona.${index}@example.com`,
  phoneNumber: `010${String(index).padStart(8, '0')}`,
  project: 'C 7',
  data: { leadSource: `source-${index % 7}` },
});
const postLead = (index: number, name?: string) => tenant.post('/leads', leadOf(index, name));
const get = (path: string, language = 'en-us') => tenant.get(path).set({ language }).expect(200);

const commandsOf = (work: () => Promise<unknown>) => profileCommands(service.db, work);

describe('a query', () => {
  const orders = ['createdAt', 'updatedAt', 'price', 'bua', 'beds', 'name', 'unitId', 'status'];
  const sorts = orders.flatMap((order) => [order, `-${order}`]);

  it.each([
    ['', 'en-us', 0],
    ['', 'ar-eg', 1],
    ['&page=20', 'en-us', 2],
    ['&includeDeleted=1', 'en-us', 3],
  ])(
    'scans no collection and reads no unneeded documents for lists in any order: "%s" in %s',
    async (parameters, language, turn) => {
      // The short run tests each order in one of the four cases.
      const turnOf = (index: number) => (index + Math.floor(index / 2)) % 4;
      const chosen = sorts.filter((_, index) => isFull || turnOf(index) === turn);
      const work = async () => {
        for (const sort of chosen) await get(`/units?limit=5&sort=${sort}${parameters}`, language);
      };
      expect(wastefulCommands(await commandsOf(work))).toEqual([]);
    },
  );

  it('scans no collection and reads no unneeded documents after a cursor in any order', async () => {
    const queries: string[] = [];
    for (const [index, sort] of sorts.entries()) {
      if (!isFull && index % 2 !== Math.floor(index / 2) % 2) continue;
      const first = await get(`/units?limit=100&sort=${sort}&after=0`);
      const { next } = first.body.pagination;
      const second = await get(`/units?limit=100&sort=${sort}&after=${next}`);
      queries.push(`${sort}&after=${next}`, `${sort}&after=${second.body.pagination.next}`);
    }
    const work = async () => {
      for (const part of queries) await get(`/units?limit=5&sort=${part}`);
    };
    expect(wastefulCommands(await commandsOf(work))).toEqual([]);
  });

  const recently = '2026-01-01T00:33:00.000Z';
  const now = new Date().toISOString();
  const filters = [
    'status=available',
    'rentalStatus=unavailable',
    'saleType=primary',
    'propertyType=villa',
    'compound=lake',
    'compound=LAKE',
    'phase=north',
    'unitDesign=garden-villa',
    'amenities=pool',
    'unitId=U-7,U-9',
    'recordSystemId=erp-7',
    'minPrice=500',
    'maxPrice=1500',
    'minPrice=0&maxPrice=900',
    'minBua=500',
    'maxBeds=3',
    `updatedSince=${recently}`,
    'includeDeleted=1',
  ];

  it.each([
    ['units with any filter', filters.map((filter) => `/units?limit=5&${filter}`)],
    [
      'compounds, one unit and the units of a compound',
      [
        '/compounds?limit=5',
        '/compounds?limit=5&page=3',
        '/compounds?limit=5&after=0',
        '/units/u-9',
        '/compounds/lake/units',
      ],
    ],
    [
      'polls and exports',
      [
        `/units?limit=5&updatedSince=${recently}&includeDeleted=1`,
        `/units?limit=5&updatedSince=${now}`,
        `/compounds?limit=5&updatedSince=${now}`,
        '/units?limit=5&after=0',
        '/units/export/all?recordSystemId=erp-7',
        '/units/export/all?unitId=U-7&format=csv',
        `/units/export/all?updatedSince=${recently}&format=ndjson`,
        '/units/export/all?sort=status,-price&unitId=U-7,U-8',
      ],
    ],
    [
      'leads',
      [
        '/leads?limit=5',
        '/leads?limit=5&after=0',
        '/leads?limit=5&after=0&includeDeleted=1',
        `/leads?limit=5&updatedSince=${recently}&includeDeleted=1`,
        `/leads?limit=5&updatedSince=${now}`,
        '/leads?recordSystemId=crm-7',
        '/leads?phone=01000000007',
        '/leads?email=MONA.7@example.com',
        '/leads?limit=5&compound=c-7',
        '/leads?limit=5&leadSource=source-3',
      ],
    ],
    [
      'reservations',
      [
        '/reservations?limit=5',
        '/reservations?limit=5&after=0',
        `/reservations?limit=5&updatedSince=${now}&includeDeleted=1`,
        '/reservations?limit=5&status=canceled',
        '/reservations?unit=u-9',
        '/reservations?lead=crm-7',
        '/reservations?recordSystemId=none',
      ],
    ],
  ])('scans no collection and reads no unneeded documents: %s', async (_, paths) => {
    const work = async () => {
      for (const path of paths) await get(path);
    };
    expect(wastefulCommands(await commandsOf(work))).toEqual([]);
  });

  it('reads few wallets for a page of cheques, however many are due on one day', async () => {
    const paths: string[] = [];
    for (const filter of ['', '&status=collected', '&dueFrom=2026-06-20&dueTo=2026-08-01']) {
      for (let after = '0', page = 0; page < 4; page++) {
        const path = `/cheques?limit=${page === 1 ? 100 : 20}${filter}&after=${after}`;
        // The first page also counts the total.
        if (page > 0) paths.push(path);
        after = (await get(path)).body.pagination.next;
      }
    }
    const work = async () => {
      for (const path of paths) await get(path);
    };
    const commands = await commandsOf(work);
    expect(wastefulCommands(commands)).toEqual([]);
    expect(excessiveKeyReads(commands)).toEqual([]);
  });

  it('scans no collection and reads no unneeded documents for a key with public visibility', async () => {
    const permissions = { allowExternal: true, visibility: 'public' };
    const portal = tenant.with(await tenant.add(addKey, { permissions }));
    const changes = [recently, now].map((time) => `updatedSince=${time}&includeDeleted=1`);
    const paths = [
      '',
      '&page=20',
      '&after=0',
      '&sort=price',
      '&compound=lake',
      '&status=sold&unitId=U-7',
      ...changes.map((change) => `&${change}`),
    ].map((parameters) => `/units?limit=5${parameters}`);
    const others = [
      '/units/u-9',
      '/compounds/lake/units',
      '/units/export/all?unitId=U-7',
      ...['', '&after=0', `&${changes[1]}`].map((one) => `/compounds?limit=5${one}`),
    ];
    const work = async () => {
      for (const path of [...paths, ...others]) await portal.get(path).expect(200);
    };
    expect(wastefulCommands(await commandsOf(work))).toEqual([]);
  });

  async function writeLeads(turn: number): Promise<void> {
    const before = receiver.received.length;
    await postLead(3, `Mona ${turn}`).expect(200);
    await postLead(leadCount + turn).expect(201);
    await get('/leads/crm-4');
    await tenant.delete(`/leads/crm-${leadCount + turn}`).expect(200);
    await eventually(() => {
      expect(receiver.received.length).toBeGreaterThanOrEqual(before + 3);
    });
  }

  async function useKeys(turn: number): Promise<void> {
    const headers = { 'idempotency-key': `own-${turn}` };
    const write = () => postLead(5, `Mona ${turn}`).set(headers);
    await write().expect(200);
    await write().expect('idempotent-replayed', 'true');
    const key = await tenant.add(addKey);
    await tenant.with(key).get('/leads/crm-5').expect(200);
    await tenant.with(`unknown-${turn}`).get('/leads/crm-5').expect(401);
    const origin = 'https://plans.example';
    const permissions = { allowExternal: true, operations: ['leads.write'], origins: [origin] };
    await tenant.add(addKey, { permissions });
    const headersOfPreflight = { origin, 'access-control-request-method': 'POST' };
    await eventually(async () => {
      const preflight = { method: 'OPTIONS', headers: headersOfPreflight };
      expect((await fetch(`${service.url}/${basePath}/leads`, preflight)).status).toBe(204);
    });
  }

  async function writeUnits(turn: number): Promise<void> {
    await tenant.post('/units', { recordSystemId: 'erp-11', price: 5_000 + turn }).expect(200);
    const unit = { unitId: `N-${turn}`, compound: 'lake', name: 'New' };
    await tenant.post('/units', unit).expect(201);
    const reservation = { recordSystemId: `r-${turn}`, unit: { unitId: `N-${turn}` } };
    const lead = { recordSystemId: 'crm-7' };
    await tenant.post('/reservations', { ...reservation, lead }).expect(201);
    await tenant.post('/reservations', { ...reservation, partnerCollection: true }).expect(200);
  }

  async function reportCheque(turn: number): Promise<void> {
    const report = { installmentId: '1', chequeStatus: 'overdue', chequeNumber: `${turn}` };
    await tenant.post('/reservations/webhook', { reservationId, ...report }).expect(201);
    await get(`/reservations/${reservationId.toHexString()}`);
  }

  async function runPhoneJob(): Promise<void> {
    await service.service.app.get(LeadPhoneKeys).run();
  }

  it.each<[string, (turn: number) => Promise<void>, string]>([
    [
      'leads, their events and deliveries',
      writeLeads,
      'leads clients compounds transactionLocks counters outboxEvents webhookEndpoints webhookDeliveries',
    ],
    ['known and unknown keys of requests and of the API', useKeys, 'apiKeys idempotencyRecords'],
    ['writes of units and reservations', writeUnits, 'units reservations compounds'],
    ['reservations', reportCheque, 'reservations chequeWallets units'],
    ['the background job for phones', runPhoneJob, 'organizations'],
  ])('scans no collection and reads no unneeded documents: %s', async (_, work, collections) => {
    let turn = 0;
    const commands = await commandsOf(() => work((turn += 1)));
    expect(wastefulCommands(commands)).toEqual([]);
    expect(excessiveKeyReads(commands)).toEqual([]);
    expect([...collectionNames(commands)]).toEqual(expect.arrayContaining(collections.split(' ')));
  });
});
