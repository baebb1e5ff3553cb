import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { ObjectId } from 'mongodb';
import { TenantCache } from '../../src/core/cache/tenant-cache.js';
import { Clock } from '../../src/core/configuration/clock.js';
import { addCatalogue, addCompound, addKey } from '../support/builders.js';
import type { Requests, TenantApi } from '../support/tenant-api.js';
import { startTestService, type TestService } from '../support/test-service.js';

const old = new Date(Date.UTC(2026, 0, 1));
const recently = new Date(Date.UTC(2026, 0, 20));
const since = '2026-01-10T00:00:00.000Z';
const isPublic = { isPublished: true, isPublic: true };

let service: TestService;
let tenant: TenantApi;
let portal: Requests;
const commands: string[] = [];

beforeAll(async () => {
  service = await startTestService();
  service.tenantCommands.onCommand(({ name, collection }) =>
    commands.push(`${name} ${collection}`),
  );
});
afterAll(() => service.stop());

const keyWith = (visibility: unknown, options = {}): Promise<string> => {
  const permissions = { allowExternal: true, ...(visibility !== undefined && { visibility }) };
  return tenant.add(addKey, { permissions }, options);
};

/** Writes compounds `palm` and `lake` with a phase each, and a unit each. */
async function addCatalogueOf(lakeFlags: object) {
  tenant = await service.addTenant();
  const times = { createdAt: old, updatedAt: old };
  const compound = (slug: string, flags: object) =>
    tenant.add(addCompound, { 'en-us': slug }, { slug, ...flags, ...times });
  const add = (collection: 'phases' | 'unitDesigns' | 'units', fields: object) =>
    addCatalogue(service.db, collection, tenant.organizationId, {
      name: { 'en-us': 'A' },
      ...times,
      ...fields,
    });
  const palmId = await compound('palm', isPublic);
  const lakeId = await compound('lake', lakeFlags);
  const palmPhase = await add('phases', { slug: 'palm-north', parentId: palmId });
  const lakePhase = await add('phases', { slug: 'lake-north', parentId: lakeId });
  const locationsIds = [palmId, palmPhase, lakeId, lakePhase];
  const unitDesignId = await add('unitDesigns', { slug: 'garden', locationsIds });
  const unit = (slug: string, compoundId: ObjectId, locationId: ObjectId) =>
    add('units', { slug, unitId: slug, price: 5, compoundId, locationId, unitDesignId });
  const units = {
    palm: await unit('palm-1', palmId, palmPhase),
    lake: await unit('lake-1', lakeId, lakePhase),
    // Another program stored the phase of another compound.
    odd: await unit('odd-1', palmId, lakePhase),
  };
  portal = tenant.with(await keyWith('public'));
  return { palmId, lakeId, palmPhase, lakePhase, unitDesignId, units };
}

const change = (collection: string, slug: string, fields: object) =>
  tenant.set(collection, { slug }, { ...fields, updatedAt: recently });

const slugsOf = ({ body }: { readonly body: { readonly data: readonly { slug?: string }[] } }) =>
  body.data.map(({ slug }) => slug);

