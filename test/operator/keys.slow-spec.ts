import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { MongoClient, ObjectId } from 'mongodb';
import { operations, unimpliedOperations } from '../../src/tenants/keys/operations.js';
import { addKey, addLoggedRequest, addTenant, addUnit } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { documentedOperations } from '../support/operations.js';
import { sharedService } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';
import { randomDatabaseUri } from '../support/test-service.js';
import { startSession } from './command-line.js';

interface KeyJson {
  readonly _id: string;
  readonly prefix: string;
  readonly key: string;
  readonly expiresAt: string | null;
}

const service = sharedService();
const cli = startSession(() => ({ MONGODB_URI: service.databaseUri }));
const forCollector = [
  'reservations.read',
  'reservations.list',
  'reservations.callback',
  'reservations.reconcile',
];
let tenant: TenantApi;
let org: string;

beforeAll(async () => {
  tenant = await service.addTenant();
  org = tenant.organizationId.toHexString();
});

const issue = <T = object>(options: string, ...more: string[]) =>
  cli.json<KeyJson & T>(`key issue --org ${org} --name CRM ${options}`, ...more);
const keyOf = async (id: string) =>
  (await cli.json<KeyJson[]>(`key list --org ${org}`)).find(({ _id }) => _id === id);
const isAccepted = async (key: string) =>
  (await tenant.with(key).get('/leads/none')).status === 404;

/** Calls every endpoint with a key and returns the operations that the service permits. */
async function permittedBy(key: string): Promise<string[]> {
  const permitted = new Set<string>();
  for (const { method, path, hasBody, keyOperation } of documentedOperations()) {
    if (keyOperation === null) continue;
    const request = service
      .api(method.toLowerCase() as 'get', path.replaceAll(/\{\w+\}/g, 'nothing'))
      .set('api-key', key);
    const { status } = await (hasBody ? request.type('json').send('{') : request);
    if (status !== 403) permitted.add(keyOperation);
  }
  return operations.filter((operation) => permitted.has(operation));
}

