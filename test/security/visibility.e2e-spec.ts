import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Document, ObjectId } from 'mongodb';
import { Clock } from '../../src/core/configuration/clock.js';
import { addKey, conventions } from '../support/builders.js';
import { documentedOperations } from '../support/operations.js';
import { isFull, rounds } from '../support/rounds.js';
import { basePath } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';
import { startTestService, type TestService } from '../support/test-service.js';

const now = new Date();
const old = new Date(now.getTime() - 10 * 86_400_000);

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  // Marks depend on the clock; without its progress, equal requests have equal responses.
  service.service.app.get(Clock).now = () => now;
});
afterAll(() => service.stop());

const isPublic = { isPublished: true, isPublic: true };

/** Every state of the flags that hides a compound. */
const hidingFlags: readonly (readonly [reason: string, flags: object])[] = [
  ['is admin-only', { ...isPublic, isAdminOnly: true }],
  ['is not published', { ...isPublic, isPublished: false }],
  ['is not public', { ...isPublic, isPublic: false }],
  ['is neither', { isPublished: false, isPublic: false, isAdminOnly: true }],
  ['has no flag for being published', { isPublic: true }],
  ['has no flag for being public', { isPublished: true }],
  ['has null flags', { isPublished: null, isPublic: null }],
  ['is deleted, too', { isPublic: true, isDeleted: true, deletedAt: now }],
];

type Collection = 'compounds' | 'phases' | 'unitDesigns' | 'propertyTypes' | 'amenities' | 'units';

/** Holds texts, numbers and times of hidden documents, which no other document has. */
class Secrets {
  readonly texts: string[] = [];
  readonly ids: string[] = [];
  readonly slugs: Partial<Record<Collection, string[]>> = {};
  readonly values: Partial<Record<string, string[]>> = {};

  text(prefix = 'secret'): string {
    const text = `${prefix}-${randomUUID()}`;
    this.texts.push(text);
    return text;
  }

  number(): number {
    const number = randomInt(1e9, 1e10);
    this.texts.push(String(number));
    return number;
  }

  time(): Date {
    const time = new Date(old.getTime() - randomInt(1e9, 1e10));
    this.texts.push(time.toISOString());
    return time;
  }
}

/** Gives each field of a document, as responses show it, a value that nothing else has. */
function secretDocument(secrets: Secrets, collection: Collection): Document {
  const text = () => secrets.text();
  const name = () => ({ 'en-us': text(), 'ar-eg': text() });
  const media = () => [{ image: text(), type: text() }];
  const brochure = () => ({ dateUploaded: secrets.time(), name: text(), url: text() });
  const _id = new ObjectId();
  secrets.ids.push(_id.toHexString());
  const slug = text();
  secrets.slugs[collection] = [...(secrets.slugs[collection] ?? []), slug];
  // The newest changes of the organization are hidden ones.
  const times = { createdAt: secrets.time(), updatedAt: now };
  const common = { _id, slug, name: name(), ...times };
  if (collection === 'compounds') {
    return {
      ...common,
      type: text(),
      description: name(),
      saleType: text(),
      logo: text(),
      mainImageUrl: text(),
      mainBannerUrl: text(),
      media: media(),
      constructionUpdates: media(),
      mainBrochure: brochure(),
      brochures: [brochure()],
      area: secrets.number(),
      numberOfUnits: secrets.number(),
      EOIUnitTypes: [text()],
      offerJsons: [{ text: text() }],
    };
  }
  if (collection === 'phases' || collection === 'unitDesigns') {
    const { _id: _unused, ...rest } = common;
    return { _id, ...rest, description: name(), type: text(), media: media() };
  }
  const status = { status: text(), rentalStatus: text(), saleType: text() };
  const ids = { unitId: text(), recordSystemId: text() };
  for (const [field, value] of Object.entries({ ...status, ...ids })) {
    secrets.values[field] = [...(secrets.values[field] ?? []), value];
  }
  return {
    ...common,
    ...status,
    ...ids,
    bua: secrets.number(),
    price: secrets.number(),
    beds: secrets.number(),
    floor: { name: text() },
    media: media(),
    listingType: [text()],
    addons: [text()],
    priceByPaymentPlan: [secrets.number()],
  };
}

