import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { MongoMemoryServer } from 'mongodb-memory-server';
import { findMongodBinary } from '../../src/database/embedded/mongod-binary.js';
import { runCliProcess } from '../operator/command-line.js';
import { runToEnd } from '../support/service-process.js';
import { randomDatabaseUri, startTestService } from '../support/test-service.js';

const ENCRYPTION_KEYS = Buffer.alloc(32).toString('base64');

describe('a start', () => {
  it('lists every problem of the configuration and exits', async () => {
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
    const variables = { NODE_ENV: 'production', MONGODB_URI, ENCRYPTION_KEYS };
    const start = startTestService(variables, MONGODB_URI);
    await expect(start).rejects.toThrow(/^[^\n]*db init[^\n]*$/);
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
    const start = startTestService({}, standalone.getUri('x'));
    await expect(start).rejects.toThrow(/^.*neither a replica set nor a sharded cluster.*$/);
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
