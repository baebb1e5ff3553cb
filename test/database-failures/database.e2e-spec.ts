import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { startMongod } from '../../src/database/embedded/embedded-mongod.js';
import { addTenant, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { startTestService, type TestService } from '../support/test-service.js';

const testCommands = ['--setParameter', 'enableTestCommands=1'];

type Mongod = Awaited<ReturnType<typeof startMongod>>;

let mongod: Mongod;
let service: TestService;
let tenant: Tenant;
let admin: MongoClient;

beforeAll(async () => {
  // A server of its own: fail points and stops must not reach the other test files.
  const folder = await mkdtemp(join(tmpdir(), 'integration-api-faults-'));
  mongod = await startMongod(folder, { args: testCommands });
  admin = await new MongoClient(mongod.uri).connect();
  const uri = mongod.uri.replace('/?', '/faults?');
  service = await startTestService({ DATABASE_DEADLINE_MS: '2000' }, uri);
  tenant = await addTenant(service.db);
});
afterEach(() => failNothing());
afterAll(async () => {
  // Dropping the database would wait for the transactions that were cut off.
  await admin.db('admin').command({ killAllSessions: [] });
  await service.stop();
  await admin.close();
  await mongod.stop();
  await rm(mongod.folder, { recursive: true, force: true });
});

const fail = (data: object, mode: object | string = 'alwaysOn') =>
  admin.db('admin').command({ configureFailPoint: 'failCommand', mode, data });
const failNothing = () =>
  admin.db('admin').command({ configureFailPoint: 'failCommand', mode: 'off' });
const post = (body: object) => service.api('post', '/leads').set('api-key', tenant.key).send(body);
const leadsOf = (recordSystemId: string) =>
  service.db.collection('leads').countDocuments({ recordSystemId });
const unavailable = {
  statusCode: 503,
  message: 'The service is temporarily unavailable, please try again',
  error: 'Service Unavailable',
};
const appName = 'integration-api';

describe('a database that fails', () => {
  it('once, with a write conflict, is tried again without the caller noticing', async () => {
    const failCommands = ['insert'];
    await fail(
      { failCommands, appName, errorCode: 112, errorLabels: ['TransientTransactionError'] },
      { times: 3 },
    );
    await post({ recordSystemId: 'conflict', name: 'Mona' }).expect(201);
    expect(await leadsOf('conflict')).toBe(1);
  });

  it('to confirm a commit is asked again, and the lead is there once', async () => {
    const errorLabels = ['UnknownTransactionCommitResult'];
    await fail(
      { failCommands: ['commitTransaction'], appName, errorCode: 89, errorLabels },
      { times: 2 },
    );
    const { body } = await post({ recordSystemId: 'unknown-commit', name: 'Mona' }).expect(201);
    expect(body.operation).toBe('create');
    expect(await leadsOf('unknown-commit')).toBe(1);
    expect(await service.db.collection('clients').countDocuments({ name: 'Mona' })).toBe(2);
  });

  it('always, with a conflict, is given up in time with 503 and has written nothing', async () => {
    await fail({
      failCommands: ['insert'],
      appName,
      errorCode: 112,
      errorLabels: ['TransientTransactionError'],
    });
    const startedAt = performance.now();
    const response = await post({ recordSystemId: 'given-up' }).expect(503);
    expect(response.body).toEqual(unavailable);
    expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    await failNothing();
    expect(await leadsOf('given-up')).toBe(0);
    await post({ recordSystemId: 'given-up' }).expect(201);
  });

  it('in an unknown way gives 500 without a word of why, and a log entry with it', async () => {
    await fail({ failCommands: ['insert'], appName, errorCode: 2 });
    const { body } = await post({ recordSystemId: 'fault', name: 'Fault Name' }).expect(500);
    expect(body).toEqual({
      statusCode: 500,
      message: 'Internal server error',
      error: 'Internal Server Error',
    });
    expect(service.logged()).toContain('"code":2');
    expect(service.logged()).not.toContain('Fault Name');
    await failNothing();
    expect(await leadsOf('fault')).toBe(0);
  });

  it('says so in Arabic when asked', async () => {
    await fail({ failCommands: ['insert'], appName, errorCode: 2 });
    const { body } = await post({ name: 'x' }).set('language', 'ar-eg').expect(500);
    expect(body.message).toBe('خطأ داخلي في الخادم');
  });

  it('to respond at all gives 503 in time, for known and for new keys', async () => {
    await post({ name: 'Warm' }).expect(201);
    await fail({
      failCommands: ['find', 'insert', 'update', 'ping', 'aggregate'],
      appName,
      blockConnection: true,
      blockTimeMS: 6_000,
    });
    const startedAt = performance.now();
    const [known, fresh, health] = await Promise.all([
      post({ name: 'x' }),
      service.api('get', '/leads/x').set('api-key', 'never seen'),
      service.api('get', '/healthz'),
    ]);
    expect(known.body).toEqual(unavailable);
    expect(fresh.body).toEqual(unavailable);
    expect(health.status).toBe(503);
    expect(health.body).toEqual({ description: 'Integration API', ok: false, version: 'v1.0' });
    expect(performance.now() - startedAt).toBeLessThan(4_000);
  });
});

describe('a database that is gone', () => {
  it('gives 503 until it is back, and the service goes on', async () => {
    await post({ recordSystemId: 'before' }).expect(201);
    await mongod.stop();
    expect((await post({ recordSystemId: 'while' })).body).toEqual(unavailable);
    expect((await service.api('get', '/healthz').expect(503)).body.ok).toBe(false);
    mongod = await startMongod(mongod.folder, { port: mongod.port, args: testCommands });
    await eventually(() => service.api('get', '/healthz').expect(200));
    await post({ recordSystemId: 'while' }).expect(201);
    expect((await post({ recordSystemId: 'before' }).expect(200)).body.operation).toBe('update');
  });
});
