import { describe, expect, it } from '@jest/globals';
import { randomDatabaseUri } from '../support/test-service.js';
import { runCli, runCliProcess, runJson } from './command-line.js';

interface StatusJson {
  readonly isComplete: boolean;
  readonly collections: {
    readonly collection: string;
    readonly exists: boolean;
    readonly missingIndexes: readonly string[];
    readonly validatorIsCurrent: boolean;
  }[];
  readonly migrations: { readonly name: string; readonly state: string }[];
}

const variables = { MONGODB_URI: randomDatabaseUri() };

describe('db', () => {
  it('shows what is missing, makes it, and misses nothing any more', async () => {
    const before = await runCli(['db', 'status', '--json'], variables);
    expect(before).toMatchObject({ code: 1, stderr: '' });
    const missing = JSON.parse(before.stdout) as StatusJson;
    expect(missing).toMatchObject({ isComplete: false });
    expect(missing.collections).toContainEqual({
      collection: 'apiKeys',
      exists: false,
      missingIndexes: ['hash', 'byOrganization'],
      validatorIsCurrent: false,
    });
    expect(missing.migrations.length).toBeGreaterThan(0);

    const init = await runJson<{ migrations: string[] }>(['db', 'init'], variables);
    expect(init.migrations).toEqual(missing.migrations.map(({ name }) => name));

    const after = await runJson<StatusJson>(['db', 'status'], variables);
    expect(after.isComplete).toBe(true);
    expect(after.collections.filter((state) => !state.exists || !state.validatorIsCurrent)).toEqual(
      [],
    );
    expect(after.migrations.filter(({ state }) => state !== 'done')).toEqual([]);
  });

  it('says the same to people', async () => {
    const [init, fresh] = await Promise.all([
      runCli(['db', 'init'], variables),
      runCli(['db', 'status'], { MONGODB_URI: randomDatabaseUri() }),
    ]);
    const stdout = 'The database has everything that this version needs.\n';
    expect(init).toEqual({ code: 0, stdout, stderr: '' });
    expect(fresh).toMatchObject({ code: 1, stderr: '' });
    expect(fresh.stdout).toMatch(/^apiKeys +no +outdated +hash, byOrganization$/m);
    expect(fresh.stdout).toContain('Something is missing: npm run cli -- db init\n');
  });
});

describe('a database or configuration that cannot be used', () => {
  it('is an error of one clear line without a stack', async () => {
    const unreachable = 'mongodb://user:secret@127.0.0.1:1/none?replicaSet=rs0';
    const [absent, unreadable, misconfigured] = await Promise.all([
      runCli(['org', 'list'], { MONGODB_URI: unreachable, DATABASE_DEADLINE_MS: '300' }),
      runCli(['org', 'list'], { MONGODB_URI: 'mongodb://127.0.0.1:1/none?unknown=1' }),
      runCliProcess(['db', 'status', '--json'], { PORT: 'high', MONGODB_URI: 'postgres://x' }),
    ]);
    expect(absent).toMatchObject({ code: 1, stdout: '' });
    expect(absent.stderr).toMatch(
      /^The database at mongodb:\/\/127\.0\.0\.1:1\/none cannot be used: [^\n]+\n$/,
    );
    expect(unreadable).toMatchObject({ code: 1, stdout: '' });
    expect(unreadable.stderr).toMatch(/^The database at \S+ cannot be used: [^\n]+\n$/);
    expect(misconfigured).toMatchObject({ code: 2, stdout: '' });
    expect(misconfigured.stderr.split('\n')).toEqual([
      'The configuration is not valid:',
      '  PORT: must be a whole number',
      '  MONGODB_URI: must start with mongodb:// or mongodb+srv://',
      '',
    ]);
  });
});

describe('a variable that looks like one of this service', () => {
  it('is told on standard error, and the command runs', async () => {
    const { code, stderr } = await runCli(['org', 'list'], { ...variables, DRIAN_MS: '5' });
    expect(code).toBe(0);
    expect(stderr).toContain('DRIAN_MS is no variable of this service and is ignored: is DRAIN_MS');
  });
});
