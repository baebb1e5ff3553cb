import { beforeEach, describe, expect, it } from '@jest/globals';
import { Decimal128, type Document, Long, ObjectId } from 'mongodb';
import { addKey, addLead, addTenant, conventions, type Tenant } from '../support/builders.js';
import { sharedService } from '../support/shared-service.js';

const service = sharedService();
let tenant: Tenant;
let turn = 0;

beforeEach(async () => {
  tenant = await addTenant(service.db);
});

const post = (body: object, key = tenant.key) =>
  service.api('post', '/leads').set('api-key', key).send(body);
/** Stores what another program did before there were validators. */
async function store(collection: string, fields: Document): Promise<Document> {
  const document = { ...conventions(tenant.organizationId), ...fields };
  const options = { bypassDocumentValidation: true };
  await service.db.collection(collection).insertOne(document, options);
  return document;
}
const change = (collection: string, _id: ObjectId, $set: Document) =>
  service.db
    .collection(collection)
    .updateOne({ _id }, { $set }, { bypassDocumentValidation: true });
const newPhone = () => `010${String(10_000_000 + ++turn)}`;
const clients = () =>
  service.db.collection('clients').find({ organizationId: tenant.organizationId }).toArray();
/** The lines that tell of odd fields of a document. */
const linesAbout = (id: unknown) =>
  service
    .logged()
    .split('\n')
    .filter((line) => line.includes(String(id)) && line.includes('other types'))
    .map((line) => (JSON.parse(line) as { fields: string[] }).fields);

describe('a client with fields of unexpected types', () => {
  it.each([
    ['a number as email', { email: 5 }],
    ['a list as email', { email: ['mona@example.com'] }],
    ['a number as name', { name: 5 }],
  ])('with %s matches by phone and gets the phone of the lead', async (_odd, odd) => {
    const phone = newPhone();
    const fields = { phoneNumbers: [`+2${phone}`, 7, null], ...odd };
    const { _id } = await store('clients', fields);
    const sent = { name: 'Mona', email: 'mona@example.com', phoneNumber: phone };
    const { body } = await post({ recordSystemId: 'a', ...sent }).expect(201);
    expect(body.lead.clientId).toBe(String(_id));
    const contact = { name: 'Mona', email: 'mona@example.com', phoneNumbers: [`+2${phone}`] };
    expect(await clients()).toMatchObject([contact]);
    const other = { name: 'Nora', phoneNumber2: newPhone() };
    await post({ recordSystemId: 'a', ...other }).expect(200);
  });

  it('with a text instead of phones matches by email', async () => {
    const { _id } = await store('clients', { email: 'mona@example.com', phoneNumbers: '0100' });
    const sent = { email: 'MONA@example.com', phoneNumber: newPhone() };
    const { body } = await post(sent).expect(201);
    expect(body.lead.clientId).toBe(String(_id));
  });

  it('is logged once with field names, without values', async () => {
    const email = `mona.${turn}@example.com`;
    const odd = { name: { first: 'Mona' }, phoneNumbers: 'Mona', createdAt: 'Mona' };
    const { _id } = await store('clients', { email, ...odd });
    for (const name of ['Mona', 'Nora']) await post({ name, email }).expect(201);
    const lines = linesAbout(_id);
    expect(lines).toEqual([['createdAt', 'name', 'phoneNumbers']]);
    expect(service.logged()).not.toContain('"Mona"');
  });

  it('is ignored when its id is not an ObjectId', async () => {
    const phoneNumber = newPhone();
    const _id = `client-${turn}` as unknown as ObjectId;
    await store('clients', { _id, phoneNumbers: [`+2${phoneNumber}`] });
    const { body } = await post({ phoneNumber }).expect(201);
    expect(body.lead.clientId).toMatch(/^[0-9a-f]{24}$/);
  });
});

