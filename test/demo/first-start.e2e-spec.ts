import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readEnvironment } from '../../src/configuration/environment.js';
import { openOnFirstStart } from '../../src/demo/demo-organization.js';
import { runDemo } from '../../src/demo/run-demo.js';
import { addTenant } from '../support/builders.js';
import { randomDatabaseUri, startTestService, type TestService } from '../support/test-service.js';

let service: TestService;
const start = () => openOnFirstStart(service.service.app);

beforeAll(async () => {
  service = await startTestService({}, randomDatabaseUri());
});
afterAll(() => service.stop());

describe('the first start', () => {
  it('gives a key and a catalogue, once', async () => {
    const access = await start();
    await service
      .api('get', '/leads/none')
      .set('api-key', access?.key ?? '')
      .expect(404);
    expect(await service.db.collection('units').countDocuments()).toBeGreaterThan(99);
    expect(await start()).toBeNull();
  });

  it('is still to come when only the demo has run before', async () => {
    await service.db.collection('apiKeys').updateMany({}, { $set: { revokedAt: new Date() } });
    const access = await start();
    await service
      .api('get', '/leads/none')
      .set('api-key', access?.key ?? '')
      .expect(404);
    expect(await service.db.collection('organizations').countDocuments()).toBe(1);
  });

  it('never comes where there is another organization', async () => {
    await service.db.collection('apiKeys').deleteMany({});
    await addTenant(service.db);
    expect(await start()).toBeNull();
  });
});

describe('the demo', () => {
  it('does not run in production', async () => {
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
