import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { Types } from 'mongoose';
import { Leases } from '../../src/core/database/leases/leases.js';
import { readEnvironment } from '../../src/core/configuration/load-environment.js';
import { type KeyPurpose, keyPurposes } from '../../src/tenants/keys/operations.js';
import { startupLines } from '../../src/development/startup-banner.js';
import {
  type DemoOrganization,
  ensureDemoOrganization,
  openDemoOrganization,
} from '../../src/development/demo/demo-organization.js';
import { runDemo } from '../../src/development/demo/run-demo.js';
import { addKey } from '../support/builders.js';
import { randomDatabaseUri, startTestService, type TestService } from '../support/test-service.js';

let service: TestService;
let demo: DemoOrganization;
const start = () => ensureDemoOrganization(service.service.app);
const units = () => service.db.collection('units');
const unrestrictedKey = () => demo.keys?.get('everything') ?? '';
const post = (path: string, body: object) =>
  service.api('post', path).set('api-key', unrestrictedKey()).send(body);

const organization = async (): Promise<Document> =>
  (await service.db.collection('organizations').findOne({ _id: demo.organizationId })) ?? {};
const mark = ($set: Document) =>
  service.db.collection('organizations').updateOne({ _id: demo.organizationId }, { $set });
const activeUnits = () =>
  units().countDocuments({ organizationId: demo.organizationId, isDeleted: false });
const keys = () => service.db.collection('apiKeys').find().sort({ _id: 1 }).toArray();

beforeAll(async () => {
  service = await startTestService({}, randomDatabaseUri());
});
afterAll(() => service.stop());

describe('a development start', () => {
  it('creates the demo organization when only organizations of demo runs exist', async () => {
    const demoRun = await openDemoOrganization(service.service.app);
    demo = (await start()) as DemoOrganization;
    expect(demo.organizationId).not.toEqual(demoRun.organizationId);
    await demoRun.end();
    await service.api('get', '/leads/none').set('api-key', unrestrictedKey()).expect(404);
    const { organizationId } = demo;
    expect(await units().countDocuments({ organizationId })).toBeGreaterThan(99);
    const stored = await service.db.collection('organizations').findOne({ _id: organizationId });
    expect(stored).toMatchObject({ apiDomain: 'localhost', logo: expect.any(String) });
  });

  it('issues a key for each purpose and prints the purposes', async () => {
    const issued = demo.keys ?? new Map<KeyPurpose, string>();
    const stored = await keys();
    const lines = startupLines({
      url: null,
      operationsUrl: null,
      loginPath: null,
      environment: readEnvironment({ NODE_ENV: 'test', MONGODB_URI: service.databaseUri }),
      database: { description: '' },
      demo,
    });
    for (const purpose of Object.keys(keyPurposes) as KeyPurpose[]) {
      const key = issued.get(purpose) ?? '';
      const found = stored.find(({ prefix }) => key.startsWith(prefix as string));
      expect(found?.['permissions'].operations).toEqual(keyPurposes[purpose].operations);
      const line = lines.find(([, value]) => value.startsWith(key));
      expect(line?.join(' ')).toContain(purpose);
    }
  });

  it('prints the demo organization at later starts and keeps its changes', async () => {
    // The later start must not restore a retired unit whose ids another unit has taken over.
    const compound = 'palm-meadows';
    await post('/units', { unitId: 'PM-A-002', compound, isDeleted: true }).expect(200);
    const villa = { unitId: 'PM-A-002', compound, propertyType: 'villa', name: 'Villa' };
    await post('/units', villa).expect(201);
    await post('/units', { unitId: 'PM-A-001', compound, price: 1 }).expect(200);
    const stored = () => units().find().sort({ _id: 1 }).toArray();
    const before = await stored();
    expect(await start()).toEqual({ organizationId: demo.organizationId, keys: null });
    await service.db.collection('apiKeys').updateMany({}, { $set: { revokedAt: new Date() } });
    expect(await start()).toEqual({ organizationId: demo.organizationId, keys: null });
    expect(await stored()).toEqual(before);
  });

  it('completes an earlier start that stopped before it had stored everything', async () => {
    const { organizationId } = demo;
    const all = await activeUnits();
    await mark({ 'sandbox.filledAt': null, 'sandbox.completedAt': null });
    await units().deleteMany({ organizationId, slug: { $not: /^pm-/ } });
    await units().deleteMany({ organizationId, propertyTypeId: null });
    const own = await addKey(service.db, organizationId, { name: 'Own' });
    const again = await start();
    expect(again?.organizationId).toEqual(organizationId);
    expect(again?.keys?.get('everything')).toMatch(/^iapi_/);
    expect(await activeUnits()).toBe(all);
    const unseen = { organizationId, revokedAt: null, name: { $ne: 'Own' } };
    const usable = await service.db.collection('apiKeys').countDocuments(unseen);
    expect(usable).toBe(Object.keys(keyPurposes).length + 1);
    await service.api('get', '/leads/none').set('api-key', own).expect(404);
    expect(await start()).toEqual({ organizationId, keys: null });
  });

  it('finishes an interrupted reset and keeps the keys', async () => {
    const { organizationId } = demo;
    const all = await activeUnits();
    const before = await keys();
    await mark({ 'sandbox.filledAt': null });
    await units().deleteMany({ organizationId, slug: /^pm-/ });
    expect(await start()).toEqual({ organizationId, keys: null });
    expect([await activeUnits(), await keys()]).toEqual([all, before]);
    const { sandbox } = await organization();
    expect(sandbox).toMatchObject({ filledAt: expect.any(Date) });
  });

  it('changes nothing while another process resets or creates the demo organization', async () => {
    const { organizationId } = demo;
    const lease = service.service.app
      .get(Leases)
      .create(`sandbox ${organizationId.toHexString()}`, 60_000);
    await lease.acquire();
    const before = await keys();
    await mark({ 'sandbox.filledAt': null });
    expect(await start()).toEqual({ organizationId, keys: null });
    await mark({ 'sandbox.completedAt': null });
    await expect(start()).rejects.toThrow('Another process resets Nile Homes (demo).');
    expect(await keys()).toEqual(before);
    await lease.release();
    await start();
  });

  it.each([
    ['no mark', () => undefined],
    ['null as its mark', () => null],
    ['a mark without its id', () => ({ url: service.url, filledAt: null })],
    [
      'the mark of another organization',
      () => ({ organizationId: new Types.ObjectId(), url: service.url, filledAt: null }),
    ],
  ])('changes nothing of an organization of its name with %s', async (_name, markOf) => {
    const { organizationId } = demo;
    await service.db.collection('apiKeys').deleteMany({});
    const sandbox = markOf();
    const change = sandbox === undefined ? { $unset: { sandbox: 1 } } : { $set: { sandbox } };
    await service.db.collection('organizations').updateOne({ _id: organizationId }, change);
    const state = async () => [await organization(), await activeUnits(), await keys()];
    const before = await state();
    expect(await start()).toEqual({ organizationId, keys: null });
    expect(await state()).toEqual(before);
  });

  it('issues no demo key when another organization exists', async () => {
    await service.db.collection('apiKeys').deleteMany({});
    await service.addTenant();
    expect(await start()).toEqual({ organizationId: demo.organizationId, keys: null });
    const _id = demo.organizationId;
    await service.db.collection('organizations').updateOne({ _id }, { $set: { isDeleted: true } });
    expect(await start()).toBeNull();
  });
});

