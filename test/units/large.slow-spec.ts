import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Document, Long, ObjectId } from 'mongodb';
import { UnitsService } from '../../src/units/reading/units.service.js';
import { openSocket } from '../support/raw-http.js';
import { addTenant, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { logLinesWith } from '../support/log-lines.js';
import { isFull, rounds } from '../support/rounds.js';
import { basePath } from '../support/shared-service.js';
import { randomDatabaseUri, startTestService, type TestService } from '../support/test-service.js';
import { addUnitCatalogue, type Catalogue } from './catalogue.js';

/** In the short form less than the real one, and units so large that no socket holds them all. */
const exportLimit = rounds(1_000, 10_000);
const unitCount = exportLimit + 50;
const bytesOfUnit = rounds(9_000, 0);
/** An error that is not worth another try. */
const timeExpired = 50;

/** On a busy machine a large response may take its time; deadlines have tests of their own. */
const patient = { DATABASE_DEADLINE_MS: '30000' };

let service: TestService;
let tenant: Tenant;
let catalogue: Catalogue;
/** Has as many units, without what makes them large: for what is about their number. */
let tenantOfSmall: Tenant;
const responses: IncomingMessage[] = [];

beforeAll(async () => {
  service = await startTestService(patient, randomDatabaseUri());
  service.service.app.get(UnitsService).maxUnits = exportLimit;
  tenant = await addTenant(service.db);
  catalogue = await addUnits(tenant, bytesOfUnit);
  tenantOfSmall = bytesOfUnit === 0 ? tenant : await addTenant(service.db);
  if (tenantOfSmall !== tenant) await addUnits(tenantOfSmall, 0);
});
// Unread responses of a failed test would delay the stop of the service.
afterEach(() => responses.splice(0).forEach((response) => response.destroy()));
afterAll(() => service.stop());

async function addUnits({ organizationId }: Tenant, bytes: number): Promise<Catalogue> {
  const own = await addUnitCatalogue(service.db, organizationId);
  const now = new Date();
  const units = Array.from({ length: unitCount }, (_, index) => ({
    organizationId,
    compoundId: own.compoundId,
    locationId: own.phaseId,
    unitId: `U-${index}`,
    slug: `u-${index}`,
    name: { 'en-us': `Unit ${index}`, 'ar-eg': `وحدة ${index}` },
    // Not to be compressed, or a socket would hold them after all.
    addons: [randomBytes(bytes).toString('base64')],
    propertyTypeId: own.villaId,
    unitDesignId: own.designId,
    amenitiesIds: [own.poolId, own.gymId],
    isDeleted: false,
    createdAt: now,
    updatedAt: now,
  }));
  await service.db.collection('units').insertMany(units);
  return own;
}

/** Starts a request and gives its response before anything of the body has been read. */
async function begin(
  path: string,
  headers: Record<string, string> = {},
  { key } = tenant,
): Promise<IncomingMessage> {
  const request = httpGet(`${service.url}/${basePath}${path}`, {
    agent: false,
    headers: { 'api-key': key, ...headers },
  });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  responses.push(response);
  return response;
}

async function textOf(response: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Cursors on the units of this database that wait for their reader. */
async function openCursors(): Promise<{ cursor: { cursorId: Long } }[]> {
  const admin = service.db.client.db('admin');
  const operations = admin.aggregate<{ cursor: { cursorId: Long } }>([
    { $currentOp: { idleCursors: true, allUsers: true } },
    { $match: { type: 'idleCursor', ns: `${service.db.databaseName}.units` } },
  ]);
  return operations.toArray();
}

/** Documents read since the profiler was started. */
async function readUnits() {
  const profile = service.db.collection('system.profile');
  const reads = await profile.find({ ns: `${service.db.databaseName}.units` }).toArray();
  const opened = reads.filter(({ command, cursorid }) => 'find' in command && cursorid);
  return {
    cursors: opened.length,
    documents: reads.reduce((sum, { nreturned = 0 }) => sum + Number(nreturned), 0),
  };
}

const linesWith = (id: string) => logLinesWith(service.logged(), id);
const unitsPath = () => `/compounds/${catalogue.compoundSlug}/units`;
const unitIdsOf = (units: readonly Document[]) => new Set(units.map(({ unitId }) => unitId));

describe('a large response', () => {
  it('contains all units of a compound, as fast as the client reads', async () => {
    const response = await begin(unitsPath(), { language: 'ar-eg' });
    expect(response.statusCode).toBe(200);
    expect(response.headers).not.toHaveProperty('etag');
    await eventually(async () => expect(await openCursors()).toHaveLength(1));
    await service.api('get', '/units?limit=1').set('api-key', tenant.key).expect(200);
    expect(await openCursors()).toHaveLength(1);
    const { data } = JSON.parse(await textOf(response)) as { data: Document[] };
    expect(unitIdsOf(data).size).toBe(unitCount);
    expect(data[0]).toMatchObject({
      phase: { name: 'الشمال' },
      amenities: [{ name: 'حمام سباحة' }, { name: 'Gym' }],
    });
    await eventually(async () => expect(await openCursors()).toEqual([]));
  });

  it('is one snapshot while another program changes units', async () => {
    const units = service.db.collection('units');
    const types = service.db.collection('propertyTypes');
    const filter = { organizationId: tenant.organizationId };
    const inOrder = units.find(filter, { projection: { _id: 1 } }).sort({ _id: 1 });
    const ids = (await inOrder.toArray()).map(({ _id }) => _id);
    let isRead = false;
    let writes = 0;
    // Each transaction renames the type and moves a unit in the order of the export.
    const writer = (async () => {
      while (!isRead) {
        const number = writes + 1;
        await service.db.client.withSession((session) =>
          session.withTransaction(async () => {
            const $set = { price: number, updatedAt: new Date() };
            const _id = ids[(number * 997) % ids.length];
            await units.updateOne({ _id } as Document, { $set }, { session });
            const name = { 'en-us': `Type ${number}` };
            const type = { _id: catalogue.villaId };
            await types.updateOne(type, { $set: { name } }, { session });
          }),
        );
        writes = number;
      }
    })();
    await eventually(() => expect(writes).toBeGreaterThan(20));
    const response = await begin('/units/export/all?format=ndjson&sort=-updatedAt');
    await once(response, 'readable');
    const writtenAtStart = writes;
    await eventually(() => expect(writes).toBeGreaterThan(writtenAtStart + 100));
    const lines = (await textOf(response)).trimEnd().split('\n');
    isRead = true;
    await writer;
    const exported = lines.map((line) => JSON.parse(line) as Document);
    const state = Number(exported[0]?.['type'].name.slice('Type '.length));
    expect(state).toBeLessThanOrEqual(writtenAtStart + 1);
    expect(new Set(exported.map(({ type }) => type.name)).size).toBe(1);
    expect(new Set(exported.map(({ _id }) => _id)).size).toBe(exportLimit);
    const prices = new Map(ids.map((_id) => [_id.toHexString(), 0]));
    for (let number = 1; number <= state; number += 1) {
      prices.set((ids[(number * 997) % ids.length] as ObjectId).toHexString(), number);
    }
    const wrong = exported.filter(({ _id, price }) => prices.get(_id) !== price);
    expect(wrong).toEqual([]);
    // It may leave out only units that no write has moved to the front.
    const changed = [...prices].filter(([, price]) => price > 0).map(([_id]) => _id);
    const exportedIds = new Set(exported.map(({ _id }) => _id));
    expect(changed.filter((_id) => !exportedIds.has(_id))).toEqual([]);
    await units.updateMany(filter, { $unset: { price: 1 }, $set: { updatedAt: new Date() } });
  });

  it('continues a limited export by cursor and returns x-updated-as-of at the end only', async () => {
    for (const query of isFull ? ['&after=0', '&sort=-unitId'] : ['&sort=-unitId']) {
      const path = `/units/export/all?format=ndjson${query}`;
      const first = await begin(path, {}, tenantOfSmall);
      expect(first.headers).toMatchObject({ 'x-truncated': 'true' });
      expect(first.headers).not.toHaveProperty('x-updated-as-of');
      const lines = (await textOf(first)).trimEnd().split('\n');
      const cursor = first.headers['x-next-cursor'] as string;
      const rest = `${path.replace('&after=0', '')}&after=${cursor}`;
      const last = await begin(rest, {}, tenantOfSmall);
      expect(last.headers).not.toHaveProperty('x-truncated');
      expect(last.headers).not.toHaveProperty('x-next-cursor');
      expect(last.headers).toMatchObject({
        'x-total-count': String(unitCount),
        'x-updated-as-of': expect.any(String),
      });
      lines.push(...(await textOf(last)).trimEnd().split('\n'));
      const units = lines.map((line) => JSON.parse(line) as Document);
      expect([lines.length, unitIdsOf(units).size]).toEqual([unitCount, unitCount]);
    }
  });

  it.each([
    ['after=0', 'after=', 'organizationId: 1, _id: 1'],
    [
      'updatedSince=2020-01-01',
      'updatedSince=2020-01-01&after=',
      'organizationId: 1, updatedAt: 1',
    ],
  ])('is paged by an index with %s, at the cost of one page', async (begun, continued, index) => {
    const options = { headers: { 'api-key': tenantOfSmall.key } };
    const pageOf = async (query: string) => {
      const url = `${service.url}/${basePath}/units?limit=50&includeDeleted=1&${query}`;
      const { pagination } = (await (await fetch(url, options)).json()) as Document;
      return pagination.next as string;
    };
    const second = await pageOf(`${continued}${await pageOf(begun)}`);
    await service.db.command({ profile: 2 });
    await pageOf(`${continued}${second}`);
    await service.db.command({ profile: 0 });
    const profile = service.db.collection('system.profile');
    const sorted = { 'command.find': 'units', 'command.sort': { $exists: true } };
    const reads = await profile.find(sorted).toArray();
    const looksAtParts = { ns: /\.(compounds|phases|propertyTypes|unitDesigns|amenities|units)$/ };
    const all = await profile.find(looksAtParts).toArray();
    await profile.drop();
    expect(reads).toHaveLength(1);
    expect(reads[0]?.['planSummary']).toContain(`IXSCAN { ${index}`);
    expect(reads[0]).not.toHaveProperty('hasSortStage');
    expect(reads[0]?.['docsExamined']).toBeLessThanOrEqual(60);
    expect(reads[0]?.['keysExamined']).toBeLessThanOrEqual(120);
    expect(all.filter(({ planSummary }) => planSummary === 'COLLSCAN')).toEqual([]);
  });

  it.each(['identity', 'br'])('stops when the client disconnects (%s)', async (encoding) => {
    const path = '/units/export/all?sort=-createdAt';
    const response = await begin(path, { 'accept-encoding': encoding });
    await once(response, 'readable');
    await eventually(async () => expect(await openCursors()).toHaveLength(1));
    response.destroy();
    await eventually(async () => expect(await openCursors()).toEqual([]));
  });

  it.each(['identity', 'br'])(
    'reads nothing for HEAD or a client that disconnects early (%s)',
    async (encoding) => {
      for (const method of ['GET', 'HEAD']) {
        for (const path of [unitsPath(), '/units/export/all']) {
          await service.db.command({ profile: 2, filter: { nreturned: { $gt: 0 } } });
          const client = openSocket(service.url);
          const id = new ObjectId().toHexString();
          const request =
            `${method} /${basePath}${path} HTTP/1.1\r\nHost: x\r\napi-key: ${tenant.key}\r\n` +
            `x-request-id: ${id}\r\nAccept-Encoding: ${encoding}\r\n\r\n`;
          await new Promise((resolve) => client.write(request, resolve));
          if (method === 'HEAD') await once(client, 'data');
          client.destroy();
          await eventually(async () => expect((await readUnits()).cursors).toBe(1));
          await eventually(async () => expect(await openCursors()).toEqual([]));
          expect((await readUnits()).documents).toBeLessThan(exportLimit);
          // Without waiting for the deadline, and not as a failure.
          await eventually(() => expect(linesWith(id)).toMatchObject([{ status: 200 }]), 20_000);
          if (method === 'GET') expect(linesWith(id)).toMatchObject([{ aborted: true }]);
          await service.db.command({ profile: 0, filter: 'unset' });
          await service.db.collection('system.profile').drop();
        }
      }
    },
  );

  it.each(['identity', 'br'])(
    'closes the connection when the database fails midway (%s)',
    async (encoding) => {
      const response = await begin(unitsPath(), { 'accept-encoding': encoding });
      expect(response.statusCode).toBe(200);
      await once(response, 'readable');
      // An active cursor is not listed while it reads the next part.
      await eventually(async () => expect(await openCursors()).toHaveLength(1));
      // The driver reads an id that is small by chance as a number.
      const cursors = (await openCursors()).map(({ cursor }) =>
        Long.fromString(String(cursor.cursorId)),
      );
      await service.db.command({ killCursors: 'units', cursors });
      await expect(textOf(response)).rejects.toThrow('aborted');
      expect(response.complete).toBe(false);
      expect(service.logged()).toContain('The response was cut off');
    },
  );

  it('is an error when the database fails before the first part', async () => {
    const configureFailPoint = 'failCommand';
    const admin = service.db.client.db('admin');
    const namespace = `${service.db.databaseName}.units`;
    const data = { failCommands: ['find'], namespace, errorCode: timeExpired };
    await admin.command({ configureFailPoint, mode: 'alwaysOn', data });
    try {
      for (const path of [unitsPath(), '/units', '/units/export/all?format=ndjson']) {
        const response = await begin(path);
        expect(response.statusCode).toBe(503);
        expect(response.headers).toMatchObject({
          'retry-after': '1',
          'content-type': 'application/json; charset=utf-8',
        });
        // Of a list that there is not.
        for (const name of ['x-updated-as-of', 'x-total-count', 'content-disposition']) {
          expect(response.headers).not.toHaveProperty(name);
        }
        expect(JSON.parse(await textOf(response))).toMatchObject({ statusCode: 503 });
      }
    } finally {
      await admin.command({ configureFailPoint, mode: 'off' });
    }
  });
});
