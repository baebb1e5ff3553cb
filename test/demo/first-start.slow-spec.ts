import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readEnvironment } from '../../src/core/configuration/load-environment.js';
import { type KeyPurpose, keyPurposes } from '../../src/tenants/keys/permissions.js';
import { startupLines } from '../../src/development/startup-banner.js';
import {
  type DemoOrganization,
  ensureDemoOrganization,
  openDemoOrganization,
} from '../../src/development/demo/demo-organization.js';
import { runDemo } from '../../src/development/demo/run-demo.js';
import { randomDatabaseUri, startTestService, type TestService } from '../support/test-service.js';

let service: TestService;
let demo: DemoOrganization;
const start = () => ensureDemoOrganization(service.service.app);
const units = () => service.db.collection('units');
const unrestrictedKey = () => demo.keys?.get('everything') ?? '';
const post = (path: string, body: object) =>
  service.api('post', path).set('api-key', unrestrictedKey()).send(body);

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
    const keys = demo.keys ?? new Map<KeyPurpose, string>();
    const stored = await service.db.collection('apiKeys').find().toArray();
    const lines = startupLines({
      url: null,
      operationsUrl: null,
      environment: readEnvironment({ NODE_ENV: 'test', MONGODB_URI: service.databaseUri }),
      database: { description: '' },
      demo,
    });
    for (const purpose of Object.keys(keyPurposes) as KeyPurpose[]) {
      const key = keys.get(purpose) ?? '';
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
    const all = await units().countDocuments({ organizationId, isDeleted: false });
    await service.db
      .collection('organizations')
      .updateOne({ _id: organizationId }, { $set: { 'sandbox.filledAt': null } });
    await units().deleteMany({ organizationId, slug: { $not: /^pm-/ } });
    await units().deleteMany({ organizationId, propertyTypeId: null });
    const again = await start();
    expect(again?.organizationId).toEqual(organizationId);
    expect(again?.keys?.get('everything')).toMatch(/^iapi_/);
    expect(await units().countDocuments({ organizationId, isDeleted: false })).toBe(all);
    const unseen = { organizationId, revokedAt: null };
    const usable = await service.db.collection('apiKeys').countDocuments(unseen);
    expect(usable).toBe(Object.keys(keyPurposes).length + 1);
  });

  it('completes the organization of an earlier version that has no keys', async () => {
    const { organizationId } = demo;
    await service.db
      .collection('organizations')
      .updateOne({ _id: organizationId }, { $unset: { sandbox: 1 } });
    expect(await start()).toEqual({ organizationId, keys: null });
    await service.db.collection('apiKeys').deleteMany({});
    expect(await start()).toMatchObject({ organizationId, keys: expect.any(Map) });
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

  it('is rejected in production', async () => {
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
