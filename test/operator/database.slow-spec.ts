import { describe, expect, it } from '@jest/globals';
import { MongoClient, ObjectId } from 'mongodb';
import { addKey, addTenant } from '../support/builders.js';
import { startProcess } from '../support/service-process.js';
import { randomDatabaseUri } from '../support/test-service.js';
import { runCli, runCliProcess, startSession } from './command-line.js';

interface StatusJson {
  readonly isComplete: boolean;
  readonly collections: {
    readonly collection: string;
    readonly exists: boolean;
    readonly missingIndexes: readonly string[];
    readonly validatorIsCurrent: boolean;
  }[];
  readonly migrations: { readonly name: string; readonly state: string }[];
  readonly unrestrictedKeys: readonly object[];
  readonly records: {
    readonly kind: string;
    readonly keptSeconds: number | null;
    readonly isCurrent: boolean;
    readonly count: number;
    readonly bytes: number;
    readonly oldest: string | null;
  }[];
}

const variables = { MONGODB_URI: randomDatabaseUri() };
const cli = startSession(variables);

describe('db', () => {
  it('reports missing structure until db init creates it', async () => {
    const before = await cli.run('db status --json');
    expect(before).toMatchObject({ code: 1, stderr: '' });
    const missing = JSON.parse(before.stdout) as StatusJson;
    expect(missing).toMatchObject({ isComplete: false });
    expect(missing.collections).toContainEqual({
      collection: 'apiKeys',
      exists: false,
      missingIndexes: ['hash', 'byOrganization'],
      validatorIsCurrent: false,
    });

    const init = await cli.json<{ migrations: string[] }>('db init');
    expect(init.migrations).toEqual(missing.migrations.map(({ name }) => name));

    const after = await cli.json<StatusJson>('db status');
    expect(after.isComplete).toBe(true);
    expect(after.collections.filter((state) => !state.exists || !state.validatorIsCurrent)).toEqual(
      [],
    );
    expect(after.migrations.filter(({ state }) => state !== 'done')).toEqual([]);
  });

  it('lists unrestricted keys until they are restricted', async () => {
    const client = await new MongoClient(variables.MONGODB_URI).connect();
    const { organizationId, key } = await addTenant(client.db());
    await addKey(client.db(), organizationId, { revokedAt: new Date() });
    await addKey(client.db(), organizationId, { permissions: { operations: ['leads.write'] } });
    await client.close();
    const prefix = key.slice(0, 6);
    const unrestricted = async () => (await cli.json<StatusJson>('db status')).unrestrictedKeys;
    expect(await unrestricted()).toEqual([
      expect.objectContaining({ organizationId: organizationId.toHexString(), prefix }),
    ]);
    expect((await cli.run('db status')).stdout).toContain('key update');
    await cli.json(`key update ${prefix} --for website`);
    expect(await unrestricted()).toEqual([]);
  });

  it('prints the status as tables', async () => {
    const [init, fresh] = await Promise.all([
      cli.run('db init'),
      runCli(['db', 'status'], { MONGODB_URI: randomDatabaseUri() }),
    ]);
    const stdout = 'The database is ready for this version.\n';
    expect(init).toEqual({ code: 0, stdout, stderr: '' });
    expect(fresh).toMatchObject({ code: 1, stderr: '' });
    expect(fresh.stdout).toMatch(/^apiKeys +no +no +hash, byOrganization$/m);
    expect(fresh.stdout).toContain(
      'Collections, indexes or migrations are missing. Run: npm run cli -- db init\n',
    );
  });
});

