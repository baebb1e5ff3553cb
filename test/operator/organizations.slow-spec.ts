import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Db, MongoClient, ObjectId } from 'mongodb';
import { randomDatabaseUri } from '../support/test-service.js';
import { startSession } from './command-line.js';

interface OrganizationJson {
  readonly _id: string;
  readonly settings: object;
  readonly createdAt: string;
}

const defaults = {
  allowConflictLeads: false,
  phoneCountry: 'EG',
  clients: { createFromLeads: true, updateExisting: true, matchBy: ['phone', 'email'] },
};
const decided = {
  allowConflictLeads: true,
  phoneCountry: 'SA',
  clients: { createFromLeads: false, updateExisting: false, matchBy: ['email'] },
};
const everyOption =
  '--name واحة --api-domain API.Oasis.example --logo https://cdn.example/o.png --phone-country sa ' +
  '--allow-conflict-leads true --create-clients false --update-clients false --match-clients-by email';

const uri = randomDatabaseUri();
const cli = startSession({ MONGODB_URI: uri });
let client: MongoClient;
let db: Db;

beforeAll(async () => {
  client = await new MongoClient(uri).connect();
  db = client.db();
});
afterAll(async () => {
  await db.dropDatabase();
  await client.close();
});

describe('org', () => {
  it('creates an organization with defaults or with all settings', async () => {
    const [plain, oasis] = await Promise.all([
      cli.json<OrganizationJson>('org create --name', 'Nile Homes'),
      cli.json<OrganizationJson>(`org create ${everyOption}`),
    ]);
    expect(plain).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      name: 'Nile Homes',
      apiDomain: null,
      logo: null,
      settings: defaults,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: plain.createdAt,
    });
    const shown = { name: 'واحة', apiDomain: 'api.oasis.example', settings: decided };
    expect(oasis).toMatchObject({ ...shown, logo: 'https://cdn.example/o.png' });
    const stored = await db.collection('organizations').findOne({ _id: new ObjectId(oasis._id) });
    expect(stored).toMatchObject({ isDeleted: false, settings: decided });
  });

  it('updates the given fields and keeps unknown fields', async () => {
    const _id = new ObjectId();
    const now = new Date();
    const kept = { allowConflictLeads: true, clients: { matchBy: ['email'] }, theme: 'dark' };
    const base = { name: 'Old', apiDomain: 'old.example', isDeleted: false };
    const organization = { ...base, settings: kept };
    await db
      .collection('organizations')
      .insertOne({ _id, ...organization, createdAt: now, updatedAt: now });
    const changes = ['--name', 'New', '--create-clients', 'false', '--phone-country', 'AE'];
    const updated = await cli.json(`org update ${_id.toHexString()}`, ...changes);
    const settings = {
      allowConflictLeads: true,
      phoneCountry: 'AE',
      clients: { createFromLeads: false, updateExisting: true, matchBy: ['email'] },
    };
    expect(updated).toMatchObject({ name: 'New', apiDomain: 'old.example', settings });
    expect(await db.collection('organizations').findOne({ _id })).toEqual({
      ...organization,
      _id,
      name: 'New',
      createdAt: now,
      settings: {
        ...kept,
        phoneCountry: 'AE',
        clients: { matchBy: ['email'], createFromLeads: false },
      },
      updatedAt: expect.any(Date),
    });
  });

  it('lists and shows organizations as tables and as JSON', async () => {
    await db.collection('organizations').deleteMany({});
    const nile = await addOrganization('Nile\u001b[2J\nHomes', '2026-01-02T03:04:05.678Z');
    const oasis = await addOrganization('واحة', '2026-01-03T00:00:00Z');
    await addOrganization('Gone', '2026-01-01T00:00:00Z', { isDeleted: true });
    const [list, table, shown, details] = await Promise.all([
      cli.json<OrganizationJson[]>('org list'),
      cli.run('org list'),
      cli.json<OrganizationJson>(`org show ${oasis}`),
      cli.run(`org show ${nile}`),
    ]);
    expect(list.map(({ _id }) => _id)).toEqual([nile, oasis]);
    expect(shown).toEqual(list[1]);
    expect(shown.settings).toEqual(defaults);
    expect(table.stdout.trimEnd().split('\n')).toEqual([
      'ID                        NAME            API DOMAIN  CREATED AT',
      `${nile}  Nile [2J Homes  -           2026-01-02T03:04:05Z`,
      expect.stringContaining('واحة'),
    ]);
    expect(details).toMatchObject({ code: 0, stderr: '' });
    expect(details.stdout).toContain(`Id                                  ${nile}\n`);
    expect(details.stdout).toContain('Settings clients match by           phone, email\n');
  });

  it('prints a list when a table is wider than 80 columns', async () => {
    await db.collection('organizations').deleteMany({});
    const created = '2026-01-02T03:04:05Z';
    const wide = 'Towers '.repeat(5).trim();
    await addOrganization(wide, created);
    const { stdout } = await cli.run('org list');
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    await addOrganization('T'.repeat(60), created);
    const list = (await cli.run('org list')).stdout;
    expect(list).toContain(`Name        ${wide}\nApi domain  -\nCreated at  ${created}\n\nId `);
  });

  it('shows an invalid phone country with the effective one', async () => {
    const time = '2026-01-02T00:00:00Z';
    const settings = (phoneCountry: string) => ({ settings: { phoneCountry } });
    const unknown = await addOrganization('Thames Homes', time, settings('UK'));
    const lowerCase = await addOrganization('Oasis', time, settings('sa'));
    const [shown, table, oasis] = await Promise.all([
      cli.json<OrganizationJson>(`org show ${unknown}`),
      cli.run(`org show ${unknown}`),
      cli.json<OrganizationJson>(`org show ${lowerCase}`),
    ]);
    expect(shown).toMatchObject({ settings: defaults, unknownPhoneCountry: 'UK' });
    expect(table.stdout).toMatch(/^Settings phone country +EG$[^]+^Unknown phone country +UK$/m);
    expect(oasis.settings).toEqual({ ...defaults, phoneCountry: 'SA' });
    expect(oasis).not.toHaveProperty('unknownPhoneCountry');
    const refused = await cli.run(`org update ${unknown} --phone-country UK`);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('ISO 3166 alpha-2');
    await cli.json(`org update ${unknown} --phone-country gb`);
    const _id = new ObjectId(unknown);
    expect(await db.collection('organizations').findOne({ _id })).toMatchObject(settings('GB'));
  });

  it('accepts the name of an organization when it is unique', async () => {
    const id = await addOrganization('Delta Towers', '2026-01-01T00:00:00Z');
    const issue = (name: string) => cli.run('key issue --name A --for crm --json --org', name);
    const { stdout } = await issue('delta towers');
    expect(JSON.parse(stdout)).toMatchObject({ organizationId: id });
    const second = await addOrganization('Delta Towers', '2026-01-02T00:00:00Z');
    expect((await issue('Delta Towers')).stderr).toBe(
      `There is more than one organization called Delta Towers, give the id of one: ${id}, ${second}.\n`,
    );
    const stderr = 'There is no organization called Delta: `org list` lists them.\n';
    expect(await issue('Delta')).toEqual({ code: 1, stdout: '', stderr });
  });

  it('rejects an unknown or deleted organization with one line', async () => {
    const unknown = new ObjectId().toHexString();
    const deleted = await addOrganization('Gone', '2026-01-01T00:00:00Z', { isDeleted: true });
    const [show, update] = await Promise.all([
      cli.run(`org show ${unknown}`),
      cli.run(`org update ${deleted} --name Back`),
    ]);
    const stderr = (id: string) =>
      `There is no organization with id ${id}: \`org list\` lists them.\n`;
    expect(show).toEqual({ code: 1, stdout: '', stderr: stderr(unknown) });
    expect(update).toEqual({ code: 1, stdout: '', stderr: stderr(deleted) });
  });
});

async function addOrganization(name: string, time: string, fields: object = {}): Promise<string> {
  const createdAt = new Date(time);
  const { insertedId } = await db
    .collection('organizations')
    .insertOne({ name, isDeleted: false, createdAt, updatedAt: createdAt, ...fields });
  return insertedId.toHexString();
}
