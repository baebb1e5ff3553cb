import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { MongoMemoryServer } from 'mongodb-memory-server';
import { ConfigurationError } from '../../src/core/configuration/startup-errors.js';
import { findMongodBinary } from '../../src/development/embedded/mongod-binary.js';
import { openSharedMongod } from '../../src/development/embedded/shared-mongod.js';
import { loadEnvironment, readEnvironment } from '../../src/core/configuration/load-environment.js';
import { runService } from '../../src/start.js';
import { runUntilExit } from '../support/service-process.js';
import { randomDatabaseUri, workerLogger } from '../support/test-service.js';

const { path, version } = await findMongodBinary();
const startServer = (...args: string[]) =>
  MongoMemoryServer.create({
    binary: { systemBinary: path, version },
    // This timeout only ends hanging starts: a busy machine may take long.
    instance: { storageEngine: 'wiredTiger', launchTimeout: 120_000, args },
  });
const [standalone, uninitiated] = await Promise.all([
  startServer(),
  startServer('--replSet', 'rs0'),
]);
const folder = await mkdtemp(join(tmpdir(), 'integration-api-start-'));
afterAll(async () => {
  await Promise.all([standalone.stop(), uninitiated.stop()]);
  await rm(folder, { recursive: true });
});

describe('a start', () => {
  it('prints the next step when the database is not prepared in production', async () => {
    const MONGODB_URI = randomDatabaseUri();
    const ENCRYPTION_KEYS = Buffer.alloc(32).toString('base64');
    const variables = { NODE_ENV: 'production', MONGODB_URI, ENCRYPTION_KEYS, DRIAN_MS: '5' };
    const { code, output } = await runUntilExit(variables);
    expect([code, ...output.trim().split('\n')]).toEqual([
      1,
      expect.stringContaining('Did you mean DRAIN_MS?'),
      expect.stringContaining('db init'),
    ]);
    const client = await new MongoClient(MONGODB_URI).connect();
    expect(await client.db().listCollections().toArray()).toEqual([]);
    await client.close();
  });

  const needsSet = /: it is neither a replica set nor .* mongod with --replSet/;
  const needsInitiation = /: its replica set is not initiated: run rs\.initiate\(\)$/;
  const hasOtherName = /: its replica set is called embedded, but MONGODB_URI says replicaSet=rs0$/;
  const [alone, unready] = [standalone.getUri('x'), uninitiated.getUri('x')];
  const other = randomDatabaseUri().replace('directConnection=true', 'replicaSet=rs0');

  it.each([
    ['is unreachable', 'mongodb://user:secret@127.0.0.1:1/x?replicaSet=none', /ECONNREFUSED/],
    ['has a malformed address', 'mongodb://user:secr/et@127.0.0.1:1/x?replicaSet=none', /./],
    ['is not a replica set', alone, needsSet],
    ['is not a replica set although the URI names one', `${alone}&replicaSet=rs0`, needsSet],
    ['is not initiated', unready, needsInitiation],
    ['is not initiated although the URI names it', `${unready}&replicaSet=rs0`, needsInitiation],
    ['has another replica set name', other, hasOtherName],
  ])('prints one line without credentials when the database %s', async (_, uri, reason) => {
    const variables = { NODE_ENV: 'test', PORT: '0', MONGODB_URI: uri };
    // A standalone server accepts connections, which takes long on a busy machine.
    const DATABASE_DEADLINE_MS = uri === alone ? '30000' : '2000';
    const environment = readEnvironment({ ...variables, DATABASE_DEADLINE_MS });
    const failure: unknown = await runService(environment, workerLogger(environment)).catch(
      (error: unknown) => error,
    );
    const { message } = failure as Error;
    expect(message).toMatch(/^The database at \S+ cannot be used: .+$/);
    expect(message).toMatch(reason);
    expect(message).not.toMatch(/user|secr/);
  });

  it('reports `.env` when it is a folder', async () => {
    await mkdir(join(folder, '.env'));
    const before = process.cwd();
    process.chdir(folder);
    try {
      const problems = ['.env: is a folder, not a file'];
      expect(() => loadEnvironment()).toThrow(new ConfigurationError(problems));
    } finally {
      process.chdir(before);
    }
  });

  it.each(['', '{"uri":"mongodb://127.0.0.1:1/', 'null', '{"uri":7,"port":1}', '{"port":1}'])(
    'reports mongod.json when it is damaged: %p',
    async (text) => {
      const file = join(folder, 'mongod.json');
      await writeFile(file, text);
      await expect(openSharedMongod(folder)).rejects.toThrow(`${file} is damaged: delete it`);
    },
  );
});
