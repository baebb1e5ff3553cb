import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { MongoClient, ObjectId } from 'mongodb';
import { operations } from '../../src/core/http/operations.js';
import { addKey, addLoggedRequest, addTenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { documentedOperations } from '../support/operations.js';
import { sharedService } from '../support/shared-service.js';
import { randomDatabaseUri } from '../support/test-service.js';
import { startSession } from './command-line.js';

interface IssuedJson {
  readonly _id: string;
  readonly prefix: string;
  readonly key: string;
}

const service = sharedService();
const cli = startSession(() => ({ MONGODB_URI: service.databaseUri }));
let org: string;

beforeAll(async () => {
  org = (await addTenant(service.db)).organizationId.toHexString();
});

describe('key', () => {
  it.each([
    ['website', ['leads.write']],
    ['collector', ['reservations.read', 'reservations.callback', 'reservations.reconcile']],
    ['crm', ['leads.read', 'catalogue.read', 'reservations.read', 'events.read']],
    ['everything', [...operations]],
  ])(
    'issues a key for a %s, and a successor with the same operations',
    async (purpose, expected) => {
      const issued = await cli.json<IssuedJson>(`key issue --org ${org} --name A --for ${purpose}`);
      expect(issued).toMatchObject({ operations: expected, addresses: null });
      expect(await permittedOf(issued.key)).toEqual(expected);
      const successor = await cli.json<IssuedJson>(`key rotate ${issued._id}`);
      expect(await permittedOf(successor.key)).toEqual(expected);
    },
  );

  it('issues a signed key for a collector only, and a successor with a new secret', async () => {
    const call = `key issue --org ${org} --name A --signed --for`;
    const secret = expect.stringMatching(/^whsec_/);
    const issued = await cli.json<IssuedJson & { signingSecret: string }>(`${call} collector`);
    expect(issued).toMatchObject({ signingSecret: secret });
    const successor = await cli.json<object>(`key rotate ${issued._id}`);
    expect(successor).toMatchObject({ signingSecret: secret });
    expect(successor).not.toMatchObject({ signingSecret: issued.signingSecret });
    const { code, stderr } = await cli.run(`${call} website`);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--signed requires the operation')]);
    expect(await keyOf(issued._id)).toMatchObject({ isSigned: true });
  });

  it('updates operations and addresses of a key independently', async () => {
    const addresses = ['127.0.0.1', '2001:db8::/32'];
    const call = `key issue --org ${org} --name A --expires 90d --operations leads.read,leads.write`;
    const { _id, key } = await cli.json<IssuedJson>(call, '--addresses', addresses.join(', '));
    const { expiresAt } = await keyOf(_id);
    const days = (Date.parse(expiresAt ?? '') - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(89.9);
    expect(days).toBeLessThanOrEqual(90);
    expect(await permittedOf(key)).toEqual(['leads.write', 'leads.read']);

    const update = (...changes: string[]) => cli.json(`key update ${_id}`, ...changes);
    const changed = await update('--for', 'collector');
    const ofCollector = ['reservations.read', 'reservations.callback', 'reservations.reconcile'];
    expect(changed).toMatchObject({ operations: ofCollector, addresses, isUnrestricted: false });
    await eventually(async () => expect(await permittedOf(key)).toEqual(ofCollector), 5_000);

    expect(await update('--addresses', '203.0.113.7')).toMatchObject({ operations: ofCollector });
    await eventually(async () => expect(await permittedOf(key)).toEqual([]), 5_000);
    expect(await update('--addresses', 'any')).toMatchObject({ addresses: null });
    await eventually(async () => expect(await permittedOf(key)).toEqual(ofCollector), 5_000);
  });

  it('marks unrestricted keys in the list', async () => {
    const { organizationId } = await addTenant(service.db);
    const permissions = { allowExternal: true, readEvents: true };
    await addKey(service.db, organizationId, { name: 'Old reader', permissions });
    const call = `key list --org ${organizationId.toHexString()}`;
    const [, reader] = await cli.json<KeyJson[]>(call);
    expect(reader).toMatchObject({ isUnrestricted: true, readEvents: true, operations });
    expect((await cli.run(call)).stdout).toMatch(/^Unrestricted +yes$/m);
  });

  it('issues a valid key, stores only its hash and revokes it within 5 seconds', async () => {
    const issued = await issue('--name', 'Website', '--expires', '2999-12-31');
    expect(issued).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      organizationId: org,
      name: 'Website',
      prefix: issued.key.slice(0, 11),
      key: expect.stringMatching(/^iapi_/),
      operations: [...operations],
      isUnrestricted: false,
      addresses: null,
      expiresAt: '2999-12-31T00:00:00.000Z',
    });
    expect(await isAccepted(issued.key)).toBe(true);
    const keys = service.db.collection('apiKeys');
    const hash = createHash('sha256').update(issued.key).digest('hex');
    expect(await keys.findOne({ _id: new ObjectId(issued._id) })).toMatchObject({ hash });

    const revoked = await cli.json(`key revoke ${issued.prefix}`);
    expect(revoked).toMatchObject({ _id: issued._id, state: 'revoked' });
    await eventually(async () => expect(await isAccepted(issued.key)).toBe(false), 5_000);

    const again = await cli.json(`key revoke ${issued._id}`);
    expect(again).toEqual({ ...(revoked as object), lastUsedAt: expect.anything() });
  });

  it('lists rejected requests of a key with their reasons, newest first', async () => {
    const { _id, prefix } = await issue('--name', 'CRM');
    const ids = { organizationId: new ObjectId(org), apiKeyId: new ObjectId(_id) };
    const record = (minute: number, more: object) =>
      addLoggedRequest(service.db, ids, minute, more);
    const messages = ['Duplicate Lead: Existing Lead (•••) exists.', 'Another'];
    await record(1, { errorCodes: ['lead.duplicate_phone'], messages });
    await record(2, { status: 201, ignoredFields: ['fullName'] });
    const [first, second] = await cli.json<object[]>(`key requests ${prefix}`);
    expect(first).toMatchObject({ status: 201, errorCodes: [], ignoredFields: ['fullName'] });
    expect(second).toMatchObject({ errorCodes: ['lead.duplicate_phone'], messages });
    const { stdout } = await cli.run(`key requests ${_id} --limit 1`);
    expect(stdout).toMatch(/^Route +POST .*leads$[^]+^Ignored fields +fullName$/m);
    expect(stdout).not.toContain('duplicate');
  });

  it('accepts both keys after a rotation until the overlap ends', async () => {
    const old = await issue('--name', 'CRM');
    const before = Date.now();
    const rotated = await cli.json<IssuedJson & { old: { _id: string; expiresAt: string } }>(
      `key rotate ${old.prefix} --overlap-hours 2`,
    );
    expect(rotated).toMatchObject({ name: 'CRM', organizationId: org, expiresAt: null });
    expect(rotated.old._id).toBe(old._id);
    const overlap = Date.parse(rotated.old.expiresAt) - before;
    expect(Math.abs(overlap - 7_200_000)).toBeLessThan(60_000);
    expect(await isAccepted(old.key)).toBe(true);
    expect(await isAccepted(rotated.key)).toBe(true);

    const external = { $set: { 'permissions.allowExternal': false } };
    const keys = service.db.collection('apiKeys');
    await keys.updateOne({ _id: new ObjectId(rotated._id) }, external);
    const table = await cli.run(`key rotate ${rotated._id} --overlap-hours 0`);
    expect(table).toMatchObject({ code: 0, stderr: '' });
    const successor = /^Key +(iapi_\S+)$/m.exec(table.stdout)?.[1] ?? '';
    expect(table.stdout).toMatch(/^Old expires at +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/m);
    expect(await isAccepted(successor)).toBe(false);
  });

  it('stores no successor when the expiry of the old key cannot be stored', async () => {
    const uri = randomDatabaseUri();
    const client = await new MongoClient(uri).connect();
    try {
      const db = client.db();
      // Accepts the successor, which has no expiry, and rejects the expiry of the old key.
      await db.createCollection('apiKeys', { validator: { expiresAt: null } });
      const { organizationId, key } = await addTenant(db);
      const keys = () => db.collection('apiKeys').find({ organizationId }).toArray();
      const before = await keys();
      const own = startSession({ MONGODB_URI: uri });
      const call = `key rotate ${key.slice(0, 6)}`;
      const stderr = expect.stringContaining('validation');
      expect(await own.run(call)).toMatchObject({ code: 1, stdout: '', stderr });
      expect(await keys()).toEqual(before);

      await db.command({ collMod: 'apiKeys', validator: {} });
      const rotated = await own.json<IssuedJson>(call);
      expect((await keys()).map(({ _id }) => _id.toHexString())).toEqual([
        ...before.map(({ _id }) => _id.toHexString()),
        rotated._id,
      ]);
    } finally {
      await client.db().dropDatabase();
      await client.close();
    }
  });

  it('lists keys in every state, but never a hash', async () => {
    const organizationId = (await addTenant(service.db)).organizationId;
    const past = new Date('2026-01-02T03:04:05Z');
    await addKey(service.db, organizationId, { name: 'Expired', expiresAt: past });
    await addKey(service.db, organizationId, { name: 'Revoked', revokedAt: past, expiresAt: past });
    const call = `key list --org ${organizationId.toHexString()}`;
    const [list, table] = await Promise.all([
      cli.json<{ name: string; state: string }[]>(call),
      cli.run(call),
    ]);
    expect(list.map(({ name, state }) => [name, state])).toEqual([
      ['Website', 'active'],
      ['Expired', 'expired'],
      ['Revoked', 'revoked'],
    ]);
    expect(table.stdout).not.toMatch(/[0-9a-f]{32}/);
    expect(table.stdout.match(/^Id /gm)).toHaveLength(3);
  });

  it('exits with 1 and one line when a command fails', async () => {
    const organizationId = new ObjectId(org);
    await addKey(service.db, organizationId, { prefix: 'shared' });
    await addKey(service.db, organizationId, { prefix: 'shared' });
    await addKey(service.db, organizationId, { prefix: 'ended', revokedAt: new Date(0) });
    const unknown = new ObjectId().toHexString();
    const past = '2020-01-01T00:00:00+02:00';
    const errors: [RegExp, string][] = [
      [/^There is no organization with/, `key issue --org ${unknown} --name A --for website`],
      [/is in the past/, `key issue --org ${org} --name A --for crm --expires ${past}`],
      [/^There is no organization with/, `key list --org ${unknown}`],
      [/^There is no key with id or prefix iapi_none: `key list` lists/, 'key revoke iapi_none'],
      [/^There is more than one key with .* shared, give the id/, 'key revoke shared'],
      [/^The key ended is revoked and cannot be rotated/, 'key rotate ended'],
    ];
    for (const [message, call] of errors) {
      const { code, stdout, stderr } = await cli.run(call, '--json');
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(message);
      expect(stderr).toMatch(/^[^\n]+\n$/);
    }
  });
});

function issue(...args: string[]): Promise<IssuedJson> {
  return cli.json(`key issue --org ${org} --for everything`, ...args);
}

interface KeyJson {
  readonly _id: string;
  readonly expiresAt: string | null;
}

async function keyOf(id: string): Promise<KeyJson> {
  const keys = await cli.json<KeyJson[]>(`key list --org ${org}`);
  return keys.find(({ _id }) => _id === id) as KeyJson;
}

/** The operations that the service permits a key, by every endpoint that there is. */
async function permittedOf(key: string): Promise<string[]> {
  const permitted = new Set<string | null>();
  for (const { method, path, hasBody, permission } of documentedOperations()) {
    const request = service
      .api(method.toLowerCase() as 'get', path.replaceAll(/\{\w+\}/g, 'nothing'))
      .set('api-key', key);
    const { status } = await (hasBody ? request.type('json').send('{') : request);
    if (status !== 403) permitted.add(permission);
  }
  return operations.filter((operation) => permitted.has(operation));
}

async function isAccepted(key: string): Promise<boolean> {
  const { status } = await service.api('get', '/leads/none').set('api-key', key);
  return status === 404;
}