describe('the visibility of a key', () => {
  it.each([
    [undefined, true],
    [null, true],
    ['all', true],
    ['public', false],
    ['ALL', false],
    ['', false],
    ['partners', false],
    [7, false],
    [['all'], false],
  ])('with %j shows units of hidden compounds: %j', async (visibility, isShown) => {
    await addCatalogueOf({});
    const key = await keyWith(visibility, { bypassDocumentValidation: true });
    const found = await tenant.with(key).get('/units').expect(200);
    expect(slugsOf(found).includes('lake-1')).toBe(isShown);
    await tenant
      .with(key)
      .get('/units/lake-1')
      .expect(isShown ? 200 : 404);
  });

  it('all costs no further query', async () => {
    await addCatalogueOf({});
    const paths = ['/units', '/units/palm-1', '/compounds', '/compounds/palm/units'];
    const count = async (requests: Requests) => {
      await requests.get('/healthz');
      await requests.get('/compounds/none/units').expect(404);
      commands.length = 0;
      for (const path of paths) await requests.get(path).expect(200);
      return commands.toSorted();
    };
    const everything = tenant.with(await keyWith('all'));
    const all = await count(everything);
    const own = all.filter((command) => command === 'find compounds');
    // The list of compounds, and the compound that the path names.
    expect(own).toHaveLength(2);
    expect((await count(portal)).length).toBeGreaterThan(all.length);
  });

  it('separates responses that are repeated from the cache', async () => {
    await addCatalogueOf({});
    const caching = await startTestService({ RESPONSE_CACHE_BYTES: '67108864' });
    // Nothing expires during the test.
    caching.service.app.get(TenantCache).now = () => 1e6;
    const [all, onlyPublic] = [tenant.key, await keyWith('public')].map(
      (key) => (path: string) => caching.api('get', path).set('api-key', key),
    );
    if (all === undefined || onlyPublic === undefined) throw new Error('A key is missing');
    for (let turn = 0; turn < 2; turn += 1) {
      expect(slugsOf(await all('/compounds').expect(200))).toHaveLength(2);
      expect(slugsOf(await onlyPublic('/compounds').expect(200))).toEqual(['palm']);
      await all('/units/lake-1').expect(200);
      await onlyPublic('/units/lake-1').expect(404);
    }
    const tag = String((await all('/compounds')).headers['etag']);
    await all('/compounds').set('if-none-match', tag).expect(304);
    await onlyPublic('/compounds').set('if-none-match', tag).expect(200);
    await caching.stop();
  });
});

describe('a cursor of a key', () => {
  it.each(['/units?limit=1&after=', '/compounds?limit=1&after='])(
    'with another visibility is refused: %s',
    async (path) => {
      await addCatalogueOf(isPublic);
      const cursorOf = async (requests: Requests) =>
        (await requests.get(`${path}0`).expect(200)).body.pagination.next as string;
      const [all, onlyPublic] = [await cursorOf(tenant), await cursorOf(portal)];
      await portal.get(path + all).expect(400, /cursor/);
      await tenant.get(path + onlyPublic).expect(400, /cursor/);
      await portal.get(path + onlyPublic).expect(200);
      const other = tenant.with(await keyWith('public'));
      await other.get(path + onlyPublic).expect(200);
    },
  );
});

describe('an item that is not public any more', () => {
  const removed = (_id: ObjectId, updatedAt = recently) => ({
    _id: _id.toHexString(),
    isDeleted: true,
    updatedAt: updatedAt.toISOString(),
  });
  const poll = `?updatedSince=${since}&includeDeleted=1`;

  it.each([
    ['is admin-only', { isAdminOnly: true }],
    ['is not published', { isPublished: false }],
    ['is not public', { isPublic: false }],
  ])('comes as removed when its compound %s', async (_, flags) => {
    const { lakeId, units } = await addCatalogueOf(isPublic);
    expect(slugsOf(await portal.get('/units'))).toContain('lake-1');
    await change('compounds', 'lake', flags);
    const compounds = await portal.get(`/compounds${poll}`).expect(200);
    expect(compounds.body.data).toEqual([removed(lakeId)]);
    const { body } = await portal.get(`/units${poll}`).expect(200);
    // The others show a design, and one of them a phase, that refers to the compound.
    expect(body.data).toHaveLength(3);
    expect(body.data).toContainEqual(removed(units.lake, old));
    const csv = await portal.get(`/units/export/all${poll}&format=csv`).expect(200);
    const row = csv.text.split('\r\n').find((line) => line.startsWith(units.lake.toHexString()));
    expect(row?.replaceAll(/,+/g, ',')).toBe(
      `${units.lake.toHexString()},true,${old.toISOString()},`,
    );
    expect(slugsOf(await portal.get(`/units?updatedSince=${since}`))).not.toContain('lake-1');
    expect((await portal.get('/units/lake-1').expect(404)).body.message).toBe(
      'There is no unit with slug: lake-1',
    );
    expect((await portal.get('/compounds/lake/units').expect(404)).body.message).toBe(
      'There is no compound with slug: lake',
    );
  });

  it('comes as removed whatever a request filters, so that no filter tells its values', async () => {
    const { units } = await addCatalogueOf(isPublic);
    await change('units', 'lake-1', { isAdminOnly: true });
    for (const filter of ['minPrice=1', 'minPrice=6', 'compound=palm', 'status=none']) {
      const { body } = await portal.get(`/units${poll}&${filter}`).expect(200);
      expect({ filter, data: body.data }).toEqual({ filter, data: [removed(units.lake)] });
    }
  });

  it('is sorted by the time of its change alone, because another order tells its values', async () => {
    await addCatalogueOf(isPublic);
    for (const path of [`/units${poll}`, `/units/export/all${poll}`]) {
      for (const sort of ['price', '-name', 'updatedAt,price', 'createdAt']) {
        const refused = portal.get(`${path}&sort=${sort}`);
        const { body } = await refused.expect('x-error-code', 'unit.removals_unsortable');
        expect(body.message).toEqual([
          'sort must be updatedAt or -updatedAt with updatedSince and includeDeleted=1',
        ]);
      }
      await portal.get(`${path}&sort=-updatedAt`).expect(200);
      await tenant.get(`${path}&sort=price`).expect(200);
    }
    await portal.get(`/units?updatedSince=${since}&sort=price`).expect(200);
  });

  it('is absent from lists of deleted items without updatedSince', async () => {
    await addCatalogueOf(isPublic);
    await change('compounds', 'lake', { isPublic: false });
    expect(slugsOf(await portal.get('/compounds?includeDeleted=1&after=0'))).toEqual(['palm']);
    const units = await portal.get('/units?includeDeleted=1&after=0').expect(200);
    expect(slugsOf(units)).toEqual(['palm-1', 'odd-1']);
  });
});