describe('a lead with fields of unexpected types', () => {
  it('is read, updated and deleted without these fields', async () => {
    const id = new ObjectId().toHexString();
    const references = { clientId: id, assignedToId: id, parentId: 5, compoundsIds: id };
    const odd = { ...references, leadId: '7', isActive: 'yes', data: 'Mona', additionalData: [1] };
    const _id = await addLead(service.db, tenant.organizationId, { recordSystemId: 'odd' });
    await change('leads', _id, { ...odd, createdAt: 'now', updatedAt: 5 });
    const read = () => service.api('get', '/leads/odd').set('api-key', tenant.key).expect(200);
    const created = _id.getTimestamp().toISOString();
    expect((await read()).body.lead).toMatchObject({
      clientId: null,
      assignedToId: null,
      parentId: null,
      compoundsIds: [],
      leadId: 0,
      isActive: false,
      data: {},
      additionalData: {},
      createdAt: created,
      updatedAt: created,
    });
    const { body } = await post({ recordSystemId: 'odd', name: 'Mona' }).expect(200);
    expect(body.lead.data).toEqual({ name: 'Mona' });
    expect((await read()).body.lead.clientId).toBe(body.lead.clientId);
    await service.api('delete', '/leads/odd').set('api-key', tenant.key).expect(200);
  });

  it('keeps numbers of any numeric type', async () => {
    const fields = { recordSystemId: 'wide', leadId: Long.fromString('9007199254740993') };
    await addLead(service.db, tenant.organizationId, fields);
    const { text } = await service.api('get', '/leads/wide').set('api-key', tenant.key).expect(200);
    expect(text).toContain('"leadId":9007199254740993');
  });

  it('is a duplicate by its phone', async () => {
    const phoneNumber = newPhone();
    const _id = await addLead(service.db, tenant.organizationId, { data: { phoneNumber } });
    await change('leads', _id, { assignedToId: 'Omar', phoneKeys: 5, leadId: {} });
    const { body } = await post({ phoneNumber }).expect(400);
    expect(body.message[0]).toContain('is not assigned to anyone');
  });
});

describe('an organization with settings of unexpected types', () => {
  it.each([
    { phoneCountry: 5 },
    { phoneCountry: ['SA'] },
    { clients: 'all', allowConflictLeads: 'no' },
    { clients: { matchBy: 'phone', createFromLeads: 0, updateExisting: null } },
    { clients: { matchBy: [5, 'fax', null] } },
    'all',
    [],
  ])('uses the defaults instead of %j', async (settings) => {
    await change('organizations', tenant.organizationId, { settings });
    const phone = newPhone();
    const { body } = await post({ name: 'Mona', phoneNumber: phone }).expect(201);
    await post({ phoneNumber: `+2${phone}` }).expect(400);
    const isMatched = !JSON.stringify(settings).includes('fax');
    expect(body.lead.clientId).not.toBeNull();
    expect(await clients()).toMatchObject([{ phoneNumbers: [`+2${phone}`] }]);
    const { body: again } = await post({ recordSystemId: 'a', name: 'Nora' }).expect(201);
    expect(again.lead.clientId).not.toBe(isMatched ? null : body.lead.clientId);
    const other = await addTenant(service.db);
    await post({ name: 'Mona' }, other.key).expect(201);
  });
});

describe('a key with fields of unexpected types', () => {
  it.each([
    { rps: 1.5, burst: 10 },
    { rps: Decimal128.fromString('0.5'), burst: Decimal128.fromString('0.5') },
    { rps: 'many', burst: -1 },
    'none',
  ])('uses the limit of the service instead of %j', async (rateLimit) => {
    const key = await addKey(service.db, tenant.organizationId);
    const stored = await service.db
      .collection('apiKeys')
      .findOne({ organizationId: tenant.organizationId }, { sort: { _id: -1 } });
    const _id = stored?._id ?? new ObjectId();
    await change('apiKeys', _id, { rateLimit });
    for (let count = 0; count < 5; count++) await post({ name: 'Mona' }, key).expect(201);
    expect(linesAbout(_id)).toHaveLength(1);
  });

  it.each([true, 'yes', 5, {}])('is revoked when revokedAt is %j', async (revokedAt) => {
    const { _id } = (await service.db
      .collection('apiKeys')
      .findOne({ organizationId: tenant.organizationId })) as Document & { _id: ObjectId };
    await change('apiKeys', _id, { revokedAt });
    await post({ name: 'Mona' }).expect(401);
  });
});

describe('a lead with a blank name', () => {
  it.each([' ', '\t\n', '\u00a0\u3000'])('%j gets no client', async (name) => {
    const { body } = await post({ recordSystemId: 'a', data: { name } }).expect(201);
    expect(body.lead).toMatchObject({ clientId: null, data: { name } });
    expect(await clients()).toEqual([]);
    const sent = { recordSystemId: 'a', name: 'Mona', phoneNumber: newPhone() };
    await post(sent).expect(200);
    await post({ recordSystemId: 'a', data: { name } }).expect(200);
    expect(await clients()).toMatchObject([{ name: 'Mona' }]);
  });
});
