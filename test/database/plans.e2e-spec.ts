import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Document, ObjectId } from 'mongodb';
import {
  addReservation,
  addTenant,
  addWallet,
  conventions,
  type Tenant,
} from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { isFull } from '../support/rounds.js';
import { addUnitCatalogue, type Catalogue } from '../units/catalogue.js';
import { startWebhookService, type WebhookService } from '../webhooks/webhook-service.js';

const unitCount = 2_000;
const leadCount = 400;
/** More than a command may read beyond what it gives or changes, and less than there is. */
const slack = 120;

let service: WebhookService;
let tenant: Tenant;
let catalogue: Catalogue;
let receiver: Receiver;
let reservationId: ObjectId;

beforeAll(async () => {
  service = await startWebhookService();
  tenant = await addTenant(service.db);
  const { organizationId } = tenant;
  const past = { updatedAt: new Date(Date.UTC(2025, 0, 1)) };
  catalogue = await addUnitCatalogue(service.db, organizationId, past);
  const { compoundId, phaseId, villaId, designId, poolId } = catalogue;
  const many = (length: number, make: (index: number) => Document) =>
    Array.from({ length }, (_, index) => ({ ...conventions(organizationId), ...make(index) }));
  const units = many(unitCount, (index) => ({
    compoundId,
    locationId: phaseId,
    propertyTypeId: villaId,
    unitDesignId: designId,
    amenitiesIds: [poolId],
    unitId: `U-${index}`,
    recordSystemId: `erp-${index}`,
    slug: `u-${index}`,
    name: { 'en-us': `Unit ${index}`, ...(index % 2 === 0 ? { 'ar-eg': `وحدة ${index}` } : {}) },
    status: ['Available', 'Sold'][index % 2],
    rentalStatus: 'Unavailable',
    saleType: 'primary',
    ...(index % 5 === 0 ? {} : { price: index, bua: index, beds: index % 6 }),
    createdAt: new Date(Date.UTC(2026, 0, 1) + index * 1_000),
    updatedAt: new Date(Date.UTC(2026, 0, 1) + index * 1_000),
  }));
  await service.db.collection('units').insertMany(units);
  const compounds = many(500, (index) => ({
    name: { 'en-us': `C ${index}` },
    slug: `c-${index}`,
    ...past,
  }));
  await service.db.collection('compounds').insertMany(compounds);
  const unitId = new ObjectId(String(units[0]?.['_id']));
  reservationId = await addReservation(service.db, organizationId, unitId);
  await addWallet(service.db, organizationId, {
    reservationId,
    unitId,
    cheques: [{ installmentId: '1' }, { installmentId: '2' }],
  });
  const others = many(300, () => ({
    unitId: new ObjectId(),
    leadId: null,
    status: 'canceled',
    partnerCollection: { isActive: true },
  }));
  await service.db.collection('reservations').insertMany(others);
  for (let first = 0; first < leadCount; first += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, index) => postLead(first + index)));
  }
  receiver = await startReceiver();
  await service.subscribe(tenant, receiver.url);
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

const postLead = (index: number, name = 'Mona') =>
  service
    .api('post', '/leads')
    .set('api-key', tenant.key)
    .send({
      recordSystemId: `crm-${index}`,
      name,
      email: `mona.${index}@example.com`,
      phoneNumber: `010${String(index).padStart(8, '0')}`,
      project: 'C 7',
    });
const get = (path: string, language = 'en-us') =>
  service.api('get', path).set({ 'api-key': tenant.key, language }).expect(200);

/** The commands on collections that grow, while work is done; it is done before, so that plans are known. */
async function commandsOf(work: () => Promise<unknown>): Promise<Document[]> {
  for (let time = 0; time < 2; time++) await work();
  await service.db.command({ profile: 2 });
  try {
    await work();
  } finally {
    await service.db.command({ profile: 0 });
  }
  const profile = service.db.collection('system.profile');
  const commands = await profile.find({ planSummary: { $exists: true } }).toArray();
  await profile.drop();
  return commands.filter((command) => !isMeantToReadAll(command));
}

/** Change streams read the log of the server, and background passes begin with all organizations. */
function isMeantToReadAll({ ns, originatingCommand, command }: Document): boolean {
  const isStream = JSON.stringify(originatingCommand ?? command).includes('$changeStream');
  return isStream || ns.endsWith('.organizations');
}

