import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
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
const customSettings = {
  allowConflictLeads: true,
  phoneCountry: 'SA',
  clients: { createFromLeads: false, updateExisting: false, matchBy: ['email'] },
};
const everyOption =
  '--name واحة --api-domain API.Oasis.example --logo https://cdn.example/o.png --phone-country sa ' +
  '--allow-conflict-leads true --create-clients false --update-clients false --match-clients-by email';
const time = '2026-01-02T03:04:05Z';

const uri = randomDatabaseUri();
const cli = startSession({ MONGODB_URI: uri });
const client = new MongoClient(uri);
let db: Db;

beforeAll(() => {
  db = client.db();
});
beforeEach(() => db.collection('organizations').deleteMany({}));
afterAll(async () => {
  await db.dropDatabase();
  await client.close();
});

async function addOrganization(name: string, fields: object = {}): Promise<string> {
  const [createdAt, _id] = [new Date(time), new ObjectId()];
  const times = { createdAt, updatedAt: createdAt };
  const document = { _id, name, isDeleted: false, ...times, ...fields };
  // Other programs may store other types.
  await db.collection('organizations').insertOne(document, { bypassDocumentValidation: true });
  return _id.toHexString();
}

const storedOrganization = (id: string) =>
  db.collection('organizations').findOne({ _id: new ObjectId(id) });

describe('the command org', () => {
  it('creates an organization with defaults or with all settings', async () => {
    const plain = await cli.json<OrganizationJson>('org create --name', 'Nile Homes');
    expect(plain).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      name: 'Nile Homes',
      apiDomain: null,
      logo: null,
      settings: defaults,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: plain.createdAt,
    });
    const oasis = await cli.json<OrganizationJson>(`org create ${everyOption}`);
    const shown = { name: 'واحة', apiDomain: 'api.oasis.example', settings: customSettings };
    expect(oasis).toMatchObject({ ...shown, logo: 'https://cdn.example/o.png' });
    expect(await storedOrganization(oasis._id)).toMatchObject({ isDeleted: false, ...shown });
  });

  it('updates the given fields and keeps unknown fields', async () => {
    const clients = { matchBy: ['email'] };
    const kept = { allowConflictLeads: true, clients, theme: 'dark' };
    const id = await addOrganization('Old', { apiDomain: 'old.example', settings: kept });
    const before = await storedOrganization(id);
    const changes = '--name New --create-clients false --phone-country AE';
    expect(await cli.json(`org update ${id} ${changes}`)).toMatchObject({
      name: 'New',
      apiDomain: 'old.example',
      settings: {
        allowConflictLeads: true,
        phoneCountry: 'AE',
        clients: { createFromLeads: false, updateExisting: true, matchBy: ['email'] },
      },
    });
    const settings = {
      ...kept,
      phoneCountry: 'AE',
      clients: { ...clients, createFromLeads: false },
    };
    const updatedAt = expect.any(Date);
    expect(await storedOrganization(id)).toEqual({ ...before, name: 'New', settings, updatedAt });
  });

  it('lists and shows organizations as tables and as JSON', async () => {
    const nile = await addOrganization('Nile\u001b[2J\nHomes');
    const oasis = await addOrganization('واحة', { createdAt: new Date('2026-01-03') });
    await addOrganization('Gone', { isDeleted: true });
    const list = await cli.json<OrganizationJson[]>('org list');
    expect(list).toMatchObject([{ _id: nile }, { _id: oasis, settings: defaults }]);
    expect(await cli.json(`org show ${oasis}`)).toEqual(list[1]);
    expect((await cli.text('org list')).split('\n')).toEqual([
      'ID                        NAME            API DOMAIN  CREATED AT',
      `${nile}  Nile [2J Homes  -           2026-01-02T03:04:05Z`,
      expect.stringContaining('واحة'),
      '',
    ]);
    const details = await cli.text(`org show ${nile}`);
    expect(details).toContain(`ID                                  ${nile}\n`);
    expect(details).toContain('Settings clients match by           phone, email\n');
  });

  it('cuts a long name, so that each organization has one line of 120 columns', async () => {
    await addOrganization('T'.repeat(200));
    const lines = (await cli.text('org list')).trimEnd().split('\n');
    const cut = new RegExp(`^[0-9a-f]{24} {2}T+… {2}- +${time}$`);
    expect(lines.filter((line) => cut.test(line)).map(({ length }) => length)).toEqual([120]);
  });

  it('prints only the error for an unknown name when another organization has odd fields', async () => {
    await addOrganization('Thames', { settings: ['odd'] });
    expect(await cli.run('org show nile-homes', '--json')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'There is no organization called nile-homes: `org list` lists the organizations.\n',
    });
  });

  it('shows an invalid phone country and the country used instead', async () => {
    const unknown = await addOrganization('Thames', { settings: { phoneCountry: 'UK' } });
    const lowerCase = await addOrganization('Oasis', { settings: { phoneCountry: 'sa' } });
    const shown = await cli.json(`org show ${unknown}`);
    expect(shown).toMatchObject({ settings: defaults, unknownPhoneCountry: 'UK' });
    const table = await cli.text(`org show ${unknown}`);
    expect(table).toMatch(/^Settings phone country +EG$[^]+^Unknown phone country +UK$/m);
    const oasis = await cli.json<OrganizationJson>(`org show ${lowerCase}`);
    expect(oasis.settings).toEqual({ ...defaults, phoneCountry: 'SA' });
    expect(oasis).not.toHaveProperty('unknownPhoneCountry');
    await cli.json(`org update ${unknown} --phone-country gb`);
    const settings = { phoneCountry: 'GB' };
    expect(await storedOrganization(unknown)).toMatchObject({ settings });
  });

  it('accepts the name of an organization if it is unique', async () => {
    const id = await addOrganization('Delta Towers');
    const issue = 'key issue --name A --for crm --org';
    expect(await cli.json(issue, 'delta towers')).toMatchObject({ organizationId: id });
    expect(await cli.json('org show', 'delta towers')).toMatchObject({ _id: id });
    const rename = ['Delta Towers', '--name', 'Delta'];
    expect(await cli.json('org update', ...rename)).toMatchObject({ _id: id, name: 'Delta' });
    await cli.json('org update', 'Delta', '--name', 'Delta Towers');
    const second = await addOrganization('Delta Towers', { createdAt: new Date() });
    await addOrganization('Gone', { isDeleted: true });
    for (const [name, stderr] of [
      [
        'Delta Towers',
        `There is more than one organization called Delta Towers. Use one of these ids: ${id}, ${second}.\n`,
      ],
      ['Delta', 'There is no organization called Delta: `org list` lists the organizations.\n'],
      ['Gone', 'There is no organization called Gone: `org list` lists the organizations.\n'],
    ] as const) {
      for (const command of [issue, 'org show']) {
        expect(await cli.run(command, name)).toEqual({ code: 1, stdout: '', stderr });
      }
    }
  });

  it('refuses a deleted organization', async () => {
    const deleted = await addOrganization('Gone', { isDeleted: true });
    const { code, stderr } = await cli.run(`org update ${deleted} --name Back`);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^There is no organization with id/)]);
  });
});