describe('a demo run', () => {
  it('deletes the organization of an interrupted run after an hour', async () => {
    const interrupted = await openDemoOrganization(service.service.app);
    const organizations = service.db.collection('organizations');
    const createdAt = new Date(Date.now() - 3_700_000);
    await organizations.updateOne({ _id: interrupted.organizationId }, { $set: { createdAt } });
    const [key] = await service.db.collection('apiKeys').find().sort({ _id: -1 }).toArray();
    expect(Number(key?.['expiresAt'])).toBeLessThan(Date.now() + 3_700_000);
    const next = await openDemoOrganization(service.service.app);
    const areDeleted = async () => {
      const ids = [interrupted.organizationId, next.organizationId];
      const found = await organizations
        .find({ _id: { $in: ids } })
        .sort({ _id: 1 })
        .toArray();
      return found.map(({ isDeleted }) => isDeleted as boolean);
    };
    expect(await areDeleted()).toEqual([true, false]);
    await next.end();
    expect(await areDeleted()).toEqual([true, true]);
  });

  it('keeps an organization that only has the name of its own', async () => {
    const { organizationId: real } = await service.addTenant();
    const organizations = service.db.collection('organizations');
    const fields = { name: 'Nile Homes (demo run)', createdAt: new Date(0) };
    await organizations.updateOne({ _id: real }, { $set: fields });
    await (await openDemoOrganization(service.service.app)).end();
    expect(await organizations.findOne({ _id: real })).toMatchObject({ isDeleted: false });
  });

  it('is refused in production', async () => {
    const environment = readEnvironment({
      NODE_ENV: 'production',
      MONGODB_URI: service.databaseUri,
      ENCRYPTION_KEYS: Buffer.alloc(32).toString('base64'),
    });
    await expect(runDemo(environment, () => undefined)).rejects.toThrow(
      'does not run in production',
    );
  });
});