async function insert(tenant: TenantApi, collection: Collection, ...documents: Document[]) {
  const { organizationId } = tenant;
  const stored = documents.map((one) => ({ ...conventions(organizationId), ...one }));
  await service.db.collection(collection).insertMany(stored);
  return stored.map(({ _id }) => _id);
}

/** Writes the catalogue that the public sees. */
async function addPublicCatalogue(tenant: TenantApi) {
  const times = { createdAt: old, updatedAt: old };
  const name = (text: string) => ({ 'en-us': text, 'ar-eg': `${text} عربي` });
  const add = (collection: Collection, fields: Document) =>
    insert(tenant, collection, { ...times, ...fields }).then(([id]) => id as ObjectId);
  const compound = { slug: 'palm', name: name('Palm'), ...isPublic, isAdminOnly: false };
  const compoundId = await add('compounds', compound);
  await add('compounds', { slug: 'lake', name: name('Lake'), ...isPublic });
  const gone = { isDeleted: true, deletedAt: old };
  await add('compounds', { slug: 'gone', name: name('Gone'), ...isPublic, ...gone });
  const phaseId = await add('phases', { slug: 'north', name: name('North'), parentId: compoundId });
  const typeId = await add('propertyTypes', { slug: 'villa', name: name('Villa') });
  const poolId = await add('amenities', { name: name('Pool') });
  const design = { slug: 'garden', name: name('Garden'), locationsIds: [phaseId, compoundId] };
  const designId = await add('unitDesigns', design);
  const unit = (number: number) => ({
    compoundId,
    locationId: phaseId,
    propertyTypeId: typeId,
    unitDesignId: designId,
    amenitiesIds: [poolId],
    slug: `u-${number}`,
    unitId: `U-${number}`,
    recordSystemId: `erp-${number}`,
    name: name(`Unit ${number}`),
    status: ['Available', 'Sold'][number % 2],
    rentalStatus: 'Unavailable',
    saleType: 'primary',
    price: 100 * number,
    bua: 10 * number,
    beds: number,
    createdAt: new Date(old.getTime() + number),
    updatedAt: new Date(old.getTime() + number),
  });
  await add('units', unit(1));
  await add('units', { ...unit(2), isAdminOnly: false });
  await add('units', { ...unit(3), ...gone });
  await add('units', { ...unit(4), compoundId: null, locationId: null });
  return { compoundId, typeId, poolId, phaseId, designId, unit };
}

type PublicCatalogue = Awaited<ReturnType<typeof addPublicCatalogue>>;

/** Writes an admin-only unit of a public compound, and a compound with a phase, design and unit for each reason. */
async function addHiddenCatalogue(tenant: TenantApi, catalogue: PublicCatalogue) {
  const secrets = new Secrets();
  const { compoundId, typeId, poolId, phaseId, designId } = catalogue;
  const parts = { propertyTypeId: typeId, amenitiesIds: [poolId] };
  const unit = (fields: Document) => ({ ...secretDocument(secrets, 'units'), ...parts, ...fields });
  const ofPublic = { compoundId, locationId: phaseId, unitDesignId: designId };
  await insert(tenant, 'units', unit({ ...ofPublic, isAdminOnly: true }));
  for (const [, flags] of hidingFlags) {
    const compound = { ...secretDocument(secrets, 'compounds'), ...flags };
    const [parentId] = await insert(tenant, 'compounds', compound);
    const [hiddenPhase] = await insert(tenant, 'phases', {
      ...secretDocument(secrets, 'phases'),
      parentId,
    });
    const [hiddenDesign] = await insert(tenant, 'unitDesigns', {
      ...secretDocument(secrets, 'unitDesigns'),
      locationsIds: [hiddenPhase, parentId],
    });
    const ofHidden = { compoundId: parentId, locationId: hiddenPhase, unitDesignId: hiddenDesign };
    await insert(tenant, 'units', unit(ofHidden), unit({ ...ofHidden, isAdminOnly: true }));
    await insert(tenant, 'units', unit({ ...ofHidden, isDeleted: true, deletedAt: now }));
  }
  return secrets;
}