describe('a changed retention setting', () => {
  const database = { MONGODB_URI: randomDatabaseUri() };
  const day = 86_400;
  const shorter = {
    ...database,
    EVENTS_RETENTION_DAYS: '60',
    CHANGE_LOG_RETENTION_DAYS: '400',
  };
  const statusOf = async (given: Record<string, string>) => {
    const { code, stdout } = await runCli(['db', 'status', '--json'], given);
    return { code, ...(JSON.parse(stdout) as StatusJson) };
  };
  const differing = ({ records }: StatusJson) =>
    records.filter(({ isCurrent }) => !isCurrent).map(({ kind }) => kind);

  it('is shown by db status with record counts, and applied by db init', async () => {
    await runCli(['db', 'init'], database);
    const client = await new MongoClient(database.MONGODB_URI).connect();
    const db = client.db();
    const createdAt = new Date('2026-01-02T03:04:05.000Z');
    const fields = { organizationId: new ObjectId(), createdAt, updatedAt: createdAt };
    await db.collection('changeLogs').insertMany([fields, { ...fields, createdAt: new Date() }]);
    const usage = ObjectId.createFromTime(1_767_323_045);
    await db
      .collection<{ readonly _id: ObjectId }>('usageStats')
      .insertOne({ _id: usage }, { bypassDocumentValidation: true });
    const before = await statusOf(database);
    const ofUsage = before.records.find(({ kind }) => kind === 'usage statistics');
    expect(ofUsage).toMatchObject({ count: 1, oldest: usage.getTimestamp().toISOString() });
    expect([before.code, differing(before)]).toEqual([0, []]);
    expect(before.records.find(({ kind }) => kind === 'change log')).toEqual({
      kind: 'change log',
      collection: 'changeLogs',
      variable: 'CHANGE_LOG_RETENTION_DAYS',
      keptSeconds: null,
      isCurrent: true,
      count: 2,
      bytes: expect.any(Number),
      oldest: createdAt.toISOString(),
    });
    const changed = await statusOf(shorter);
    const kinds = ['change log', 'events', 'deliveries', 'removed endpoints', 'webhook statistics'];
    // Nothing is missing, but the exit code asks for db init.
    expect([changed.code, changed.isComplete, differing(changed)]).toEqual([1, true, kinds]);
    const text = (await runCli(['db', 'status'], shorter)).stdout;
    expect(text).toMatch(/^events +75 days +no +0 +0\.0/m);
    expect(text).toContain('Retention in the database differs from the configuration');
    await runCli(['db', 'init'], shorter);
    expect(differing(await statusOf(shorter))).toEqual([]);
    const expiryOf = async (collection: string, index: string) => {
      const indexes = await db.collection(collection).indexes();
      return indexes.find(({ name }) => name === index)?.['expireAfterSeconds'] as unknown;
    };
    expect(await expiryOf('outboxEvents', 'numberedExpiry')).toBe(75 * day + 3_600);
    expect(await expiryOf('webhookDeliveries', 'expiry')).toBe(75 * day);
    expect(await expiryOf('changeLogs', 'expiry')).toBe(400 * day);
    // Deliveries can be replayed for 45 days, however short the feed is.
    await runCli(['db', 'init'], { ...database, EVENTS_RETENTION_DAYS: '7' });
    expect(await expiryOf('webhookDeliveries', 'expiry')).toBe(45 * day);
    expect(await expiryOf('changeLogs', 'expiry')).toBeUndefined();
    expect(differing(await statusOf(database))).toEqual([]);
    await client.close();
  });

  it('is logged at a production start, which continues', async () => {
    await runCli(['db', 'init'], database);
    const production = {
      ...shorter,
      NODE_ENV: 'production',
      ENCRYPTION_KEYS: Buffer.alloc(32, 1).toString('base64'),
    };
    const { output, process: started } = await startProcess({ ...production, LOG_LEVEL: 'info' });
    expect(output()).toContain(
      'EVENTS_RETENTION_DAYS does not apply yet to events in the database',
    );
    expect(output()).not.toContain('CALLBACKS_RETENTION_DAYS does not apply');
    started.kill('SIGTERM');
  });
});

describe('a command with an unusable database or configuration', () => {
  it('ends with a one-line error without a stack', async () => {
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

describe('a command with a misspelt variable', () => {
  it('prints a warning on standard error and runs', async () => {
    const { code, stderr } = await runCli(['org', 'list'], { ...variables, DRIAN_MS: '5' });
    expect(code).toBe(0);
    expect(stderr).toContain('Ignored the unknown variable DRIAN_MS. Did you mean DRAIN_MS?');
  });
});
