import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MongoClient, ObjectId } from 'mongodb';
import { addedOperations, keyPurposes } from '../../src/tenants/keys/operations.js';
import { addClient, addKey, addTenant } from '../support/builders.js';
import { startProcess } from '../support/service-process.js';
import { randomDatabaseUri } from '../support/test-service.js';
import { runCli, runCliProcess, startSession } from './command-line.js';

interface StatusJson {
  readonly isComplete: boolean;
  readonly collections: { readonly exists: boolean; readonly validatorIsCurrent: boolean }[];
  readonly migrations: { readonly name: string; readonly state: string }[];
  readonly unrestrictedKeys: readonly object[];
  readonly earlierKeys: readonly object[];
  readonly clientsSharingPhones: readonly object[];
  readonly records: { readonly kind: string; readonly isCurrent: boolean }[];
}

const database = { MONGODB_URI: randomDatabaseUri() };
const cli = startSession(database);
const client = new MongoClient(database.MONGODB_URI);
const db = client.db();
afterAll(() => client.close());

async function statusOf(variables: Record<string, string>) {
  const { code, stdout } = await runCli(['db', 'status', '--json'], variables);
  const status = JSON.parse(stdout) as StatusJson;
  const differing = status.records.filter(({ isCurrent }) => !isCurrent).map(({ kind }) => kind);
  return { code, differing, ...status };
}