const routes = documentedOperations().filter(
  ({ method, keyOperation }) => method === 'GET' && keyOperation === 'catalogue.read',
);

const changes = ['2020-01-01', old.toISOString(), now.toISOString()];
const orders = ['createdAt', 'updatedAt', 'price', 'bua', 'beds', 'name', 'unitId', 'status'];

/** Values for each documented parameter, those of hidden documents included. */
function valuesOf({ slugs, values }: Secrets): Readonly<Record<string, readonly string[]>> {
  const some = (list: readonly string[] | undefined) => (list ?? []).slice(0, 3);
  return {
    page: ['1', '2'],
    limit: ['1', '2', '100'],
    all: ['0', '1'],
    after: ['0'],
    updatedSince: changes,
    includeDeleted: ['0', '1'],
    sort: [...orders.flatMap((order) => [order, `-${order}`]), 'status,-price', 'name,unitId'],
    status: ['available', 'none', ...some(values['status'])],
    rentalStatus: ['unavailable', ...some(values['rentalStatus'])],
    saleType: ['primary', ...some(values['saleType'])],
    propertyType: ['villa', 'none'],
    compound: ['palm', 'PALM', 'none', ...(slugs.compounds ?? [])],
    phase: ['north', 'none', ...(slugs.phases ?? [])],
    unitDesign: ['garden', 'none', ...(slugs.unitDesigns ?? [])],
    unitId: ['U-1', ...some(values['unitId'])],
    recordSystemId: ['erp-1', ...some(values['recordSystemId'])],
    amenities: ['pool', 'none'],
    minPrice: ['0', '150', '1000000'],
    maxPrice: ['150', '99999999999'],
    minBua: ['15', '1000000'],
    maxBua: ['15', '99999999999'],
    minBeds: ['2', '1000000'],
    maxBeds: ['2', '99999999999'],
    format: ['json', 'csv', 'ndjson'],
    bom: ['1'],
    slug: ['palm', 'lake', 'gone', 'u-1', 'u-3', 'u-4', 'none'].concat(
      slugs.compounds ?? [],
      slugs.units ?? [],
    ),
  };
}

interface SentRequest {
  readonly method: 'GET' | 'HEAD';
  readonly path: string;
  readonly language: string;
}

/** Returns each route with each value of each parameter, and random combinations of these. */
function requestsWith(secrets: Secrets): SentRequest[] {
  const known = valuesOf(secrets);
  const valuesFor = (name: string) => {
    const values = known[name];
    if (values === undefined) throw new Error(`The parameter ${name} has no values here`);
    return values;
  };
  return routes.flatMap(({ path, positions }) => {
    const slugs = positions.some(({ place }) => place === 'path') ? valuesFor('slug') : [''];
    const paths = slugs.map((slug) => path.replace('{slug}', slug));
    const names = positions.flatMap(({ place, steps }) => (place === 'query' ? steps : []));
    const singles = names.flatMap((name) => valuesFor(name).map((value) => ({ [name]: value })));
    const combination = fc.record(
      Object.fromEntries(names.map((name) => [name, fc.constantFrom(...valuesFor(name))])),
      { requiredKeys: [] },
    );
    const random = names.length === 0 ? [] : fc.sample(combination, rounds(100, 1_000));
    const polls = singles.map((single) => ({ ...single, updatedSince: changes[0] }));
    const removals = polls.map((poll) => ({ ...poll, includeDeleted: '1' }));
    const queries = names.length === 0 ? [{}] : [{}, ...singles, ...polls, ...removals, ...random];
    const sent = paths.flatMap((one) =>
      queries.map((query) => {
        const parameters = new URLSearchParams(query as Record<string, string>).toString();
        return parameters === '' ? one : `${one}?${parameters}`;
      }),
    );
    return sent.flatMap((one, index) => variantsOf(one, index));
  });
}