/** What a command examined, in words that a failed test shows. */
function summary({ ns, op, command, planSummary, docsExamined = 0, ...rest }: Document) {
  const given = rest['nreturned'] ?? rest['nMatched'] ?? rest['ndeleted'] ?? 0;
  const what = JSON.stringify(command).slice(0, 600);
  return { ns, op, planSummary, docsExamined, given, what };
}

/** The commands that read more than they need. */
function wasteful(commands: readonly Document[]) {
  if (commands.length === 0) throw new Error('No command was recorded.');
  return commands
    .map(summary)
    .filter(
      ({ planSummary, docsExamined, given }) =>
        /COLLSCAN/.test(planSummary) || docsExamined > 3 * given + slack,
    );
}

describe('no command reads a collection or more documents than it needs', () => {
  const orders = ['createdAt', 'updatedAt', 'price', 'bua', 'beds', 'name', 'unitId', 'status'];
  const sorts = orders.flatMap((order) => [order, `-${order}`]);

  it.each([
    ['', 'en-us', 0],
    ['', 'ar-eg', 1],
    ['&page=20', 'en-us', 2],
    ['&includeDeleted=1', 'en-us', 3],
  ])('in any order %s %s', async (parameters, language, turn) => {
    // In the short form each order has its turn in one of the four.
    const turnOf = (index: number) => (index + Math.floor(index / 2)) % 4;
    const chosen = sorts.filter((_, index) => isFull || turnOf(index) === turn);
    const work = async () => {
      for (const sort of chosen) await get(`/units?limit=5&sort=${sort}${parameters}`, language);
    };
    expect(wasteful(await commandsOf(work))).toEqual([]);
  });

  it('behind a cursor in any order', async () => {
    const parts: string[] = [];
    for (const [index, sort] of sorts.entries()) {
      if (!isFull && index % 2 !== Math.floor(index / 2) % 2) continue;
      const first = await get(`/units?limit=100&sort=${sort}&after=0`);
      const { next } = first.body.pagination;
      const second = await get(`/units?limit=100&sort=${sort}&after=${next}`);
      parts.push(`${sort}&after=${next}`, `${sort}&after=${second.body.pagination.next}`);
    }
    const work = async () => {
      for (const part of parts) await get(`/units?limit=5&sort=${part}`);
    };
    expect(wasteful(await commandsOf(work))).toEqual([]);
  });

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
    'updatedSince=2026-01-01T00:33:00.000Z',
    'includeDeleted=1',
  ];

  it('for units with any filter', async () => {
    const work = async () => {
      for (const filter of filters) await get(`/units?limit=5&${filter}`);
    };
    expect(wasteful(await commandsOf(work))).toEqual([]);
  });

  it('for compounds, one unit, and those of a compound', async () => {
    const paths = ['/compounds?limit=5', '/compounds?limit=5&page=3', '/compounds?limit=5&after=0'];
    const work = async () => {
      for (const path of [...paths, '/units/u-9', '/compounds/lake/units']) await get(path);
    };
    expect(wasteful(await commandsOf(work))).toEqual([]);
  });

  it('for leads, their events and deliveries', async () => {
    let turn = 0;
    const commands = await commandsOf(async () => {
      turn += 1;
      const before = receiver.received.length;
      await postLead(3, `Mona ${turn}`).expect(200);
      await postLead(leadCount + turn).expect(201);
      await get('/leads/crm-4');
      await service
        .api('delete', `/leads/crm-${leadCount + turn}`)
        .set('api-key', tenant.key)
        .expect(200);
      await eventually(() => {
        expect(receiver.received.length).toBeGreaterThanOrEqual(before + 3);
      });
    });
    expect(wasteful(commands)).toEqual([]);
    const collections = new Set(commands.map(({ ns }) => ns.split('.').at(-1)));
    for (const name of ['leads', 'clients', 'compounds', 'outboxEvents', 'webhookDeliveries']) {
      expect(collections).toContain(name);
    }
  });

  it('for reservations', async () => {
    let number = 0;
    const commands = await commandsOf(async () => {
      number += 1;
      await service
        .api('post', '/reservations/webhook')
        .set('api-key', tenant.key)
        .send({
          reservationId,
          installmentId: '1',
          chequeStatus: 'overdue',
          chequeNumber: `${number}`,
        })
        .expect(201);
      await get(`/reservations/${reservationId.toHexString()}`);
    });
    expect(wasteful(commands)).toEqual([]);
  });
});
