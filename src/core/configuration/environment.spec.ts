import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { ConfigurationError } from './startup-errors.js';
import { misspelledVariables, readEnvironment } from './load-environment.js';
import { variableNames } from './environment-variables.js';

const problemsOf = (source: Record<string, string>) => {
  try {
    readEnvironment(source);
    return [];
  } catch (error) {
    return (error as ConfigurationError).problems;
  }
};

const keyOf = (bytes: number) => Buffer.alloc(bytes).toString('base64');

describe('readEnvironment', () => {
  it('returns the defaults when no variable is set', () => {
    // The test of docs/configuration.md covers the other defaults.
    expect(readEnvironment({})).toMatchObject({ PORT: 3000, NODE_ENV: 'development' });
  });

  it('returns HOST 0.0.0.0 in production, otherwise 127.0.0.1 or the set value', () => {
    const settings = { MONGODB_URI: 'mongodb://db/name', ENCRYPTION_KEYS: keyOf(32) };
    expect(readEnvironment({ NODE_ENV: 'production', ...settings }).HOST).toBe('0.0.0.0');
    expect(readEnvironment({ NODE_ENV: 'test' }).HOST).toBe('127.0.0.1');
    expect(readEnvironment({ HOST: '::' }).HOST).toBe('::');
  });

  it('ignores empty and unknown variables', () => {
    expect(readEnvironment({ PORT: '', UNKNOWN: 'x' })).toEqual(readEnvironment({}));
  });

  it.each([
    ['true', true],
    ['2', 2],
    ['10.0.0.0/8, ::1,fd00::/8', ['10.0.0.0/8', '::1', 'fd00::/8']],
  ])('parses TRUST_PROXY=%s as %j', (text, value) => {
    expect(readEnvironment({ TRUST_PROXY: text }).TRUST_PROXY).toEqual(value);
  });

  it('returns the keys of ENCRYPTION_KEYS, newest first', () => {
    const [newer, older] = [Buffer.alloc(32, 1), Buffer.alloc(32, 255)];
    const text = `${newer.toString('base64')}, ${older.toString('base64')}`;
    expect(readEnvironment({ ENCRYPTION_KEYS: text }).ENCRYPTION_KEYS).toEqual([newer, older]);
  });

  it('reports every problem of production settings in one error', () => {
    expect(problemsOf({ NODE_ENV: 'production', PORT: '70000' })).toEqual([
      'PORT: must be from 0 to 65535',
      'MONGODB_URI: is required in production',
      'ENCRYPTION_KEYS: is required in production',
    ]);
  });

  it.each([
    ['PORT', 'be from 0 to 65535', '65536'],
    ['PORT', 'be a whole number', '3000.5', '-1'],
    ['OPS_PORT', 'be a whole number', 'yes'],
    ['MONGODB_URI', 'start with mongodb://', 'http://x/name', 'mongodb://', 'mysql://x'],
    [
      'MONGODB_URI',
      'name the database',
      'mongodb://user:word@one,two:27018/?replicaSet=rs0',
      'mongodb+srv://cluster.example.com',
      'mongodb://one?w=1',
    ],
    ['MONGODB_URI', 'not name admin', 'mongodb://user:word@one/admin?replicaSet=rs0'],
    ['NODE_ENV', 'be one of development, test, production', 'prod'],
    ['BODY_LIMIT_BYTES', 'be from 1024 to 4194304', '4194305'],
    ['ENFORCE_API_DOMAIN', 'be one of true, false', '1'],
    ['ROLE', 'be one of all, api, worker', 'web'],
    ['WEBHOOKS_ALLOW_HTTP', 'be one of true, false', 'yes'],
    ['ENCRYPTION_KEYS', 'be keys in base64', 'secret', keyOf(31), `${keyOf(32)},`],
    ['OPS_ALLOWED_HOSTS', 'be host names', 'http://ops', 'ops:80', 'a,'],
    ['OPS_PASSWORD', 'be a line that', 'secret'],
    [
      'TRUST_PROXY',
      'be true, false, a number of hops, or addresses',
      'all of them',
      '999.1.1.1',
      '10.0.0.1, 10.0.0.0/33',
      '::1/0',
      '10.0.0.0/8/8',
    ],
  ])('reports that %s must %s', (name, requirement, ...values) => {
    for (const value of values) {
      const problem = expect.stringMatching(new RegExp(`^${name}: must ${requirement}`));
      expect([value, problemsOf({ [name]: value })]).toEqual([value, [problem]]);
    }
  });

  it('reports a value that is not a string', () => {
    const source = { HOST: 7, DATA_FOLDER: null } as unknown as Record<string, string>;
    expect(problemsOf(source)).toEqual(['HOST: must be a string', 'DATA_FOLDER: must be a string']);
  });

  it.each([
    'mongodb://127.0.0.1:27017/integration?replicaSet=rs0',
    'mongodb://user:wo%2Frd@one,two:27018/name',
    'mongodb+srv://cluster.example.com/name?authSource=admin&appName=a@b/c',
  ])('accepts MONGODB_URI=%s', (address) => {
    expect(readEnvironment({ MONGODB_URI: address }).MONGODB_URI).toBe(address);
  });
});

