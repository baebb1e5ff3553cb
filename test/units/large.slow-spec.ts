import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Document, Long, ObjectId } from 'mongodb';
import { UnitsService } from '../../src/units/reading/units.service.js';
import { conventions } from '../support/builders.js';
import { range } from '../support/counting.js';
import { eventually } from '../support/eventually.js';
import { logLinesWith } from '../support/log-lines.js';
import { openSocket, rawRequest } from '../support/raw-http.js';
import { isFull, rounds } from '../support/rounds.js';
import { basePath } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';
import { randomDatabaseUri, startTestService, type TestService } from '../support/test-service.js';
import { addUnitCatalogue, type Catalogue } from './catalogue.js';

/** The short run lowers the limit and enlarges the units, so that the buffers of a socket cannot hold all of them. */
const exportLimit = rounds(1_000, 10_000);
const unitCount = exportLimit + 50;
const bytesOfUnit = rounds(9_000, 0);
/** Error code MaxTimeMSExpired, which the service does not retry. */
const timeExpired = 50;
const exportPath = '/units/export/all';

let service: TestService;
let tenant: TenantApi;
let catalogue: Catalogue;
/** This tenant has the same number of small units, for tests about their number. */
let smallUnitsTenant: TenantApi;
let unitsPath: string;
const responses: IncomingMessage[] = [];

beforeAll(async () => {
  // Large responses are slow on a busy machine, and other tests cover deadlines.
  service = await startTestService({ DATABASE_DEADLINE_MS: '30000' }, randomDatabaseUri());
  service.service.app.get(UnitsService).maxUnits = exportLimit;
  tenant = await service.addTenant();
  catalogue = await addUnits(tenant, bytesOfUnit);
  unitsPath = `/compounds/${catalogue.compoundSlug}/units`;
  smallUnitsTenant = bytesOfUnit === 0 ? tenant : await service.addTenant();
  if (smallUnitsTenant !== tenant) await addUnits(smallUnitsTenant, 0);
});
// Unread responses of a failed test would delay the stop of the service.
afterEach(() => responses.splice(0).forEach((response) => response.destroy()));
afterAll(() => service.stop());

async function addUnits(owner: TenantApi, bytes: number): Promise<Catalogue> {
  const own = await owner.add(addUnitCatalogue);
  const units = range(unitCount).map((index) => ({
    ...conventions(owner.organizationId),
    compoundId: own.compoundId,
    locationId: own.phaseId,
    unitId: `U-${index}`,
    slug: `u-${index}`,
    name: { 'en-us': `Unit ${index}`, 'ar-eg': `وحدة ${index}` },
    // Random data stays large when compressed, so it cannot fit into the buffers of a socket.
    addons: [randomBytes(bytes).toString('base64')],
    propertyTypeId: own.villaId,
    unitDesignId: own.designId,
    amenitiesIds: [own.poolId, own.gymId],
  }));
  await service.db.collection('units').insertMany(units);
  return own;
}

/** Starts a request, and returns its response before any of the body has been read. */
async function startGet(
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

/** Returns the idle cursors on the units of this database. */
async function openCursors(): Promise<{ cursor: { cursorId: Long } }[]> {
  const admin = service.db.client.db('admin');
  const operations = admin.aggregate<{ cursor: { cursorId: Long } }>([
    { $currentOp: { idleCursors: true, allUsers: true } },
    { $match: { type: 'idleCursor', ns: `${service.db.databaseName}.units` } },
  ]);
  return operations.toArray();
}

const waitForCursors = (count: number) =>
  eventually(async () => expect(await openCursors()).toHaveLength(count));
const linesOf = async (response: IncomingMessage) =>
  (await text(response))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Document);
const idsOf = (units: readonly Document[]) => new Set(units.map(({ _id }) => _id as string));

