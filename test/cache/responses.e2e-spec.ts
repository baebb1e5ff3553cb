import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Document, ObjectId } from 'mongodb';
import { cacheLifetimeMs, TenantCache } from '../../src/core/cache/tenant-cache.js';
import { Clock } from '../../src/core/configuration/clock.js';
import { addKey, addReservation, addTenant, type Tenant } from '../support/builders.js';
import { cacheMetrics } from '../operations/metrics-text.js';
import { Metrics } from '../../src/core/observability/metrics.js';
import { rounds } from '../support/rounds.js';
import { randomDatabaseUri, startTestService, type TestService } from '../support/test-service.js';
import { addUnit, addUnitCatalogue, type Catalogue } from '../units/catalogue.js';
import { rawGet, type SentResponse } from './raw-get.js';

let service: TestService;
let second: TestService;
let tenant: Tenant;
let catalogue: Catalogue;
let unitId: ObjectId;

beforeAll(async () => {
  const uri = randomDatabaseUri();
  const variables = { RESPONSE_CACHE_BYTES: '67108864' };
  service = await startTestService(variables, uri);
  second = await startTestService(variables, uri);
  freezeClocks();
});
afterAll(async () => {
  await service.stop();
  await second.stop();
});
beforeEach(async () => {
  tenant = await addTenant(service.db);
  catalogue = await addUnitCatalogue(service.db, tenant.organizationId);
  unitId = await newUnit({
    slug: 'lake-1',
    recordSystemId: 'lake-1',
    locationId: catalogue.phaseId,
    propertyTypeId: catalogue.villaId,
    unitDesignId: catalogue.designId,
    amenitiesIds: [catalogue.poolId],
    price: 1,
    status: 'Available',
    description: { 'en-us': 'A long text. '.repeat(200) },
  });
});

/** Entries age only when a test calls `passTime`. */
let now = Date.now();
function freezeClocks(): void {
  for (const { service: one } of [service, second]) {
    one.app.get(Clock).now = () => new Date(now);
    one.app.get(TenantCache).now = () => now;
  }
}
const passTime = (milliseconds: number) => (now += milliseconds);
const cacheStats = () => cacheMetrics(service.service.app.get(Metrics));
const read = (path: string, headers: Record<string, string> = {}, instance = service) =>
  rawGet(instance.url, path, { 'api-key': tenant.key, ...headers });
/** Invalidates the cache before the read. */
const readUncached = (path: string, headers: Record<string, string> = {}) => {
  service.service.app.get(TenantCache).invalidate(tenant.organizationId);
  return read(path, headers);
};
const json = ({ body }: SentResponse) => JSON.parse(body.toString()) as Document;
const post = (path: string, body: object) =>
  service.api('post', path).set('api-key', tenant.key).send(body);
const set = (collection: string, _id: ObjectId, $set: Document) =>
  service.db.collection(collection).updateOne({ _id }, { $set });
const newUnit = (fields: Document) => addUnit(service.db, tenant.organizationId, catalogue, fields);

/** Reads twice and expects the second response to come from the cache. */
async function readCached(path: string, headers: Record<string, string> = {}) {
  await read(path, headers);
  const { hits } = await cacheStats();
  const response = await read(path, headers);
  expect((await cacheStats()).hits).toBe(hits + 1);
  return response;
}

const paths = [
  '/compounds',
  '/compounds?limit=1&unknown=1&other=2',
  '/compounds?page=2',
  '/compounds/lake/units',
  '/units',
  '/units?compound=lake&status=Available&sort=-price',
  '/units/lake-1',
  '/units/large',
];