/** The short run sends a part of the requests, each in one of three variants. */
function variantsOf(path: string, index: number): SentRequest[] {
  const variants: SentRequest[] = [
    { method: 'GET', path, language: 'en-us' },
    { method: 'GET', path, language: 'ar-eg' },
    { method: 'HEAD', path, language: 'en-us' },
  ];
  if (isFull) return variants;
  const isSent = index % 5 === 0 || /sort|compound=|phase=|unitDesign=|\/[^?]+-/.test(path);
  return isSent ? variants.slice(index % 3, (index % 3) + 1) : [];
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const varying = new Set(['date', 'x-request-id', 'keep-alive', 'connection', 'server-timing']);

async function answerTo({ method, path, language }: SentRequest, key: string): Promise<Answer> {
  const headers = { 'api-key': key, language };
  const response = await fetch(`${service.url}/${basePath}${path}`, { method, headers });
  const shown = [...response.headers].filter(([name]) => !varying.has(name));
  return {
    status: response.status,
    headers: Object.fromEntries(shown),
    body: await response.text(),
  };
}

/** Reads all pages of a list by its cursors. */
async function answersTo(request: SentRequest, key: string): Promise<Answer[]> {
  const answers = [await answerTo(request, key)];
  for (let pages = 0; pages < 60; pages += 1) {
    const next = answers.at(-1)?.headers['x-next-cursor'];
    if (next === undefined || request.method === 'HEAD') break;
    const path = request.path.replace(/&?after=[^&]*/, '');
    answers.push(await answerTo({ ...request, path: `${path}&after=${next}` }, key));
  }
  return answers;
}

const showsRemovals = ({ path }: SentRequest) =>
  path.includes('updatedSince=') && path.includes('includeDeleted=1');

/** Returns the secrets in an answer that its request did not contain. Cursors are read as a client could. */
function secretsIn(answers: readonly Answer[], { path }: SentRequest, texts: readonly string[]) {
  const shown = answers.map(({ status, headers, body }) => {
    const cursor = Buffer.from(headers['x-next-cursor'] ?? '', 'base64url').toString();
    return `${status} ${JSON.stringify(headers)} ${body} ${cursor}`;
  });
  const text = shown.join('\n');
  const asked = decodeURIComponent(path);
  return texts.filter((one) => text.includes(one) && !asked.includes(one));
}

const rowPattern = /^[0-9a-f]{24}(,[^,]*){29},[^,]*,[^,]*$/;

/** Takes the removed items out of a list; each of them shows three values. */
function itemsOf(answer: Answer): { current: unknown[]; removed: Record<string, unknown>[] } {
  const type = answer.headers['content-type'] ?? '';
  if (type.startsWith('text/csv')) return csvItemsOf(answer.body);
  const items = type.startsWith('application/x-ndjson')
    ? answer.body.split('\n').flatMap((line) => (line === '' ? [] : (JSON.parse(line) as object)))
    : ((JSON.parse(answer.body) as { data?: object[] }).data ?? []);
  const isRemoved = (item: object) => 'isDeleted' in item && !('slug' in item);
  return {
    current: items.filter((item) => !isRemoved(item)),
    removed: items.filter(isRemoved) as Record<string, unknown>[],
  };
}

function csvItemsOf(body: string) {
  const [, ...rows] = body.trimEnd().split('\r\n');
  const isRemoved = (row: string) => rowPattern.test(row) && row.split(',')[4] === '';
  const removed = rows.filter(isRemoved).map((row) => {
    const cells = row.split(',');
    const [_id, isDeleted, updatedAt] = [cells[0], cells[27] === 'true', cells[29]];
    const others = cells.filter((cell, index) => ![0, 27, 29].includes(index) && cell !== '');
    return { _id, isDeleted, updatedAt, ...(others.length > 0 && { others }) };
  });
  return { current: rows.filter((row) => !isRemoved(row)), removed };
}

const removedShape = {
  _id: expect.stringMatching(/^[0-9a-f]{24}$/),
  isDeleted: true,
  updatedAt: now.toISOString(),
};

const publicKey = (tenant: TenantApi, operations = ['catalogue.read']) =>
  tenant.add(addKey, { permissions: { allowExternal: true, operations, visibility: 'public' } });

describe('a key with public visibility', () => {
  it('gets the responses of an organization without its hidden documents', async () => {
    const tenant = await service.addTenant();
    const catalogue = await addPublicCatalogue(tenant);
    const key = await publicKey(tenant);
    const secrets = await addHiddenCatalogue(tenant, catalogue);
    expect(await secretsSeenByAll(tenant, secrets)).toEqual(secrets.texts);

    const requests = requestsWith(secrets);
    const hidden = await takeHidden(tenant, secrets);
    const before: Answer[][] = [];
    for (const request of requests) before.push(await answersTo(request, key));
    await putBack(hidden);

    const removed = [];
    for (const [index, request] of requests.entries()) {
      const where = `${request.method} ${request.path} ${request.language}`;
      const answers = await answersTo(request, key);
      const expected = before[index] ?? [];
      expect({ where, seen: secretsIn(answers, request, secrets.texts) }).toEqual({
        where,
        seen: [],
      });
      if (!showsRemovals(request) || answers[0]?.status !== 200) {
        expect({ where, answers }).toEqual({ where, answers: expected });
        expect({ where, seen: secretsIn(answers, request, secrets.ids) }).toEqual({
          where,
          seen: [],
        });
      } else if (request.method === 'GET') {
        removed.push(...removedIn(answers));
        // Numbered pages move on when there are removed items.
        const isComplete = !/page=|limit=/.test(request.path) || request.path.includes('after=');
        const current = currentIn(answers);
        if (isComplete) expect({ where, current }).toEqual({ where, current: currentIn(expected) });
      }
    }
    expect(removed.length).toBeGreaterThan(100);
    expect(new Set(removed.map((item) => JSON.stringify(Object.keys(item))))).toEqual(
      new Set(['["_id","isDeleted","updatedAt"]']),
    );
    expect(removed).toEqual(removed.map(() => removedShape));
  });
});

const currentIn = (answers: readonly Answer[]) => answers.flatMap((one) => itemsOf(one).current);
const removedIn = (answers: readonly Answer[]) => answers.flatMap((one) => itemsOf(one).removed);

/** Returns the secrets that a key which sees everything gets. */
async function secretsSeenByAll(tenant: TenantApi, { texts }: Secrets): Promise<string[]> {
  const shown: string[] = [];
  for (const language of ['en-us', 'ar-eg']) {
    for (const path of [
      '/units/export/all?includeDeleted=1',
      '/compounds?all=1&includeDeleted=1',
    ]) {
      shown.push((await tenant.get(path).set('language', language).expect(200)).text);
    }
  }
  return texts.filter((text) => shown.join('').includes(text));
}

/** Removes the documents with secrets and returns them. */
async function takeHidden(tenant: TenantApi, { ids }: Secrets) {
  const taken: [string, Document[]][] = [];
  const filter = { _id: { $in: ids.map((id) => new ObjectId(id)) } };
  for (const collection of ['compounds', 'phases', 'unitDesigns', 'units']) {
    taken.push([collection, await tenant.stored(collection, filter)]);
    await service.db.collection(collection).deleteMany(filter);
  }
  return taken;
}

async function putBack(taken: readonly (readonly [string, Document[]])[]) {
  for (const [collection, documents] of taken) {
    await service.db.collection(collection).insertMany(documents);
  }
}