describe('the command db status', () => {
  it('reports missing structure until db init creates it', async () => {
    const missing = await statusOf(database);
    expect(missing).toMatchObject({ code: 1, isComplete: false });
    expect(missing.collections).toContainEqual({
      collection: 'apiKeys',
      exists: false,
      missingIndexes: ['hash', 'byOrganization', 'byOrigin'],
      validatorIsCurrent: false,
    });
    const table = (await cli.run('db status')).stdout;
    expect(table).toMatch(/^apiKeys +no +no +hash, byOrganization,/m);
    expect(table).toMatch(/are missing or outdated\. Run: npm run cli -- db init\n$/);

    const init = await cli.json<{ migrations: string[] }>('db init');
    expect(init.migrations).toEqual(missing.migrations.map(({ name }) => name));
    const complete = 'The database is ready for this version.\n';
    expect(await cli.text('db init')).toBe(complete);

    const after = await statusOf(database);
    expect(after).toMatchObject({ code: 0, isComplete: true });
    const stale = after.collections.filter((one) => !one.exists || !one.validatorIsCurrent);
    expect(stale).toEqual([]);
    expect(after.migrations.filter(({ state }) => state !== 'done')).toEqual([]);
  });

  it('counts the clients that share a phone, by organization', async () => {
    const one = await addTenant(db);
    const other = await addTenant(db);
    const phones = [
      ['+201028251223', '+201028251223'],
      ['+201028251223', '+201112223334'],
      ['+201112223334'],
      ['201500000001'],
      ['201500000001'],
      ['+201500000001'],
    ];
    for (const phoneNumbers of phones) await addClient(db, one.organizationId, { phoneNumbers });
    await addClient(db, one.organizationId, { phoneNumbers: ['+201500000001'], isDeleted: true });
    await addClient(db, other.organizationId, { phoneNumbers: ['+201028251223'] });
    const { clientsSharingPhones, code } = await statusOf(database);
    const organizationId = one.organizationId.toHexString();
    expect(clientsSharingPhones).toEqual([{ organizationId, clients: 3 }]);
    expect(code).toBe(0);
    expect(await cli.text('db status')).toContain('These clients share a phone');
    await db.collection('clients').deleteMany({});
    await db.collection('apiKeys').deleteMany({});
  });

  it('lists unrestricted keys until they are restricted', async () => {
    const { organizationId, key } = await addTenant(db);
    await addKey(db, organizationId, { revokedAt: new Date() });
    await addKey(db, organizationId, { permissions: { operations: ['leads.write'] } });
    const prefix = key.slice(0, 6);
    const { unrestrictedKeys } = await statusOf(database);
    expect(unrestrictedKeys).toMatchObject([{ organizationId: String(organizationId), prefix }]);
    expect(await cli.text('db status')).toContain('key update');
    await cli.json(`key update ${prefix} --for website`);
    expect(await statusOf(database)).toMatchObject({ unrestrictedKeys: [] });
  });

  it('names keys that could read events by permissions.readEvents until they are restricted', async () => {
    const { organizationId } = await addTenant(db, { key: { revokedAt: new Date() } });
    const permissions = { allowExternal: true, readEvents: true };
    const prefix = (await addKey(db, organizationId, { permissions })).slice(0, 6);
    const lostOperations = ['events.read'];
    const { unrestrictedKeys } = await statusOf(database);
    expect(unrestrictedKeys).toMatchObject([{ prefix, lostOperations }]);
    const text = 'permissions.readEvents, which has no effect any more';
    expect(await cli.text('db status')).toContain(text);
    await cli.json(`key update ${prefix} --for crm`);
    expect(await statusOf(database)).toMatchObject({ unrestrictedKeys: [] });
    expect(await cli.text('db status')).not.toContain(text);
  });

  it('names keys of purposes that have got more operations, until they are updated', async () => {
    const isAdded = (operation: string) => addedOperations.has(operation);
    const { organizationId } = await addTenant(db, { key: { revokedAt: new Date() } });
    const add = async (operations: readonly string[], fields = {}) => {
      const permissions = { allowExternal: true, operations };
      return (await addKey(db, organizationId, { permissions, ...fields })).slice(0, 6);
    };
    const purposes = Object.entries(keyPurposes).map(
      ([purpose, { operations }]) => [purpose, operations as readonly string[]] as const,
    );
    const earlier = [];
    for (const [purpose, operations] of purposes) {
      await add(operations);
      const before = operations.filter((operation) => !isAdded(operation));
      if (before.length === operations.length) continue;
      await add(before, { revokedAt: new Date() });
      await add(before.slice(1));
      const prefix = await add(before);
      earlier.push({ purpose, prefix, newOperations: operations.filter(isAdded) });
    }
    const expected = earlier.map(({ prefix, newOperations }) => ({ prefix, newOperations }));
    const byPrefix = (one: object, other: object) =>
      JSON.stringify(one).localeCompare(JSON.stringify(other));
    const named = async () =>
      (await statusOf(database)).earlierKeys
        .map((key) => key as (typeof expected)[number])
        .map(({ prefix, newOperations }) => ({ prefix, newOperations }))
        .toSorted(byPrefix);
    expect(await named()).toEqual(expected.toSorted(byPrefix));
    const listed = await cli.json<(typeof expected)[number][]>(
      `key list --org ${organizationId.toHexString()}`,
    );
    for (const { prefix, newOperations } of expected) {
      expect(listed.find((key) => key.prefix === prefix)).toMatchObject({ newOperations });
    }
    for (const { prefix, purpose } of earlier) {
      await cli.json(`key update ${prefix} --for ${purpose}`);
    }
    expect(await named()).toEqual([]);
  });
});