describe('a cached response', () => {
  it('equals a new response byte for byte, including headers', async () => {
    // Responses of this size are compressed as a stream, unlike small ones.
    await newUnit({ slug: 'large', description: { 'en-us': 'A very long text. '.repeat(40_000) } });
    const encodings = ['br', 'gzip', 'gzip;q=0.5, br', 'identity', '*'];
    const requests = fc.record({
      path: fc.constantFrom(...paths),
      language: fc.constantFrom('en-us', 'ar-eg', 'other'),
      encodings: fc.constantFrom({}, ...encodings.map((each) => ({ 'accept-encoding': each }))),
      hasTag: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(requests, async ({ path, language, encodings: accepted, hasTag }) => {
        const usual = { language, ...accepted };
        const { etag = '' } = (await readUncached(path, usual)).headers;
        const headers = hasTag
          ? { ...usual, 'if-none-match': `"other", W/${String(etag)}` }
          : usual;
        const uncached = await readUncached(path, headers);
        expect(uncached.status).toBe(hasTag ? 304 : 200);
        expect(await readCached(path, headers)).toEqual(uncached);
      }),
      { numRuns: rounds(8, 40) },
    );
  });

  it('is shared only by requests with the same organization, permissions and language', async () => {
    const stranger = await addTenant(service.db);
    await addUnitCatalogue(service.db, stranger.organizationId, { area: 7 });
    const limited = await addKey(service.db, tenant.organizationId, {
      permissions: { allowExternal: true, scope: 'narrow' },
    });
    const callers = [tenant.key, stranger.key, limited].flatMap((key) =>
      ['en-us', 'ar-eg'].map((language) => ({ 'api-key': key, language })),
    );
    const readAll = () =>
      Promise.all(callers.map((headers) => read('/units?amenities=pool', headers)));
    const { hits, misses } = await cacheStats();
    const first = await readAll();
    expect(await readAll()).toEqual(first);
    const different = callers.length;
    // Permissions are part of the cache key, although these responses do not depend on them.
    expect(new Set(first.map(({ body }) => body.toString())).size).toBe(3);
    expect((await cacheStats()).misses - misses).toBe(different);
    expect((await cacheStats()).hits - hits).toBe(different);
    // A key with the same permissions shares the entry.
    const same = await addKey(service.db, tenant.organizationId);
    await read('/units?amenities=pool', { 'api-key': same, language: 'ar-eg' });
    expect((await cacheStats()).hits - hits).toBe(different + 1);
  });

  it('is not returned without a valid key', async () => {
    await readCached('/compounds');
    expect((await read('/compounds', { 'api-key': 'unknown' })).status).toBe(401);
  });

  it('is not used for errors, streams and cursors, or without compression', async () => {
    const requests: [string, Record<string, string>?][] = [
      ['/units/nowhere'],
      ['/units?status=Available&limit=x'],
      ['/compounds?all=1'],
      ['/units/export/all'],
      ['/units?after=0'],
      ['/compounds?updatedSince=2026-01-01'],
      ['/units', { 'x-no-compression': '1' }],
    ];
    for (const [path, headers] of requests) {
      const { hits } = await cacheStats();
      for (let times = 1; times <= 2; times++) await read(path, headers);
      expect((await cacheStats()).hits).toBe(hits);
    }
  });

  it('is computed once for twenty concurrent requests', async () => {
    await service.db.command({ profile: 2 });
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => read('/compounds/lake/units', { 'accept-encoding': 'br' })),
    );
    await service.db.command({ profile: 0 });
    const profile = service.db.collection('system.profile');
    const reads = { 'command.find': 'units' };
    expect(await profile.countDocuments(reads)).toBe(1);
    await profile.drop();
    expect(new Set(responses.map(({ body }) => body.toString('hex'))).size).toBe(1);
    const [response] = responses;
    expect(String(brotliDecompressSync(response?.body ?? ''))).toMatch(/^\{"data":\[\{/);
  });
});

describe('a change by another program', () => {
  const name = { 'en-us': 'New' };

  it('is visible after one second in every response that shows the record', async () => {
    const { organizationId } = tenant;
    const [unit, removed, replaced, moved] = [
      await newUnit({}),
      await newUnit({}),
      await newUnit({}),
      await newUnit({}),
    ] as const;
    const elsewhere = { organizationId: new ObjectId() };
    const unvalidated = { bypassDocumentValidation: true };
    const units = service.db.collection('units');
    const lake = '/compounds/lake/units';
    const writes: [string, () => Promise<unknown>][] = [
      ['/compounds', () => set('compounds', catalogue.compoundId, { area: 9 })],
      ['/compounds', () => set('organizations', organizationId, { name: 'Other' })],
      ['/units', () => set('units', unit, { price: 5 })],
      ['/units/lake-1', () => set('phases', catalogue.phaseId, { name })],
      ['/units', () => set('propertyTypes', catalogue.villaId, { name })],
      [lake, () => set('unitDesigns', catalogue.designId, { name })],
      [lake, () => set('amenities', catalogue.poolId, { name })],
      [lake, () => newUnit({ slug: 'lake-2' })],
      [lake, () => units.deleteOne({ _id: removed })],
      ['/units', () => units.replaceOne({ _id: replaced }, elsewhere, unvalidated)],
      ['/units', () => set('units', moved, elsewhere)],
    ];
    for (const [path, write] of writes) {
      await read(path, {}, second);
      const before = await readCached(path);
      await write();
      expect(json(await read(path))).toEqual(json(before));
      passTime(cacheLifetimeMs + 1);
      const [after, fromSecond] = [await read(path), await read(path, {}, second)];
      expect(json(after)).not.toEqual(json(before));
      expect(json(fromSecond)).toEqual(json(after));
    }
  });
});

describe('a client that polls changes', () => {
  it('receives a late write even when the list came from the cache', async () => {
    const readPhases = async (path: string) => {
      const response = await read(path);
      const phases = json(response)['data'].map(({ phase }: Document) => phase.name);
      return { mark: response.headers['x-updated-as-of'], phases };
    };
    await read('/units');
    passTime(900);
    const fields = { name: { 'en-us': 'New' }, updatedAt: new Date(now - 119_970) };
    await set('phases', catalogue.phaseId, fields);
    passTime(50);
    const { mark, phases } = await readPhases('/units');
    expect(phases).toEqual(['North']);
    passTime(10_000);
    expect((await readPhases(`/units?updatedSince=${String(mark)}`)).phases).toEqual(['New']);
  });
});

describe('a change through the same instance', () => {
  const lake = async () => json(await read('/units/lake-1'))['data'];

  it('is visible in the next response', async () => {
    await readCached('/units/lake-1');
    for (let value = 2; value < 12; value++) {
      let isWritten = false;
      // The change must also be visible if other requests read and cache the old value before the commit.
      const others = (async () => {
        while (!isWritten) await read('/units/lake-1');
      })();
      await post('/units', { recordSystemId: 'lake-1', price: value }).expect(200);
      const { price } = await lake();
      isWritten = true;
      await others;
      expect(price).toBe(value);
    }
    const reservation = { recordSystemId: 'r-1', unit: 'lake-1', status: 'pending' };
    await post('/reservations', reservation).expect(201);
    expect(await lake()).toMatchObject({ status: 'Reserved' });
  });

  it('is visible in the next response after a callback', async () => {
    const reservationId = await addReservation(service.db, tenant.organizationId, unitId);
    await readCached('/units/lake-1');
    const report = { reservationId, reservationStatus: 'approved' };
    await post('/reservations/webhook', report).expect(201);
    expect(await lake()).toMatchObject({ status: 'Sold' });
  });

  it('keeps cached responses when it concerns a lead or another organization', async () => {
    const other = await addTenant(service.db);
    await addUnitCatalogue(service.db, other.organizationId);
    await readCached('/compounds');
    const { misses } = await cacheStats();
    await post('/leads', { recordSystemId: 'lead', name: 'Mona' }).expect(201);
    const unit = { recordSystemId: 'other', compound: 'lake' };
    await service.api('post', '/units').set('api-key', other.key).send(unit).expect(201);
    await read('/compounds');
    expect((await cacheStats()).misses).toBe(misses);
  });

  it('keeps cached responses when it is refused', async () => {
    await newUnit({ unitId: 'taken', recordSystemId: 'holder' });
    const refused: [string, object][] = [
      ['/units', { recordSystemId: 'lake-1', price: 'much' }],
      ['/units', { recordSystemId: 'lake-1', unitDesign: 'nowhere' }],
      ['/units', { recordSystemId: 'new', unitId: 'taken', compound: 'lake' }],
      ['/units', { recordSystemId: 'gone', isDeleted: true }],
      ['/units', { price: 1 }],
      ['/reservations', { recordSystemId: 'r-1', unit: 'nowhere', status: 'pending' }],
      ['/reservations/webhook', { reservationId: new ObjectId().toHexString() }],
    ];
    const readAll = () => Promise.all(paths.slice(0, -1).map((path) => read(path)));
    await readAll();
    const { hits, misses } = await cacheStats();
    for (const [path, body] of refused) {
      expect([400, 404, 409, 422]).toContain((await post(path, body)).status);
    }
    await readAll();
    expect(await cacheStats()).toMatchObject({ hits: hits + paths.length - 1, misses });
  });
});
