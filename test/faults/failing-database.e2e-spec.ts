import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { TenantCache } from '../../src/core/cache/tenant-cache.js';
import { DatabaseStructure } from '../../src/core/database/structure/database-structure.js';
import { Metrics } from '../../src/core/observability/metrics.js';
import { UsageRecorder } from '../../src/operator/usage/usage-recorder.js';
import { startOpsListener } from '../../src/start.js';
import { rawGet } from '../cache/raw-get.js';
import { startConsole } from '../console/console-client.js';
import { cacheMetrics } from '../operations/metrics-text.js';
import { runCli, runJson } from '../operator/command-line.js';
import { addTenant, addUnit, conventions } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { logLinesWith } from '../support/log-lines.js';
import { openSocket, rawRequest, readToEnd } from '../support/raw-http.js';
import { basePath } from '../support/shared-service.js';
import { startFaultDatabase } from './support/fault-database.js';

const database = await startFaultDatabase();
const { db, uri } = database;
/** `service` has a deadline that even a busy machine meets; `hasty` has a short one. */
const service = await database.startService({ DATABASE_DEADLINE_MS: '30000' });
const hasty = await database.startService({ DATABASE_DEADLINE_MS: '2000' });
const tenant = await addTenant(db);

/** The driver repeats the read once. */
const interruptedAtShutdown = 11_600;

afterEach(() => database.recover());

const post = (body: object, to = service) =>
  to.api('post', '/leads').set('api-key', tenant.key).send(body);
const leadsOf = (recordSystemId: string) =>
  db.collection('leads').countDocuments({ recordSystemId });
const delay = (failCommands: readonly string[], blockTimeMS: number, mode?: object) =>
  database.fail({ failCommands, blockConnection: true, blockTimeMS }, mode);