describe('a large response', () => {
  it('contains all units of a compound, as fast as the client reads', async () => {
    const response = await startGet(unitsPath, { language: 'ar-eg' });
    expect(response.statusCode).toBe(200);
    expect(response.headers).not.toHaveProperty('etag');
    await waitForCursors(1);
    await tenant.get('/units?limit=1').expect(200);
    expect(await openCursors()).toHaveLength(1);
    const { data } = JSON.parse(await text(response)) as { data: Document[] };
    expect(idsOf(data).size).toBe(unitCount);
    expect(data[0]).toMatchObject({
      phase: { name: 'الشمال' },
      amenities: [{ name: 'حمام سباحة' }, { name: 'Gym' }],
    });
    await waitForCursors(0);
  });

  it('comes from one snapshot while another program changes units', async () => {
    const units = service.db.collection('units');
    const types = service.db.collection('propertyTypes');
    const filter = { organizationId: tenant.organizationId };
    const inOrder = units.find(filter, { projection: { _id: 1 } }).sort({ _id: 1 });
    const ids = (await inOrder.toArray()).map(({ _id }) => _id);
    const unitChangedBy = (write: number) => ids[(write * 997) % ids.length] as ObjectId;
    let isRead = false;
    let writes = 0;
    // Each transaction renames the type and moves a unit in the order of the export.
    const writer = (async () => {
      while (!isRead) {
        const price = writes + 1;
        await service.db.client.withSession((session) =>
          session.withTransaction(async () => {
            const moved = { $set: { price, updatedAt: new Date() } };
            await units.updateOne({ _id: unitChangedBy(price) }, moved, { session });
            const renamed = { $set: { name: { 'en-us': `Type ${price}` } } };
            await types.updateOne({ _id: catalogue.villaId }, renamed, { session });
          }),
        );
        writes = price;
      }
    })();
    await eventually(() => expect(writes).toBeGreaterThan(20));
    const response = await startGet(`${exportPath}?format=ndjson&sort=-updatedAt`);
    await once(response, 'readable');
    const writtenAtStart = writes;
    await eventually(() => expect(writes).toBeGreaterThan(writtenAtStart + 100));
    const exported = await linesOf(response);
    isRead = true;
    await writer;
    const state = Number(exported[0]?.['type'].name.slice('Type '.length));
    expect(state).toBeLessThanOrEqual(writtenAtStart + 1);
    expect(new Set(exported.map(({ type }) => type.name)).size).toBe(1);
    const exportedIds = idsOf(exported);
    expect(exportedIds.size).toBe(exportLimit);
    const prices = new Map(
      range(state).map((index) => [unitChangedBy(index + 1).toHexString(), index + 1]),
    );
    expect(exported.filter(({ _id, price }) => (prices.get(_id) ?? 0) !== price)).toEqual([]);
    // The export omits only units that no write moved to the front.
    expect([...prices.keys()].filter((_id) => !exportedIds.has(_id))).toEqual([]);
    await units.updateMany(filter, { $unset: { price: 1 }, $set: { updatedAt: new Date() } });
  });

  it('continues a limited export by cursor and returns x-updated-as-of at the end only', async () => {
    for (const query of isFull ? ['&after=0', '&sort=-unitId'] : ['&sort=-unitId']) {
      const path = `${exportPath}?format=ndjson${query}`;
      const first = await startGet(path, {}, smallUnitsTenant);
      expect(first.headers).toMatchObject({ 'x-truncated': 'true' });
      expect(first.headers).not.toHaveProperty('x-updated-as-of');
      const cursor = first.headers['x-next-cursor'] as string;
      const rest = `${path.replace('&after=0', '')}&after=${cursor}`;
      const last = await startGet(rest, {}, smallUnitsTenant);
      for (const name of ['x-truncated', 'x-next-cursor']) {
        expect(last.headers).not.toHaveProperty(name);
      }
      const ended = { 'x-total-count': `${unitCount}`, 'x-updated-as-of': expect.any(String) };
      expect(last.headers).toMatchObject(ended);
      const units = [...(await linesOf(first)), ...(await linesOf(last))];
      expect([units.length, idsOf(units).size]).toEqual([unitCount, unitCount]);
    }
  });

  it.each(['identity', 'br'])('stops when the client disconnects (%s)', async (encoding) => {
    const response = await startGet(`${exportPath}?sort=-createdAt`, {
      'accept-encoding': encoding,
    });
    await once(response, 'readable');
    await waitForCursors(1);
    response.destroy();
    await eventually(async () => expect(await openCursors()).toEqual([]));
  });

  it.each(
    ['identity', 'br'].flatMap((encoding) =>
      ['GET', 'HEAD'].flatMap((method) =>
        ['a compound', 'an export'].map((what) => [method, what, encoding]),
      ),
    ),
  )(
    'to %s %s reads no more units when its client stops reading (%s)',
    async (method, what, encoding) => {
      const path = what === 'an export' ? exportPath : unitsPath;
      await service.db.command({ profile: 2, filter: { nreturned: { $gt: 0 } } });
      const client = openSocket(service.url);
      const id = new ObjectId().toHexString();
      const headers = [`api-key: ${tenant.key}`, `x-request-id: ${id}`];
      const request = [...headers, `Accept-Encoding: ${encoding}`];
      const line = `${method} /${basePath}${path}`;
      await new Promise((resolve) => client.write(rawRequest(line, request), resolve));
      if (method === 'HEAD') await once(client, 'data');
      client.destroy();
      const profile = service.db.collection('system.profile');
      const reads = (filter: Document = {}) =>
        profile.find({ ns: `${service.db.databaseName}.units`, ...filter }).toArray();
      const opened = { 'command.find': 'units', cursorid: { $exists: true } };
      await eventually(async () => expect(await reads(opened)).toHaveLength(1));
      await waitForCursors(0);
      const documents = (await reads()).reduce(
        (sum, { nreturned = 0 }) => sum + Number(nreturned),
        0,
      );
      expect(documents).toBeLessThan(exportLimit);
      // The log reports success without waiting for the deadline.
      const logged = { status: 200, ...(method === 'GET' && { aborted: true }) };
      await eventually(
        () => expect(logLinesWith(service.logged(), id)).toMatchObject([logged]),
        20_000,
      );
      await service.db.command({ profile: 0, filter: 'unset' });
      await profile.drop();
    },
  );

  it.each(['identity', 'br'])(
    'closes the connection when the database fails midway (%s)',
    async (encoding) => {
      const response = await startGet(unitsPath, { 'accept-encoding': encoding });
      expect(response.statusCode).toBe(200);
      await once(response, 'readable');
      // A cursor is listed only while idle, not while it reads the next part.
      await waitForCursors(1);
      // The driver decodes small cursor ids as numbers.
      const cursors = (await openCursors()).map(({ cursor }) =>
        Long.fromString(String(cursor.cursorId)),
      );
      await service.db.command({ killCursors: 'units', cursors });
      await expect(text(response)).rejects.toThrow('aborted');
      expect(response.complete).toBe(false);
      expect(service.logged()).toContain('Could not complete the response');
    },
  );

  it('returns 503 when the database fails before the first part', async () => {
    const configureFailPoint = 'failCommand';
    const admin = service.db.client.db('admin');
    const namespace = `${service.db.databaseName}.units`;
    const data = { failCommands: ['find'], namespace, errorCode: timeExpired };
    await admin.command({ configureFailPoint, mode: 'alwaysOn', data });
    try {
      for (const path of [unitsPath, '/units', `${exportPath}?format=ndjson`]) {
        const response = await startGet(path);
        expect(response.statusCode).toBe(503);
        expect(response.headers).toMatchObject({
          'retry-after': '1',
          'content-type': 'application/json; charset=utf-8',
        });
        // An error has no list, so it must not have headers that describe one.
        for (const name of ['x-updated-as-of', 'x-total-count', 'content-disposition']) {
          expect(response.headers).not.toHaveProperty(name);
        }
        expect(JSON.parse(await text(response))).toMatchObject({ statusCode: 503 });
      }
    } finally {
      await admin.command({ configureFailPoint, mode: 'off' });
    }
  });
});
