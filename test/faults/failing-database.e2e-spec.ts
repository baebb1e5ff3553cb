import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { DatabaseStructure } from '../../src/core/database/structure/database-structure.js';
import { UsageRecorder } from '../../src/operator/usage/usage-recorder.js';
import { startOperations } from '../../src/start.js';
import { runCli } from '../operator/command-line.js';
import { addTenant, conventions, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import type { TestService } from '../support/test-service.js';
import { useFaultDatabase } from './support/fault-database.js';

const database = useFaultDatabase();
/** One that waits as long as a busy machine takes, and one with a short deadline. */
let service: TestService;
let hasty: TestService;
let tenant: Tenant;

beforeAll(async () => {
  service = await database.startService({ DATABASE_DEADLINE_MS: '30000' });
  hasty = await database.startService({ DATABASE_DEADLINE_MS: '2000' });
  tenant = await addTenant(service.db);
});
afterEach(() => database.pass());

const post = (body: object, to = service) =>
  to.api('post', '/leads').set('api-key', tenant.key).send(body);
const leadsOf = (recordSystemId: string) =>
  service.db.collection('leads').countDocuments({ recordSystemId });
const unavailable = {
  statusCode: 503,
  message: 'The service is temporarily unavailable, please try again',
  error: 'Service Unavailable',
};

describe('a request to a failing database', () => {
  it('succeeds with an Idempotency-Key when an earlier claim of the key timed out', async () => {
    const keyed = () =>
      post({ recordSystemId: 'late-claim', name: 'Laila' }, hasty).set('idempotency-key', 'late');
    await database.fail(
      { failCommands: ['insert'], blockConnection: true, blockTimeMS: 2_500 },
      { times: 1 },
    );
    await keyed().expect(503);
    await eventually(async () => {
      const record = await service.db.collection('idempotencyRecords').findOne({ key: 'late' });
      expect(record?.['claimedAt']).toEqual(new Date(0));
    });
    await keyed().expect(201);
    expect(await leadsOf('late-claim')).toBe(1);
  });

  it('returns 500 without the cause, which is logged, on an unknown error', async () => {
    await database.fail({ failCommands: ['insert'], errorCode: 2 });
    const { body } = await post({ recordSystemId: 'fault', name: 'Fault Name' }).expect(500);
    expect(body).toEqual({
      statusCode: 500,
      message: 'Internal server error',
      error: 'Internal Server Error',
    });
    expect(service.logged()).toContain('"code":2');
    expect(service.logged()).not.toContain('Fault Name');
    const arabic = await post({ name: 'x' }).set('language', 'ar-eg').expect(500);
    expect(arabic.body.message).toBe('خطأ داخلي في الخادم');
    await database.pass();
    expect(await leadsOf('fault')).toBe(0);
  });

  it('returns 503 in time with known and new keys when the database hangs', async () => {
    await eventually(() => post({ name: 'Warm' }, hasty).expect(201));
    const blockTimeMS = 6_000;
    await database.fail({
      failCommands: ['find', 'insert', 'update', 'ping', 'aggregate'],
      blockConnection: true,
      blockTimeMS,
    });
    const startedAt = performance.now();
    const [known, fresh, health] = await Promise.all([
      post({ name: 'x' }, hasty),
      hasty.api('get', '/leads/x').set('api-key', 'never seen'),
      hasty.api('get', '/healthz'),
    ]);
    expect(known.body).toEqual(unavailable);
    expect(fresh.body).toEqual(unavailable);
    expect(health.status).toBe(503);
    expect(health.body).toEqual({ description: 'Integration API', ok: false, version: 'v1.0' });
    expect(performance.now() - startedAt).toBeLessThan(blockTimeMS);
  });
});

describe('usage statistics', () => {
  const store = () => hasty.service.app.get(UsageRecorder).store();
  const call = () => hasty.api('get', '/compounds').set('api-key', tenant.key);
  const countedCalls = async () => {
    const hours = await service.db.collection('usageStats').find({ span: 'hour' }).toArray();
    return hours.reduce((sum, { calls }) => sum + Number(calls), 0);
  };
  beforeAll(() => startOperations(hasty.service));

  it('count each call once when a commit is not confirmed', async () => {
    await eventually(() => call().expect(200));
    await store();
    const before = await countedCalls();
    await call().expect(200);
    const errors = { code: 100, errmsg: 'not enough data-bearing nodes' };
    await database.fail({ failCommands: ['commitTransaction'], writeConcernError: errors });
    await expect(store()).rejects.toThrow(/./);
    await database.pass();
    await eventually(async () => expect(await countedCalls()).toBe(before + 1));
    await call().expect(200);
    await store();
    await store();
    expect(await countedCalls()).toBe(before + 2);
  });

  it('are stored after the database is back', async () => {
    const before = await countedCalls();
    await database.server.kill();
    for (let time = 0; time < 2; time++) await call().expect(503);
    await expect(store()).rejects.toThrow(/./);
    await call().expect(503);
    await database.server.restart();
    await eventually(async () => {
      await store();
      expect(await countedCalls()).toBe(before + 3);
    });
  });
});

describe('db init', () => {
  const deliveries = () => service.db.collection('webhookDeliveries');
  const indexNames = async () => (await deliveries().indexes()).map(({ name }) => name);
  const structure = () => service.service.app.get(DatabaseStructure);
  const init = () =>
    runCli(['db', 'init'], { MONGODB_URI: service.databaseUri, DATABASE_DEADLINE_MS: '500' });

  it('builds indexes for longer than the request deadline', async () => {
    await deliveries().dropIndex('ofEndpoint');
    await database.fail({
      failCommands: ['createIndexes'],
      blockConnection: true,
      blockTimeMS: 2_500,
    });
    const ofHasty = hasty.service.app.get(DatabaseStructure);
    const [outcome] = await Promise.all([init(), ofHasty.apply()]);
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    expect((await structure().status()).isComplete).toBe(true);
  });

  it('waits for a running index build that db status reports as unfinished', async () => {
    await deliveries().dropIndex('ofEndpoint');
    await deliveries().insertOne(
      { ...conventions(tenant.organizationId), eventId: new ObjectId() },
      { bypassDocumentValidation: true },
    );
    const hang = (mode: string) =>
      database.server.command({ configureFailPoint: 'hangAfterStartingIndexBuild', mode });
    await hang('alwaysOn');
    const first = init();
    await eventually(async () => expect(await indexNames()).toContain('ofEndpoint'));
    const { isComplete, collections } = await structure().status();
    const state = collections.find(({ collection }) => collection === 'webhookDeliveries');
    expect([isComplete, state?.missingIndexes]).toEqual([false, ['ofEndpoint']]);
    const { promise: reported, resolve: report } = Promise.withResolvers<string>();
    const second = structure().apply(report);
    expect(await reported).toMatch(/^Building ofEndpoint of webhookDeliveries/);
    await hang('off');
    await second;
    expect((await structure().status()).isComplete).toBe(true);
    expect(await first).toMatchObject({ code: 0 });
    await deliveries().deleteMany({});
  });

  it('waits for the index build of another process before it changes a validator', async () => {
    await service.db.command({ collMod: 'clients', validator: {} });
    const isBuilding = { failCommands: ['collMod'], errorCode: 12_587 };
    await database.fail(isBuilding, { times: 1 });
    await structure().apply();
    expect((await structure().status()).isComplete).toBe(true);
  });
});

describe('an operator command', () => {
  it('reports a hanging database at its deadline', async () => {
    const blockTimeMS = 8_000;
    const failCommands = ['find', 'ping'];
    await database.fail({ failCommands, blockConnection: true, blockTimeMS });
    const startedAt = performance.now();
    const outcome = await runCli(['org', 'list'], {
      MONGODB_URI: service.databaseUri,
      DATABASE_DEADLINE_MS: '1500',
    });
    expect(outcome).toMatchObject({ code: 1, stdout: '' });
    expect(outcome.stderr).toMatch(
      /^The database at mongodb:.* cannot be used: The database did not respond in time\.\n$/,
    );
    expect(performance.now() - startedAt).toBeLessThan(blockTimeMS);
  });

  it('waits for a slow database longer than a request does', async () => {
    await database.fail({ failCommands: ['find'], blockConnection: true, blockTimeMS: 1_200 });
    const variables = { MONGODB_URI: service.databaseUri, DATABASE_DEADLINE_MS: '500' };
    const outcome = await runCli(['org', 'list', '--json'], variables);
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
  });
});