describe('a changed retention setting', () => {
  const day = 86_400;
  const shorter = { ...database, EVENTS_RETENTION_DAYS: '60', CHANGE_LOG_RETENTION_DAYS: '400' };
  const kinds = ['change log', 'events', 'deliveries', 'removed endpoints', 'webhook statistics'];
  const initialize = (variables: Record<string, string>) => runCli(['db', 'init'], variables);
  const expiryOf = async (collection: string, index: string) => {
    const indexes = await db.collection(collection).indexes();
    return indexes.find(({ name }) => name === index)?.['expireAfterSeconds'] as unknown;
  };
  beforeAll(() => initialize(database));

  it('is shown by db status with record counts, and applied by db init', async () => {
    const createdAt = new Date('2026-01-02T03:04:05.000Z');
    const fields = { organizationId: new ObjectId(), createdAt, updatedAt: createdAt };
    await db.collection('changeLogs').insertMany([fields, { ...fields, createdAt: new Date() }]);
    const _id = ObjectId.createFromTime(createdAt.getTime() / 1_000);
    await db.collection('usage').insertOne({ _id, at: new Date(), route: 'GET /units' });
    const before = await statusOf(database);
    expect(before).toMatchObject({ code: 0, differing: [] });
    const oldest = { oldest: createdAt.toISOString() };
    expect(before.records.filter(({ kind }) => /usage|change/.test(kind))).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'usage statistics', count: 1, ...oldest }),
        {
          kind: 'change log',
          collection: 'changeLogs',
          variable: 'CHANGE_LOG_RETENTION_DAYS',
          keptSeconds: null,
          isCurrent: true,
          count: 2,
          bytes: expect.any(Number),
          ...oldest,
        },
      ]),
    );
    // Nothing is missing, but the exit code is 1 because `db init` must still run.
    const changed = { code: 1, isComplete: true, differing: kinds };
    expect(await statusOf(shorter)).toMatchObject(changed);
    const { stdout } = await runCli(['db', 'status'], shorter);
    expect(stdout).toMatch(/^events +75 days +no +0 +0\.0/m);
    expect(stdout).toContain('Retention in the database differs from the configuration');
    await initialize(shorter);
    expect(await statusOf(shorter)).toMatchObject({ code: 0, differing: [] });
    expect(await expiryOf('outboxEvents', 'numberedExpiry')).toBe(75 * day + 3_600);
    expect(await expiryOf('webhookDeliveries', 'expiry')).toBe(75 * day);
    expect(await expiryOf('changeLogs', 'expiry')).toBe(400 * day);
    // Deliveries can be replayed for 45 days, so they are kept longer than the feed.
    await initialize({ ...database, EVENTS_RETENTION_DAYS: '7' });
    expect(await expiryOf('webhookDeliveries', 'expiry')).toBe(45 * day);
    expect(await expiryOf('changeLogs', 'expiry')).toBeUndefined();
  });

  it('is logged at a production start, which continues', async () => {
    await initialize(database);
    const ENCRYPTION_KEYS = Buffer.alloc(32, 1).toString('base64');
    const production = { ...shorter, NODE_ENV: 'production', ENCRYPTION_KEYS, LOG_LEVEL: 'info' };
    const { output, process: started } = await startProcess(production);
    expect(output()).toContain(
      'EVENTS_RETENTION_DAYS does not apply yet to events in the database',
    );
    expect(output()).not.toContain('CALLBACKS_RETENTION_DAYS does not apply');
    started.kill('SIGTERM');
  });
});

const unusable = /^The database at mongodb:\/\/127\.0\.0\.1:1\/none cannot be used: [^\n]+\n$/;

it.each([
  ['user:secret@127.0.0.1:1/none?replicaSet=rs0', 'cannot be reached'],
  ['127.0.0.1:1/none?unknown=1', 'has an unknown option'],
])('a command prints one line without password or stack when mongodb://%s %s', async (address) => {
  const variables = { MONGODB_URI: `mongodb://${address}`, DATABASE_DEADLINE_MS: '300' };
  const stderr = expect.stringMatching(unusable);
  expect(await runCli(['org', 'list'], variables)).toEqual({ code: 1, stdout: '', stderr });
});

it('a command exits with 2 and lists every invalid variable', async () => {
  const variables = { PORT: 'high', MONGODB_URI: 'postgres://x' };
  expect(await runCliProcess(['db', 'status', '--json'], variables)).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'Invalid configuration:\n  PORT: must be a whole number\n' +
      '  MONGODB_URI: must start with mongodb:// or mongodb+srv://\n',
  });
});

it('a command prints a warning about a misspelled variable and runs', async () => {
  const { code, stderr } = await runCli(['org', 'list'], { ...database, DRIAN_MS: '5' });
  expect(code).toBe(0);
  expect(stderr).toContain('Ignored the unknown variable DRIAN_MS. Did you mean DRAIN_MS?');
});