describe('a variable with the suffix _FILE', () => {
  const folder = mkdtempSync(join(tmpdir(), 'integration-api-secrets-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const fileWith = (content: string) => {
    const file = join(folder, randomUUID());
    writeFileSync(file, content);
    return file;
  };
  const uri = 'mongodb://user:word@db/name';
  const hash = `scrypt:32768:8:3:${'a'.repeat(22)}:${'a'.repeat(43)}`;

  it.each(['', '\n', '\r\n'])('passes on the content of its file without the final %j', (end) => {
    const environment = readEnvironment({
      NODE_ENV: 'production',
      MONGODB_URI_FILE: fileWith(`${uri}${end}`),
      ENCRYPTION_KEYS_FILE: fileWith(`${keyOf(32)}${end}`),
      OPS_PASSWORD_FILE: fileWith(`${hash}${end}`),
    });
    expect(environment.MONGODB_URI).toBe(uri);
    expect(environment.ENCRYPTION_KEYS).toEqual([Buffer.alloc(32)]);
    const { OPS_PASSWORD } = readEnvironment({ OPS_PASSWORD: hash });
    expect(environment.OPS_PASSWORD).toEqual(OPS_PASSWORD);
  });

  it('is ignored if it is empty', () => {
    expect(readEnvironment({ MONGODB_URI: uri, MONGODB_URI_FILE: '' }).MONGODB_URI).toBe(uri);
  });

  it('is a problem if the file cannot be used, or the setting is set too', () => {
    const empty = fileWith('\n');
    const none = join(folder, 'none');
    const problems = (MONGODB_URI_FILE: string, more = {}) =>
      problemsOf({ NODE_ENV: 'production', ENCRYPTION_KEYS: keyOf(32), MONGODB_URI_FILE, ...more });
    expect(problems(empty)).toEqual([`MONGODB_URI_FILE: ${empty} is empty`]);
    expect(problems(none)).toEqual([`MONGODB_URI_FILE: ${none} cannot be read: it does not exist`]);
    expect(problems(folder)).toEqual([
      `MONGODB_URI_FILE: ${folder} cannot be read: it is a folder, not a file`,
    ]);
    expect(problems(fileWith(uri), { MONGODB_URI: uri })).toEqual([
      'MONGODB_URI_FILE: MONGODB_URI is set too: set only one of them',
    ]);
    expect(problems(fileWith('localhost'))).toEqual([
      'MONGODB_URI_FILE: the content of the file must start with mongodb:// or mongodb+srv://',
    ]);
  });
});

describe('misspelledVariables', () => {
  it.each([
    ['WEBHOOKS_CONCURENCY', 'WEBHOOKS_CONCURRENCY'],
    ['DRIAN_MS', 'DRAIN_MS'],
    ['port', 'PORT'],
    ['DATABASE_DEADLINE', 'DATABASE_DEADLINE_MS'],
    ['DATABASE_DEADLINE_SECONDS', 'DATABASE_DEADLINE_MS'],
    ['RATE_LIMIT_RSP', 'RATE_LIMIT_RPS'],
    ['RATE_LIMIT', 'RATE_LIMIT_RPS'],
    ['MONGODB_URI_FIEL', 'MONGODB_URI_FILE'],
  ])('returns a warning for %s that suggests %s', (name, suggestion) => {
    expect(misspelledVariables(['PATH', name])).toEqual([
      `Ignored the unknown variable ${name}. Did you mean ${suggestion}?`,
    ]);
  });

  it('returns no warning for known variables and those of other programs', () => {
    const others = 'PATH HOME HOSTNAME NODE_OPTIONS DATABASE_URL MONGODB_PORT LOG'.split(' ');
    expect(misspelledVariables([...variableNames, ...others])).toEqual([]);
  });
});
