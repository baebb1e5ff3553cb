import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { type Document, Long, ObjectId } from 'mongodb';
import { addTenant, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { basePath } from '../support/shared-service.js';
import { randomDatabaseUri, startTestService, type TestService } from '../support/test-service.js';
import { addUnitCatalogue, type Catalogue } from './catalogue.js';

const unitCount = 10_050;
const exportLimit = 10_000;
/** An error that is not worth another try. */
const timeExpired = 50;

let service: TestService;
let tenant: Tenant;
let catalogue: Catalogue;

beforeAll(async () => {
  service = await startTestService({}, randomDatabaseUri());
  tenant = await addTenant(service.db);
  catalogue = await addUnitCatalogue(service.db, tenant.organizationId);
  const now = new Date();
  const units = Array.from({ length: unitCount }, (_, index) => ({
    organizationId: tenant.organizationId,
    compoundId: catalogue.compoundId,
    locationId: catalogue.phaseId,
    unitId: `U-${index}`,
    slug: `u-${index}`,
    name: { 'en-us': `Unit ${index}`, 'ar-eg': `وحدة ${index}` },
    propertyTypeId: catalogue.villaId,
    unitDesignId: catalogue.designId,
    amenitiesIds: [catalogue.poolId, catalogue.gymId],
    isDeleted: false,
    createdAt: now,
    updatedAt: now,
  }));
  await service.db.collection('units').insertMany(units);
});
afterAll(() => service.stop());

/** Starts a request and gives its response before anything of the body has been read. */
async function begin(path: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const request = httpGet(`${service.url}/${basePath}${path}`, {
    agent: false,
    headers: { 'api-key': tenant.key, ...headers },
  });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
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

/** How many cursors on the units have been opened since the database's profiler was started. */
const openedCursors = () =>
  service.db
    .collection('system.profile')
    .countDocuments({ 'command.aggregate': 'units', cursorid: { $exists: true } });

const unitsPath = () => `/compounds/${catalogue.compoundSlug}/units`;
const unitIdsOf = (units: readonly Document[]) => new Set(units.map(({ unitId }) => unitId));

describe('a large response', () => {
  it('has all 10,050 units of a compound and no tag, at the pace of its reader', async () => {
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

  it('stops at 10,000 in an export and says so', async () => {
    const response = await begin('/units/export/all?format=csv');
    expect(response.headers).toMatchObject({
      'x-total-count': String(unitCount),
      'x-truncated': 'true',
    });
    const rows = parse<Document>(await textOf(response), { columns: true });
    expect([unitIdsOf(rows).size, rows.length]).toEqual([exportLimit, exportLimit]);
  });

  it.each(['identity', 'br'])(
    'is no longer made when the client has gone (%s)',
    async (encoding) => {
      const path = '/units/export/all?sort=-createdAt';
      const response = await begin(path, { 'accept-encoding': encoding });
      await once(response, 'readable');
      await eventually(async () => expect(await openCursors()).toHaveLength(1));
      response.destroy();
      await eventually(async () => expect(await openCursors()).toEqual([]));
    },
  );

  it.each(['identity', 'br'])(
    'is not made for HEAD, nor for a client that leaves before it begins (%s)',
    async (encoding) => {
      const { port } = new URL(service.url);
      for (const method of ['GET', 'HEAD']) {
        for (const path of [unitsPath(), '/units/export/all']) {
          await service.db.command({ profile: 2 });
          const client = connect(Number(port), '127.0.0.1');
          const request =
            `${method} /${basePath}${path} HTTP/1.1\r\nHost: x\r\napi-key: ${tenant.key}\r\n` +
            `Accept-Encoding: ${encoding}\r\n\r\n`;
          await new Promise((resolve) => client.write(request, resolve));
          if (method === 'HEAD') await once(client, 'data');
          client.destroy();
          await eventually(async () => expect(await openedCursors()).toBe(1), 5_000);
          await service.db.command({ profile: 0 });
          await service.db.collection('system.profile').drop();
          await eventually(async () => expect(await openCursors()).toEqual([]), 5_000);
        }
      }
    },
  );

  it.each(['identity', 'br'])(
    'is cut off when the database fails in the middle (%s)',
    async (encoding) => {
      const response = await begin(unitsPath(), { 'accept-encoding': encoding });
      expect(response.statusCode).toBe(200);
      await once(response, 'readable');
      // The driver reads an id that is small by chance as a number.
      const cursors = (await openCursors()).map(({ cursor }) =>
        Long.fromString(String(cursor.cursorId)),
      );
      expect(cursors).toHaveLength(1);
      await service.db.command({ killCursors: 'units', cursors });
      await expect(textOf(response)).rejects.toThrow('aborted');
      expect(response.complete).toBe(false);
      expect(service.logged()).toContain('The response was cut off');
    },
  );

  it('is an error like any other when the database fails before it has begun', async () => {
    const configureFailPoint = 'failCommand';
    const admin = service.db.client.db('admin');
    const namespace = `${service.db.databaseName}.units`;
    const data = { failCommands: ['aggregate'], namespace, errorCode: timeExpired };
    await admin.command({ configureFailPoint, mode: 'alwaysOn', data });
    try {
      for (const path of [unitsPath(), '/units', '/units/export/all']) {
        const response = await begin(path);
        expect(response.statusCode).toBe(503);
        expect(response.headers).toMatchObject({ 'retry-after': '1' });
        expect(JSON.parse(await textOf(response))).toMatchObject({ statusCode: 503 });
      }
    } finally {
      await admin.command({ configureFailPoint, mode: 'off' });
    }
  });
});

describe('GET /compounds?all=1', () => {
  it('streams 2,000 compounds with their number', async () => {
    const many = await addTenant(service.db);
    const now = new Date();
    const compounds = Array.from({ length: 2_000 }, (_, index) => ({
      _id: new ObjectId(),
      organizationId: many.organizationId,
      name: { 'en-us': `Compound ${index}` },
      slug: `c-${index}`,
      isDeleted: false,
      createdAt: now,
      updatedAt: now,
    }));
    await service.db.collection('compounds').insertMany(compounds);
    const { body } = await service.api('get', '/compounds?all=1').set('api-key', many.key);
    expect(new Set(body.data.map(({ _id }: { _id: string }) => _id)).size).toBe(2_000);
    expect(body.pagination).toEqual({ count: 2_000, limit: 2_000, pages: 1, total: 2_000 });
  });
});
