import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { MongoMemoryServer } from 'mongodb-memory-server';
import { ConfigurationError } from '../../src/core/configuration/startup-errors.js';
import { findMongodBinary } from '../../src/development/embedded/mongod-binary.js';
import { openSharedMongod } from '../../src/development/embedded/shared-mongod.js';
import { loadEnvironment, readEnvironment } from '../../src/core/configuration/load-environment.js';
import { runService } from '../../src/start.js';
import { runCli } from '../operator/command-line.js';
import { runToEnd } from '../support/service-process.js';
import { randomDatabaseUri, workerLogger } from '../support/test-service.js';

const ENCRYPTION_KEYS = Buffer.alloc(32).toString('base64');

/** The output of a start that fails on a database. */
async function reasonOfFailure(MONGODB_URI: string): Promise<string> {
  const variables = { NODE_ENV: 'test', PORT: '0', MONGODB_URI, DATABASE_DEADLINE_MS: '2000' };
  const environment = readEnvironment(variables);
  const started = runService(environment, workerLogger(environment));
  return started.then(
    () => 'It started.',
    (error: unknown) => (error as Error).message,
  );
}

describe('a start', () => {
  it('prints the next step when the database is not prepared in production', async () => {
    const MONGODB_URI = randomDatabaseUri();
    const { code, output } = await runToEnd({
      NODE_ENV: 'production',
      MONGODB_URI,
      ENCRYPTION_KEYS,
      DRIAN_MS: '5',
    });
    expect([code, output.trim().split('\n')]).toEqual([
      1,
      [expect.stringContaining('Did you mean DRAIN_MS?'), expect.stringContaining('db init')],
    ]);
    const client = await new MongoClient(MONGODB_URI).connect();
    expect(await client.db().listCollections().toArray()).toEqual([]);
    await client.close();
  });

  it.each([
    ['user:secret', /ECONNREFUSED/],
    ['user:secr/et@x', /./],
  ])(
    'prints one line without the credentials %s when the database is unreachable',
    async (credentials, reason) => {
      const line = await reasonOfFailure(`mongodb://${credentials}@127.0.0.1:1/x?replicaSet=none`);
      expect(line).toMatch(/^The database at mongodb:\/\/127\.0\.0\.1:1\/x cannot be used: .+$/);
      expect(line).toMatch(reason);
      expect(line).not.toMatch(/user|secr/);
    },
  );
});

describe('a start on an unusable database', () => {
  let standalone: MongoMemoryServer;
  let uninitiated: MongoMemoryServer;
  beforeAll(async () => {
    const { path, version } = await findMongodBinary();
    const binary = { systemBinary: path, version };
    // Only for what hangs: a busy machine may take long.
    const instance = { storageEngine: 'wiredTiger', launchTimeout: 120_000 } as const;
    [standalone, uninitiated] = await Promise.all([
      MongoMemoryServer.create({ binary, instance }),
      MongoMemoryServer.create({ binary, instance: { ...instance, args: ['--replSet', 'rs0'] } }),
    ]);
  });
  afterAll(() => Promise.all([standalone.stop(), uninitiated.stop()]));

  const reasonOf = async (uri: string, DATABASE_DEADLINE_MS = '2000') => {
    const { stderr } = await runCli(['org', 'list'], { MONGODB_URI: uri, DATABASE_DEADLINE_MS });
    return /^The database at \S+ cannot be used: (.*)\n$/m.exec(stderr)?.[1] ?? stderr;
  };

  it('prints the cause', async () => {
    const needsSet = expect.stringMatching(
      /^it is neither a replica set nor .* mongod with --replSet/,
    );
    const needsInitiation = 'its replica set is not initiated: run rs.initiate()';
    expect(
      await Promise.all([
        // The only one that can be connected to, which takes its time on a busy machine.
        reasonOf(standalone.getUri('x'), '30000'),
        reasonOf(`${standalone.getUri('x')}&replicaSet=rs0`),
        reasonOf(uninitiated.getUri('x')),
        reasonOf(`${uninitiated.getUri('x')}&replicaSet=rs0`),
        reasonOf(randomDatabaseUri().replace('directConnection=true', 'replicaSet=rs0')),
      ]),
    ).toEqual([
      needsSet,
      needsSet,
      needsInitiation,
      needsInitiation,
      'its replica set is called embedded, and MONGODB_URI says replicaSet=rs0',
    ]);
  });

  it('exits with one line', async () => {
    expect(await reasonOfFailure(uninitiated.getUri('x'))).toMatch(
      /^The database at \S+ cannot be used: its replica set is not initiated.+$/,
    );
  });
});

describe('a file that the start reads', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'integration-api-start-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('is named when `.env` is a folder', async () => {
    await mkdir(join(folder, '.env'));
    const before = process.cwd();
    process.chdir(folder);
    try {
      expect(() => loadEnvironment()).toThrow(
        new ConfigurationError(['.env: is a folder, not a file']),
      );
    } finally {
      process.chdir(before);
    }
  });

  it.each(['', '{"uri":"mongodb://127.0.0.1:1/', 'null', '{"uri":7,"port":1}', '{"port":1}'])(
    'is named when mongod.json is damaged: %p',
    async (text) => {
      const file = join(folder, 'mongod.json');
      await writeFile(file, text);
      await expect(openSharedMongod(folder)).rejects.toThrow(`${file} is damaged: delete it`);
    },
  );
});