describe('a unit that a public key sees', () => {
  it('shows no phase and no location of a hidden compound', async () => {
    const { palmId, palmPhase } = await addCatalogueOf({});
    const { body } = await portal.get('/units/odd-1').expect(200);
    expect(body.data).toMatchObject({
      phase: null,
      unitDesign: { slug: 'garden', locationsIds: [palmId, palmPhase].map(String) },
    });
    expect((await tenant.get('/units/odd-1')).body.data.phase).toMatchObject({
      slug: 'lake-north',
    });
  });

  it('counts as changed when a hidden compound of its phase or design is published', async () => {
    await addCatalogueOf({});
    const path = `/units?updatedSince=${since}`;
    expect(slugsOf(await portal.get(path))).toEqual([]);
    await change('compounds', 'lake', isPublic);
    const slugs = slugsOf(await portal.get(path)).toSorted();
    expect(slugs).toEqual(['lake-1', 'odd-1', 'palm-1']);
  });

  it('may have no compound, or a deleted one, as for every key', async () => {
    await addCatalogueOf({});
    await change('units', 'palm-1', { compoundId: null });
    await change('units', 'odd-1', { slug: 'odd-1' });
    await change('compounds', 'palm', { isDeleted: true });
    expect(slugsOf(await portal.get('/units')).toSorted()).toEqual(['odd-1', 'palm-1']);
  });
});

describe('the marks and entity tags of a public key', () => {
  it.each(['/units?limit=1&after=0', '/compounds?limit=1&after=0'])(
    'do not tell that a hidden document has changed: %s',
    async (path) => {
      await addCatalogueOf({});
      await tenant.add(addCompound, { 'en-us': 'More' }, { slug: 'more', ...isPublic });
      const now = new Date(Date.now() + 1e9);
      const clock = service.service.app.get(Clock);
      const stopped = jest.spyOn(clock, 'now').mockReturnValue(now);
      const before = await portal.get(path).expect(200);
      const shownBefore = await tenant.get(path).expect(200);
      const soon = { updatedAt: new Date(now.getTime() - 1e6) };
      await tenant.set('compounds', { slug: 'lake' }, soon);
      for (const kind of ['units', 'phases']) {
        const slug = kind === 'units' ? 'lake-1' : 'lake-north';
        await tenant.set(kind, { slug }, soon);
      }
      const after = await portal.get(path).expect(200);
      expect([after.headers['etag'], after.text]).toEqual([before.headers['etag'], before.text]);
      const shownAfter = await tenant.get(path).expect(200);
      expect(shownAfter.headers['etag']).not.toBe(shownBefore.headers['etag']);
      stopped.mockRestore();
    },
  );
});
