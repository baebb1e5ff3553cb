import { describe, expect, it } from '@jest/globals';
import type { ConfigurationError } from './startup-errors.js';
import { readEnvironment } from './load-environment.js';

const problemsOf = (source: Record<string, string>) => {
  try {
    readEnvironment(source);
    return [];
  } catch (error) {
    return (error as ConfigurationError).problems;
  }
};

describe('readEnvironment', () => {
  it('returns a default for every variable except the database', () => {
    expect(readEnvironment({})).toEqual({
      PORT: 3000,
      HOST: '127.0.0.1',
      OPS_HOST: '127.0.0.1',
      NODE_ENV: 'development',
      LOG_LEVEL: 'info',
      DATA_FOLDER: '.data',
      BODY_LIMIT_BYTES: 1_048_576,
      JSON_DEPTH_LIMIT: 32,
      RATE_LIMIT_RPS: 100,
      RATE_LIMIT_BURST: 200,
      AUTH_FAILURE_RPS: 20,
      AUTH_FAILURE_BURST: 200,
      HEADER_LIMIT_BYTES: 16_384,
      IDLE_TIMEOUT_MS: 72_000,
      MAX_CONNECTIONS: 10_000,
      RESPONSE_CACHE_BYTES: 67_108_864,
      REQUEST_TIMEOUT_MS: 30_000,
      WRITE_TIMEOUT_MS: 30_000,
      DATABASE_DEADLINE_MS: 8_000,
      DRAIN_MS: 500,
      EVENTS_RETENTION_DAYS: 30,
      USAGE_RETENTION_DAYS: 400,
      CALLBACKS_RETENTION_DAYS: 90,
      IDEMPOTENCY_RETENTION_HOURS: 24,
      OPERATOR_LOG_RETENTION_DAYS: 365,
      REQUEST_LOG_DAYS: 7,
      ROLE: 'all',
      ENFORCE_API_DOMAIN: false,
      TRUST_PROXY: false,
      WEBHOOKS_ALLOW_HTTP: false,
      WEBHOOKS_ALLOW_PRIVATE_NETWORKS: false,
      WEBHOOKS_TIMEOUT_MS: 15_000,
      WEBHOOKS_CONCURRENCY: 64,
    });
  });

  it('listens on all interfaces only in production or when HOST is set', () => {
    const key = Buffer.alloc(32).toString('base64');
    const production = {
      NODE_ENV: 'production',
      MONGODB_URI: 'mongodb://db/name',
      ENCRYPTION_KEYS: key,
    };
    expect(readEnvironment(production).HOST).toBe('0.0.0.0');
    expect(readEnvironment({ NODE_ENV: 'test' }).HOST).toBe('127.0.0.1');
    expect(readEnvironment({ HOST: '::' }).HOST).toBe('::');
  });

  it('treats empty variables as missing and ignores unknown ones', () => {
    expect(readEnvironment({ PORT: '', UNKNOWN: 'x' })).toEqual(readEnvironment({}));
  });

  it.each([
    ['true', true],
    ['2', 2],
    ['10.0.0.0/8, ::1,fd00::/8', ['10.0.0.0/8', '::1', 'fd00::/8']],
  ])('reads TRUST_PROXY=%s', (text, value) => {
    expect(readEnvironment({ TRUST_PROXY: text }).TRUST_PROXY).toEqual(value);
  });

  it('reads ENCRYPTION_KEYS, newest first', () => {
    const [newer, older] = [Buffer.alloc(32, 1), Buffer.alloc(32, 255)];
    const text = `${newer.toString('base64')}, ${older.toString('base64')}`;
    expect(readEnvironment({ ENCRYPTION_KEYS: text }).ENCRYPTION_KEYS).toEqual([newer, older]);
  });

  it('returns every problem of production settings at once', () => {
    expect(problemsOf({ NODE_ENV: 'production', PORT: '70000' })).toEqual([
      'PORT: must be from 0 to 65535',
      'MONGODB_URI: is required in production',
      'ENCRYPTION_KEYS: is required in production',
    ]);
  });

  it.each([
    { PORT: '65536' },
    { PORT: '3000.5' },
    { OPS_PORT: 'yes' },
    { PORT: '-1' },
    { MONGODB_URI: 'http://x/name' },
    { MONGODB_URI: 'mongodb://' },
    { MONGODB_URI: 'mongodb://user:word@one,two:27018/?replicaSet=rs0' },
    { MONGODB_URI: 'mongodb+srv://cluster.example.com' },
    { MONGODB_URI: 'mongodb://user:word@one/admin?replicaSet=rs0' },
    { NODE_ENV: 'prod' },
    { BODY_LIMIT_BYTES: '4194305' },
    { ENFORCE_API_DOMAIN: '1' },
    { TRUST_PROXY: 'all of them' },
    { ROLE: 'web' },
    { ENCRYPTION_KEYS: 'secret' },
    { ENCRYPTION_KEYS: Buffer.alloc(31).toString('base64') },
    { ENCRYPTION_KEYS: `${Buffer.alloc(32).toString('base64')},` },
    { WEBHOOKS_ALLOW_HTTP: 'yes' },
    { TRUST_PROXY: 'abc' },
    { TRUST_PROXY: '999.1.1.1' },
    { TRUST_PROXY: '10.0.0.1, 10.0.0.0/33' },
    { TRUST_PROXY: '::1/0' },
    { TRUST_PROXY: '10.0.0.0/8/8' },
    {
      MONGODB_URI: 'mysql://x',
      NODE_ENV: 'production',
      ENCRYPTION_KEYS: Buffer.alloc(32).toString('base64'),
    },
  ])('rejects %p with a line that names the variable', (source) => {
    const [problem, ...others] = problemsOf(source);
    const [name] = Object.keys(source);
    expect([problem, others]).toEqual([expect.stringMatching(new RegExp(`^${name}: .+`)), []]);
  });
});

describe('a variable of another type', () => {
  it('returns a message of this service', () => {
    const source = { HOST: 7, DATA_FOLDER: null } as unknown as Record<string, string>;
    expect(problemsOf(source)).toEqual(['HOST: must be a text', 'DATA_FOLDER: must be a text']);
  });
});

describe('MONGODB_URI', () => {
  it.each([
    'mongodb://127.0.0.1:27017/integration?replicaSet=rs0',
    'mongodb://user:wo%2Frd@one,two:27018/name',
    'mongodb+srv://cluster.example.com/name?authSource=admin&appName=a@b/c',
  ])('accepts %s', (address) => {
    expect(readEnvironment({ MONGODB_URI: address }).MONGODB_URI).toBe(address);
  });

  it('names the wrong part when it is rejected', () => {
    const problems = ['postgres://x/name', 'mongodb://one?w=1', 'mongodb://one/local'].map((uri) =>
      problemsOf({ MONGODB_URI: uri }).join(),
    );
    expect(problems).toEqual([
      expect.stringContaining('must start with mongodb://'),
      expect.stringContaining('must name the database'),
      expect.stringContaining('must not name local'),
    ]);
  });
});