describe('a request to a failing database', () => {
  it('succeeds with an Idempotency-Key when an earlier claim of the key timed out', async () => {
    const keyed = () =>
      post({ recordSystemId: 'late-claim', name: 'Laila' }, hasty).set('idempotency-key', 'late');
    await delay(['insert'], 2_500, { times: 1 });
    await keyed().expect(503);
    await eventually(async () => {
      const record = await db.collection('idempotencyRecords').findOne({ key: 'late' });
      expect(record?.['claimedAt']).toEqual(new Date(0));
    });
    await keyed().expect(201);
    expect(await leadsOf('late-claim')).toBe(1);
  });

  it('returns 500 without the cause, which is logged, on an unknown error', async () => {
    await database.fail({ failCommands: ['insert'], errorCode: 2 });
    const { body } = await post({ recordSystemId: 'fault', name: 'Fault Name' }).expect(500);
    const [error, message] = ['Internal Server Error', 'Internal server error'];
    expect(body).toEqual({ statusCode: 500, message, error });
    expect(service.logged()).toContain('"code":2');
    expect(service.logged()).not.toContain('Fault Name');
    const arabic = await post({ name: 'x' }).set('language', 'ar-eg').expect(500);
    expect(arabic.body.message).toBe('خطأ داخلي في الخادم');
    await database.recover();
    expect(await leadsOf('fault')).toBe(0);
  });

  it('returns 503 in time when the database hangs, with a cached key or a new one', async () => {
    await eventually(() => post({ name: 'Warm' }, hasty).expect(201));
    const blockTimeMS = 6_000;
    await delay(['find', 'insert', 'update', 'ping', 'aggregate'], blockTimeMS);
    const startedAt = performance.now();
    const [known, fresh, health] = await Promise.all([
      post({ name: 'x' }, hasty),
      hasty.api('get', '/leads/x').set('api-key', 'never seen'),
      hasty.api('get', '/healthz'),
    ]);
    const message = 'The service is temporarily unavailable: try again later';
    const unavailable = { statusCode: 503, message, error: 'Service Unavailable' };
    expect([known.body, fresh.body]).toEqual([unavailable, unavailable]);
    expect(health).toMatchObject({ status: 503, body: { ok: false, version: 'v1.0' } });
    expect(performance.now() - startedAt).toBeLessThan(blockTimeMS);
  });

  it('gets only the 503 of the deadline when the key lookup fails while the body arrives', async () => {
    // The lookup and its retry end after the deadline, and before the service stops to wait for the body.
    const failed = { errorCode: interruptedAtShutdown, blockConnection: true, blockTimeMS: 1_200 };
    await database.fail({ failCommands: ['find'], ...failed });
    const socket = openSocket(hasty.url);
    const headers = ['api-key: unknown', 'X-Request-Id: half-a-body', 'Connection: close'];
    const body = ['Content-Type: application/json', 'Content-Length: 100'];
    socket.write(rawRequest(`POST /${basePath}/leads`, [...headers, ...body], '{'));
    const { text } = await readToEnd(socket);
    expect(text.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 503']);
    const failures = logLinesWith(hasty.logged(), 'The request failed');
    expect(failures.filter(({ reqId }) => reqId === 'half-a-body')).toHaveLength(1);
  });
});

describe('a console page', () => {
  it('returns 503 within the deadline while the database hangs', async () => {
    const deadlineMs = 1_600;
    const testConsole = await startConsole({ DATABASE_DEADLINE_MS: String(deadlineMs) }, uri);
    const loadWhileHanging = async (path: string) => {
      const startedAt = performance.now();
      const page = await testConsole.get(path);
      expect(page).toMatchObject({ status: 503 });
      // A busy machine gets two more seconds.
      expect(performance.now() - startedAt).toBeLessThan(deadlineMs + 2_000);
      return page.html;
    };
    expect(await testConsole.get('')).toMatchObject({ status: 200 });
    await delay(['find', 'aggregate', 'ping', 'hello'], 6_000);
    const paths = ['', '/partners', `/webhooks/${new ObjectId().toHexString()}`];
    for (const html of await Promise.all(paths.map(loadWhileHanging))) {
      expect(html).toContain('The database does not respond.');
      expect(html).toMatch(/\d+ of \d+ connections of this process are in use/);
    }
    await testConsole.stop();
  });
});

describe('usage statistics', () => {
  const store = () => hasty.service.app.get(UsageRecorder).store();
  const call = () => hasty.api('get', '/compounds').set('api-key', tenant.key);
  const countedCalls = async () => {
    const counted = await db.collection('usage').find().toArray();
    return counted.reduce((sum, { calls }) => sum + Number(calls), 0);
  };
  beforeAll(() => startOpsListener(hasty.service));

  it('count each call once when a commit is not confirmed', async () => {
    await eventually(() => call().expect(200));
    await store();
    const before = await countedCalls();
    await call().expect(200);
    const errors = { code: 100, errmsg: 'not enough data-bearing nodes' };
    await database.fail({ failCommands: ['commitTransaction'], writeConcernError: errors });
    await expect(store()).rejects.toThrow(/./);
    await database.recover();
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

it('reservation reconcile compares a ledger for longer than the request deadline', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'integration-api-ledger-'));
  try {
    const file = join(folder, 'ledger.csv');
    const header = 'installmentId,reservationId,chequeStatus,chequeAmount,chequeNumber';
    await writeFile(file, `${header}\n1,${String(new ObjectId())},pending,,\n`);
    const namespace = `${db.databaseName}.reservations`;
    const failCommands = ['find', 'aggregate'];
    await database.fail({ failCommands, namespace, blockConnection: true, blockTimeMS: 2_500 });
    const command = ['reservation', 'reconcile', file, '--org', String(tenant.organizationId)];
    const variables = { MONGODB_URI: uri, DATABASE_DEADLINE_MS: '1000' };
    const startedAt = performance.now();
    const compared = await runJson(command, variables);
    expect(compared).toMatchObject({ compared: 1, matching: 0 });
    expect(performance.now() - startedAt).toBeGreaterThan(2_500);
  } finally {
    await rm(folder, { recursive: true });
  }
});

describe('db init', () => {
  const deliveries = () => db.collection('webhookDeliveries');
  const indexNames = async () => (await deliveries().indexes()).map(({ name }) => name);
  const structure = () => service.service.app.get(DatabaseStructure);
  const init = () => runCli(['db', 'init'], { MONGODB_URI: uri, DATABASE_DEADLINE_MS: '1000' });

  it('builds indexes for longer than the request deadline', async () => {
    await deliveries().dropIndex('ofEndpoint');
    await delay(['createIndexes'], 2_500);
    const hastyStructure = hasty.service.app.get(DatabaseStructure);
    const [outcome] = await Promise.all([init(), hastyStructure.apply()]);
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
    await db.command({ collMod: 'clients', validator: {} });
    const isBuilding = { failCommands: ['collMod'], errorCode: 12_587 };
    await database.fail(isBuilding, { times: 1 });
    await structure().apply();
    expect((await structure().status()).isComplete).toBe(true);
  });
});

describe('an operator command', () => {
  const listOrganizations = (DATABASE_DEADLINE_MS: string) =>
    runCli(['org', 'list', '--json'], { MONGODB_URI: uri, DATABASE_DEADLINE_MS });

  it('reports a hanging database at its deadline', async () => {
    const blockTimeMS = 8_000;
    await delay(['find', 'ping'], blockTimeMS);
    const startedAt = performance.now();
    const outcome = await listOrganizations('1500');
    expect(outcome).toMatchObject({ code: 1, stdout: '' });
    expect(outcome.stderr).toMatch(
      /^The database at mongodb:.* cannot be used: The database did not respond in time\.\n$/,
    );
    expect(performance.now() - startedAt).toBeLessThan(blockTimeMS);
  });

  it('waits for a slow database longer than a request does', async () => {
    await delay(['find'], 1_200);
    expect(await listOrganizations('500')).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('a cached response', () => {
  // This is enough for a write on a busy machine, and short enough to wait for without a database.
  const variables = { DATABASE_DEADLINE_MS: '8000', RESPONSE_CACHE_BYTES: '67108864' };
  let cachingService: typeof service;
  let unitId: ObjectId;
  beforeAll(async () => {
    cachingService = await database.startService(variables);
    unitId = await addUnit(db, tenant.organizationId, { price: 0 });
  });

  const hits = async () => (await cacheMetrics(cachingService.service.app.get(Metrics))).hits;
  const read = () => rawGet(cachingService.url, '/units', { 'api-key': tenant.key });
  const shownPrice = async () => Number(/"price":(\d+)/.exec((await read()).body.toString())?.[1]);
  const store = (price: number) =>
    eventually(() => db.collection('units').updateOne({ _id: unitId }, { $set: { price } }));
  const expectHit = async () => {
    const before = await hits();
    await eventually(async () => {
      expect((await read()).status).toBe(200);
      expect(await hits()).toBeGreaterThan(before);
    });
  };

  it('is used again after any server becomes primary', async () => {
    await expectHit();
    await database.server.command({ replSetStepDown: 1, force: true });
    await expectHit();
    await store(3);
    await eventually(async () => expect(await shownPrice()).toBe(3), 5_000);
  });

  it('is used only while the database is available', async () => {
    await expectHit();
    await database.server.kill();
    await eventually(async () => expect((await read()).status).toBe(503));
    await database.server.restart();
    await store(4);
    await eventually(async () => expect((await read()).status).toBe(200));
    expect(await shownPrice()).toBe(4);
    await expectHit();
  });

  describe('while many clients wait for it', () => {
    const path = '/units?sort=price';
    const get = () => rawGet(cachingService.url, path, { 'api-key': tenant.key });
    const failRead = (data: object) =>
      database.fail(
        { failCommands: ['find', 'aggregate'], namespace: `${db.databaseName}.units`, ...data },
        { times: 1 },
      );
    /** Called at each read of units. */
    let onRead: () => void;
    let reads = 0;
    beforeAll(async () => {
      cachingService.tenantCommands.onCommand(({ name, collection }) => {
        if (collection !== 'units' || !['find', 'aggregate'].includes(name)) return;
        reads++;
        onRead();
      });
    });
    beforeEach(async () => {
      onRead = () => undefined;
      await get();
      cachingService.service.app.get(TenantCache).invalidate(tenant.organizationId);
      reads = 0;
    });

    it('is loaded once although the first one hangs up', async () => {
      await failRead({ blockConnection: true, blockTimeMS: 500 });
      const hasBegun = new Promise<void>((resolve) => (onRead = resolve));
      const first = openSocket(cachingService.url);
      first.write(rawRequest(`GET /${basePath}${path}`, [`api-key: ${tenant.key}`]));
      await hasBegun;
      const readsOfFirst = reads;
      const others = Array.from({ length: 50 }, get);
      first.destroy();
      for (const { status } of await Promise.all(others)) expect(status).toBe(200);
      expect(readsOfFirst).toBe(1);
      const inOneLoad = reads;
      cachingService.service.app.get(TenantCache).invalidate(tenant.organizationId);
      reads = 0;
      await get();
      expect(inOneLoad).toBe(reads);
    });

    it('is loaded by one of them after a load that failed', async () => {
      await failRead({ errorCode: 13 });
      const statuses = (await Promise.all(Array.from({ length: 50 }, get))).map(
        ({ status }) => status,
      );
      expect(statuses.filter((status) => status !== 200)).toEqual([500]);
      const inTwoLoads = reads;
      cachingService.service.app.get(TenantCache).invalidate(tenant.organizationId);
      reads = 0;
      await get();
      expect(inTwoLoads).toBe(1 + reads);
    });
  });
});