describe('the command key', () => {
  it.each([
    ['website', ['leads.write']],
    ['collector', forCollector],
    [
      'crm',
      [
        'leads.read',
        'leads.list',
        'catalogue.read',
        'reservations.read',
        'reservations.list',
        'events.read',
      ],
    ],
    ['portal', ['catalogue.read']],
    ['everything', [...operations]],
  ])(
    'issues a key for the purpose %s, and a successor with the same operations',
    async (purpose, expected) => {
      const issued = await issue(`--for ${purpose}`);
      expect(issued).toMatchObject({ operations: expected, addresses: null });
      expect(await permittedBy(issued.key)).toEqual(expected);
      const successor = await cli.json<KeyJson>(`key rotate ${issued._id}`);
      expect(await permittedBy(successor.key)).toEqual(expected);
    },
  );

  it('issues a signed key, and a successor with a new secret', async () => {
    const { _id, signingSecret } = await issue<{ signingSecret: string }>(
      '--for collector --signed',
    );
    expect(signingSecret).toMatch(/^whsec_/);
    const successor = await cli.json<object>(`key rotate ${_id}`);
    expect(successor).toMatchObject({ signingSecret: expect.stringMatching(/^whsec_/) });
    expect(successor).not.toMatchObject({ signingSecret });
    expect(await keyOf(_id)).toMatchObject({ isSigned: true });
  });

  it('updates operations and addresses of a key independently', async () => {
    const addresses = ['127.0.0.1', '2001:db8::/32'];
    const options = '--expires 90d --operations leads.read,leads.write --addresses';
    const { _id, key, expiresAt } = await issue(options, addresses.join(', '));
    const days = (Date.parse(expiresAt ?? '') - Date.now()) / 86_400_000;
    expect(Math.abs(days - 89.95)).toBeLessThan(0.06);
    expect(await permittedBy(key)).toEqual(['leads.write', 'leads.read']);

    for (const [change, shown, permitted] of [
      ['--for collector', { addresses, isUnrestricted: false }, forCollector],
      ['--addresses 203.0.113.7', { addresses: ['203.0.113.7'] }, []],
      ['--addresses any', { addresses: null }, forCollector],
    ] as const) {
      const updated = await cli.json(`key update ${_id} ${change}`);
      expect(updated).toMatchObject({ ...shown, operations: forCollector });
      await eventually(async () => expect(await permittedBy(key)).toEqual(permitted), 5_000);
    }
  });

  it('issues a key for pages of origins, whose successor is for the same pages', async () => {
    const origins = ['https://nile.cli.example', 'http://localhost:8080'];
    const issued = await issue('--for website --origins', origins.join(', '));
    expect(issued).toMatchObject({ operations: ['leads.write'], origins });
    const successor = await cli.json<KeyJson>(`key rotate ${issued._id}`);
    expect(await keyOf(successor._id)).toMatchObject({ origins });
    const post = (key: string, origin: string) =>
      tenant.with(key).post('/leads', { name: 'Mona' }).set('origin', origin);
    await post(successor.key, 'http://localhost:8080').expect(201);
    await post(successor.key, 'https://other.cli.example').expect(403);

    const changed = await cli.json(`key update ${issued._id} --origins https://other.cli.example`);
    expect(changed).toMatchObject({ origins: ['https://other.cli.example'] });
    await eventually(() => post(issued.key, 'https://other.cli.example').expect(201), 5_000);
    const removed = await cli.json(`key update ${issued._id} --for crm --origins none`);
    expect(removed).toMatchObject({ origins: null, operations: expect.any(Array) });
    await eventually(() => tenant.with(issued.key).get('/leads/none').expect(404), 5_000);
  });

  it('refuses origins with other operations than leads.write, and changes nothing', async () => {
    const origin = 'https://refused.cli.example';
    const website = await issue(`--for website --origins ${origin}`);
    const crm = await issue('--for crm');
    await tenant.add(addKey, { prefix: 'refused-1' });
    const before = await tenant.stored('apiKeys');
    const refused = expect.stringMatching(
      /^error: A key with origins permits leads\.write alone, .*\n$/,
    );
    for (const call of [
      `issue --org ${org} --name X --for crm --origins ${origin}`,
      `issue --org ${org} --name X --operations leads.write,leads.read --origins ${origin}`,
      `update ${website._id} --for collector`,
      `update ${website._id} --operations leads.write,leads.read`,
      `update ${crm._id} --origins ${origin}`,
      `update refused-1 --origins ${origin}`,
    ]) {
      expect(await cli.run(`key ${call}`)).toEqual({ code: 2, stdout: '', stderr: refused });
    }
    expect(await tenant.stored('apiKeys')).toEqual(before);
  });

  it.each([
    '*',
    'any',
    'https://*.nile.example',
    'https://nile.example/',
    'http://nile.example',
    'nile.example',
    'https://Nile.example',
    'https://nile.example:443',
    'null',
    'https://قصر.example',
    'https://a.example,',
  ])('refuses the origin %s with one line', async (origin) => {
    const { code, stderr } = await cli.run(
      `key issue --org ${org} --name X --for website --origins`,
      origin,
    );
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^error: .*It must be none, or a list.*\n$/),
    ]);
  });

  it('issues keys with public visibility, and changes it within 5 seconds', async () => {
    const hidden = await tenant.add(addUnit, { isAdminOnly: true });
    const { slug } = await tenant.storedOne('units', { _id: hidden });
    const portal = await issue<{ visibility: string }>('--for portal');
    const shows = async (key: string) =>
      (await tenant.with(key).get(`/units/${slug}`)).status === 200;
    expect([portal.visibility, await shows(portal.key)]).toEqual(['public', false]);
    const successor = await cli.json<KeyJson>(`key rotate ${portal._id}`);
    expect(successor).toMatchObject({ visibility: 'public' });
    expect(await keyOf(portal._id)).toMatchObject({ visibility: 'public' });

    const options = '--operations catalogue.read';
    expect(await issue(options)).toMatchObject({ visibility: 'all' });
    const { _id, key } = await issue(`${options} --visibility public`);
    for (const [change, visibility] of [
      ['--visibility all', 'all'],
      ['--visibility public', 'public'],
      ['--operations catalogue.read,leads.read', 'public'],
      ['--for everything', 'public'],
      ['--for crm', 'public'],
      ['--for portal --visibility all', 'all'],
      ['--for portal', 'public'],
    ]) {
      expect(await cli.json(`key update ${_id} ${change}`)).toMatchObject({ visibility });
      const isShown = visibility === 'all';
      await eventually(async () => expect(await shows(key)).toBe(isShown), 5_000);
    }
  });

  it('issues a valid key, stores only its hash and revokes it within 5 seconds', async () => {
    const issued = await issue('--for everything --expires 2999-12-31');
    expect(issued).toMatchObject({
      prefix: issued.key.slice(0, 11),
      key: expect.stringMatching(/^iapi_/),
      isUnrestricted: false,
      expiresAt: '2999-12-31T00:00:00.000Z',
    });
    expect(await isAccepted(issued.key)).toBe(true);
    const stored = await tenant.storedOne('apiKeys', { _id: new ObjectId(issued._id) });
    expect(stored).toMatchObject({ hash: createHash('sha256').update(issued.key).digest('hex') });
    expect(JSON.stringify(stored)).not.toContain(issued.key);

    const revoked = await cli.json<object>(`key revoke ${issued.prefix}`);
    expect(revoked).toMatchObject({ _id: issued._id, state: 'revoked' });
    await eventually(async () => expect(await isAccepted(issued.key)).toBe(false), 5_000);
    const again = await cli.json(`key revoke ${issued._id}`);
    expect(again).toEqual({ ...revoked, lastUsedAt: expect.anything() });
  });

  it('lists refused requests of a key with their reasons, newest first', async () => {
    const { _id, prefix } = await issue('--for crm');
    const ids = { organizationId: tenant.organizationId, apiKeyId: new ObjectId(_id) };
    const refused = { errorCodes: ['lead.duplicate_phone'], messages: ['Duplicate', 'Another'] };
    const accepted = { status: 201, ignoredFields: ['fullName'] };
    await addLoggedRequest(service.db, ids, 1, refused);
    await addLoggedRequest(service.db, ids, 2, accepted);
    expect(await cli.json(`key requests ${prefix}`)).toMatchObject([accepted, refused]);
    const table = await cli.text(`key requests ${_id} --limit 1`);
    expect(table).toMatch(/ 201 +POST \S+leads +fields\.ignored: fullName +-$/m);
    expect(table).not.toContain('duplicate');
    const requests = (options: string) => cli.json(`key requests ${prefix} ${options}`);
    expect(await requests('--code lead.duplicate_phone')).toMatchObject([refused]);
    expect(await requests('--code fields.ignored')).toMatchObject([accepted]);
    expect(await requests('--since 2026-01-01T12:02:00Z')).toMatchObject([accepted]);
    expect(await requests('--code lead.duplicate_phone --since 2026-01-01T12:02:00Z')).toEqual([]);
  });

  it('keeps both keys valid after a rotation until the overlap ends', async () => {
    const old = await issue('--for everything');
    const rotated = await cli.json<KeyJson & { old: KeyJson }>(
      `key rotate ${old.prefix} --overlap-hours 2`,
    );
    expect(rotated).toMatchObject({ name: 'CRM', expiresAt: null, old: { _id: old._id } });
    const overlap = Date.parse(rotated.old.expiresAt ?? '') - Date.now();
    expect(Math.abs(overlap - 7_200_000)).toBeLessThan(60_000);
    expect(await Promise.all([old, rotated].map(({ key }) => isAccepted(key)))).toEqual([
      true,
      true,
    ]);

    // A rotation must copy the current permissions, not those at the issue.
    const _id = new ObjectId(rotated._id);
    await tenant.set('apiKeys', { _id }, { 'permissions.allowExternal': false });
    const table = await cli.text(`key rotate ${rotated._id} --overlap-hours 0`);
    expect(table).toMatch(/^Old expires at +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/m);
    expect(await isAccepted(/^Key +(iapi_\S+)$/m.exec(table)?.[1] ?? '')).toBe(false);
  });

  it('stores no successor when the expiry of the old key cannot be stored', async () => {
    const uri = randomDatabaseUri();
    const client = await new MongoClient(uri).connect();
    const db = client.db();
    // The validator accepts the successor, which has no expiry, and refuses the expiry of the old key.
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
    const { _id } = await own.json<KeyJson>(call);
    expect((await keys()).map((one) => String(one._id))).toEqual([String(before[0]?._id), _id]);
    await client.close();
  });

  it('lists keys in every state, marks unrestricted ones and names what they lost, but shows no hash', async () => {
    const other = await service.addTenant();
    const past = new Date('2026-01-02T03:04:05Z');
    await other.add(addKey, { name: 'Expired', expiresAt: past });
    await other.add(addKey, { name: 'Revoked', revokedAt: past, expiresAt: past });
    const permissions = { allowExternal: true, readEvents: true };
    await other.add(addKey, { name: 'Reader', permissions });
    const lostOperations = ['events.read'];
    const implied = operations.filter((operation) => !unimpliedOperations.has(operation));
    const call = `key list --org ${other.organizationId.toHexString()}`;
    expect(await cli.json(call)).toMatchObject([
      { name: 'Website', state: 'active', lostOperations: [] },
      { name: 'Expired', state: 'expired' },
      { name: 'Revoked', state: 'revoked' },
      { name: 'Reader', isUnrestricted: true, operations: implied, lostOperations },
    ]);
    const table = await cli.text(call);
    expect(table).not.toMatch(/[0-9a-f]{32}/);
    expect(table).toMatch(/^\S+ +Reader +Nile Homes +unrestricted, lost events\.read +- +active$/m);
  });
});
