import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { MongoMemoryServer } from 'mongodb-memory-server';
import { findMongodBinary } from '../../src/database/mongod-binary.js';
import { basePath } from '../../src/service.js';
import { runCliProcess } from '../operator/command-line.js';
import { eventually } from '../support/eventually.js';
import { runToEnd, send, startProcess } from '../support/service-process.js';
import { randomDatabaseUri } from '../support/test-service.js';

const ENCRYPTION_KEYS = Buffer.alloc(32).toString('base64');

describe('a start', () => {
  it('lists every fault of the configuration at once and ends', async () => {
    const { code, output } = await runToEnd({
      NODE_ENV: 'production',
      PORT: '70000',
      LOG_LEVEL: 'loud',
      BODY_LIMIT_BYTES: '1e6',
      ENFORCE_API_DOMAIN: 'yes',
      TRUST_PROXY: 'everyone',
    });
    expect(code).toBe(2);
    const lines = output.trim().split('\n');
    expect(lines[0]).toBe('The configuration is not valid:');
    const names = lines.slice(1).map((line) => line.trim().split(':')[0]);
    expect(names.toSorted()).toEqual([
      'BODY_LIMIT_BYTES',
      'ENCRYPTION_KEYS',
      'ENFORCE_API_DOMAIN',
      'LOG_LEVEL',
      'MONGODB_URI',
      'PORT',
      'TRUST_PROXY',
    ]);
  });

  it('in production on an unprepared database ends with a line that says what to do', async () => {
    const MONGODB_URI = randomDatabaseUri();
    const { code, output } = await runToEnd({
      NODE_ENV: 'production',
      MONGODB_URI,
      ENCRYPTION_KEYS,
    });
    expect([code, output.trim().split('\n')]).toEqual([1, [expect.stringContaining('db init')]]);
    const client = await new MongoClient(MONGODB_URI).connect();
    expect(await client.db().listCollections().toArray()).toEqual([]);
    await client.close();
  });

  it('on a database that cannot be reached ends with one line that holds no password', async () => {
    const MONGODB_URI = 'mongodb://user:secret@127.0.0.1:1/x?replicaSet=none';
    const { code, output } = await runToEnd({ MONGODB_URI, DATABASE_DEADLINE_MS: '500' });
    const line = /^The database at mongodb:\/\/127\.0\.0\.1:1\/x cannot be used: .*ECONNREFUSED/;
    expect([code, output.trim().split('\n')]).toEqual([1, [expect.stringMatching(line)]]);
    expect(output).not.toContain('secret');
  });

  it('on a database whose password is not escaped does not show it', async () => {
    const MONGODB_URI = 'mongodb://user:se/cr@et@127.0.0.1:1/x?replicaSet=none';
    const { code, output } = await runToEnd({ MONGODB_URI, DATABASE_DEADLINE_MS: '500' });
    const line = /^The database at mongodb:\/\/127\.0\.0\.1:1\/x cannot be used: /;
    expect([code, output.trim().split('\n')]).toEqual([1, [expect.stringMatching(line)]]);
    expect(output).not.toMatch(/se\/|user/);
  });
});

describe('a standalone database', () => {
  let standalone: MongoMemoryServer;
  beforeAll(async () => {
    const { path, version } = await findMongodBinary();
    standalone = await MongoMemoryServer.create({
      binary: { systemBinary: path, version },
      instance: { storageEngine: 'wiredTiger' },
    });
  });
  afterAll(() => standalone.stop());

  it('ends a start with one line', async () => {
    const { code, output } = await runToEnd({ MONGODB_URI: standalone.getUri('x') });
    const line = expect.stringContaining('neither a replica set nor a sharded cluster');
    expect([code, output.trim().split('\n')]).toEqual([1, [line]]);
  });

  it('ends a command of the command line with one line', async () => {
    const MONGODB_URI = standalone.getUri('alone');
    const outcome = await runCliProcess(['org', 'list'], { MONGODB_URI });
    expect(outcome).toMatchObject({ code: 1, stdout: '' });
    expect(outcome.stderr).toMatch(
      /^The database at MONGODB_URI is neither a replica set [^\n]+\n$/,
    );
  });
});

describe('processes on one data folder', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'integration-api-shared-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('start one database between them, and go on when the one that started it ends', async () => {
    const variables = { DATA_FOLDER: folder };
    const [one, two] = await Promise.all([
      runCliProcess(['org', 'create', '--name', 'One', '--json'], variables),
      runCliProcess(['org', 'create', '--name', 'Two', '--json'], variables),
    ]);
    expect([one, two]).toEqual(Array(2).fill(expect.objectContaining({ code: 0, stderr: '' })));

    const first = await startProcess(variables);
    const second = await startProcess(variables);
    first.process.kill('SIGTERM');
    expect(await first.exited).toBe(0);
    await eventually(async () => {
      expect((await fetch(`${second.url}/${basePath}/healthz`)).status).toBe(200);
    });
    second.process.kill('SIGTERM');
    expect(await second.exited).toBe(0);
  });
});

describe('a start without configuration', () => {
  let folder: string;
  const environment = () => ({ NODE_ENV: 'development', DATA_FOLDER: folder });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'integration-api-embedded-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('brings a database, demo data and a key, and keeps all of it for the next one', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const failed = await runToEnd({ ...environment(), PORT: String(port) });
    const line = `Another program listens on 127.0.0.1:${port} already: set PORT to a free one.`;
    expect([failed.code, failed.output.trim().split('\n').at(-1)]).toEqual([1, line]);
    taken.close();

    const first = await startProcess(environment());
    const key = /Demo API key\s+(\S+)/.exec(first.output())?.[1] ?? '';
    expect(first.output()).toMatch(/API reference\s+http:\S+\/docs/);
    expect(first.output()).toContain(folder);
    const body = { recordSystemId: 'kept', project: 'Palm Meadows' };
    const lead = await send(first.url, { method: 'POST', path: '/leads', key, body });
    expect([lead.status, lead.body.lead.compoundsIds.length]).toEqual([201, 1]);
    first.process.kill('SIGTERM');
    expect(await first.exited).toBe(0);

    const second = await startProcess(environment());
    expect(second.output()).not.toContain('Demo API key');
    const read = await send(second.url, { method: 'GET', path: '/leads/kept', key });
    expect(read.body.lead).toEqual(lead.body.lead);
    second.process.kill('SIGINT');
    expect(await second.exited).toBe(0);
  });
});
