import { beforeEach, describe, expect, it } from '@jest/globals';
import { Decimal128, type Document, Long, ObjectId } from 'mongodb';
import { addLead, conventions } from '../support/builders.js';
import { sharedService } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';

const service = sharedService();
let tenant: TenantApi;
let testNumber = 0;
let phoneNumber: string;
let email: string;

beforeEach(async () => {
  tenant = await service.addTenant();
  phoneNumber = `010${String(10_000_000 + ++testNumber)}`;
  email = `mona.${testNumber}@example.com`;
});

const withoutValidation = { bypassDocumentValidation: true };
/** Bypasses the validator, because documents may be older than it. */
async function addClient(fields: Document): Promise<unknown> {
  const client = { ...conventions(tenant.organizationId), ...fields };
  await service.db.collection('clients').insertOne(client, withoutValidation);
  return client._id;
}
const change = (collection: string, filter: Document, $set: Document) =>
  service.db.collection(collection).updateOne(filter, { $set }, withoutValidation);
const changeKey = ($set: Document) =>
  change('apiKeys', { organizationId: tenant.organizationId }, $set);
describe('a client with fields of unexpected types', () => {
  it.each([{ email: 5 }, { email: ['mona@example.com'] }, { name: 5 }])(
    'with %j is matched by phone and updated with the other fields of the lead',
    async (odd) => {
      const _id = await addClient({ phoneNumbers: [`+2${phoneNumber}`, 7, null], ...odd });
      const sent = { recordSystemId: 'a', name: 'Mona', email, phoneNumber };
      const { body } = await tenant.post('/leads', sent).expect(201);
      expect(body.lead.clientId).toBe(String(_id));
      const contact = { name: 'Mona', email, phoneNumbers: [`+2${phoneNumber}`] };
      expect(await tenant.stored('clients')).toMatchObject([contact]);
      await tenant.post('/leads', { recordSystemId: 'a', phoneNumber2: '01099999999' }).expect(200);
    },
  );

  it('matches by email when its phones are a string', async () => {
    const _id = await addClient({ email, phoneNumbers: '0100' });
    const { body } = await tenant.post('/leads', { email: email.toUpperCase(), phoneNumber });
    expect(body.lead.clientId).toBe(String(_id));
  });
});

describe('a client with an unexpected id or time', () => {
  it('is ignored when its id is not an ObjectId', async () => {
    await addClient({ _id: `client-${testNumber}`, phoneNumbers: [`+2${phoneNumber}`] });
    const { body } = await tenant.post('/leads', { phoneNumber }).expect(201);
    expect(body.lead.clientId).toMatch(/^[0-9a-f]{24}$/);
  });

  it('is updated when its time is a text', async () => {
    const _id = await addClient({ phoneNumbers: [`+2${phoneNumber}`], createdAt: 'now' });
    const { body } = await tenant.post('/leads', { name: 'Mona', phoneNumber }).expect(201);
    expect(body.lead.clientId).toBe(String(_id));
  });
});

describe('a lead with fields of unexpected types', () => {
  it('is read with empty values instead', async () => {
    const id = new ObjectId().toHexString();
    const references = { clientId: id, assignedToId: id, parentId: 5, compoundsIds: id };
    const odd = { ...references, leadId: '7', isActive: 'yes', data: 'Mona', additionalData: [1] };
    const _id = await tenant.add(addLead, { recordSystemId: 'odd' });
    await change('leads', { _id }, { ...odd, updatedAt: 5 });
    const defaults = { leadId: 0, isActive: false, data: {}, additionalData: {}, compoundsIds: [] };
    // A reference may be a text.
    const ids = { clientId: id, assignedToId: id, parentId: null };
    const { body } = await tenant.get('/leads/odd').expect(200);
    expect(body.lead).toMatchObject({ ...defaults, ...ids, updatedAt: '' });
  });

  it('is updated when its data is a text', async () => {
    const _id = await tenant.add(addLead, { recordSystemId: 'odd' });
    await change('leads', { _id }, { data: 'Mona', additionalData: [1] });
    const sent = { recordSystemId: 'odd', name: 'Mona' };
    const { lead } = (await tenant.post('/leads', sent).expect(200)).body;
    expect(lead.data).toEqual({ name: 'Mona' });
    await tenant.delete('/leads/odd').expect(200);
  });

  it('keeps numbers of any numeric type', async () => {
    const leadId = Long.fromString('9007199254740993');
    await tenant.add(addLead, { recordSystemId: 'wide', leadId });
    const { text } = await tenant.get('/leads/wide').expect(200);
    expect(text).toContain('"leadId":9007199254740993');
  });

  it('is found by the duplicate check of POST /leads', async () => {
    const _id = await tenant.add(addLead, { data: { phoneNumber } });
    await change('leads', { _id }, { assignedToId: 'Omar', phoneKeys: 5, leadId: {} });
    const { body } = await tenant.post('/leads', { phoneNumber }).expect(400);
    expect(body.message[0]).toContain('is assigned to someone');
  });
});

describe('an organization with settings of unexpected types', () => {
  it.each([
    { phoneCountry: 5 },
    { clients: 'all', allowConflictLeads: 'no' },
    { clients: { matchBy: 'phone', createFromLeads: 0, updateExisting: null } },
    { clients: { matchBy: [5, 'fax', null] } },
    'all',
  ])('uses the defaults instead of %j', async (settings) => {
    await change('organizations', { _id: tenant.organizationId }, { settings });
    const { body } = await tenant.post('/leads', { name: 'Mona', phoneNumber }).expect(201);
    await tenant.post('/leads', { phoneNumber: `+2${phoneNumber}` }).expect(400);
    expect(body.lead.clientId).not.toBeNull();
    expect(await tenant.stored('clients')).toMatchObject([{ phoneNumbers: [`+2${phoneNumber}`] }]);
    const nora = await tenant.post('/leads', { recordSystemId: 'a', name: 'Nora' }).expect(201);
    const isMatched = !JSON.stringify(settings).includes('fax');
    expect(nora.body.lead.clientId).not.toBe(isMatched ? null : body.lead.clientId);
  });
});

describe('a key with fields of unexpected types', () => {
  const odd = Decimal128.fromString('0.5');

  it.each([{ rps: odd, burst: odd }, { rps: 'many', burst: -1 }, 'none'])(
    'uses the limit of the service instead of %j',
    async (rateLimit) => {
      await changeKey({ rateLimit });
      for (let count = 0; count < 5; count++) {
        await tenant.post('/leads', { name: 'Mona' }).expect(201);
      }
    },
  );

  const noTimes = [true, 'yes', 5, {}, '99999999999999', 1e18, Decimal128.fromString('1E30')];
  it.each(noTimes)('is revoked when revokedAt is %j', async (revokedAt) => {
    await changeKey({ revokedAt });
    await tenant.post('/leads', { name: 'Mona' }).expect(401);
  });
});

describe('a request', () => {
  it.each([
    ['organizations', { apiDomain: 5 }],
    ['apiKeys', { lastUsedAt: 'now' }],
  ])('succeeds with %s that have %j', async (collection, $set) => {
    const { organizationId } = tenant;
    const filter = collection === 'organizations' ? { _id: organizationId } : { organizationId };
    await change(collection, filter, $set);
    await tenant.get('/compounds').expect(200);
  });
});

describe('a lead with a blank name', () => {
  it.each([' ', '\t\n', '\u00a0\u3000'])('gets no client when the name is %j', async (name) => {
    const blank = { recordSystemId: 'a', data: { name } };
    const { body } = await tenant.post('/leads', blank).expect(201);
    expect(body.lead).toMatchObject({ clientId: null, data: { name } });
    expect(await tenant.stored('clients')).toEqual([]);
    await tenant.post('/leads', { recordSystemId: 'a', name: 'Mona', phoneNumber }).expect(200);
    await tenant.post('/leads', blank).expect(200);
    expect(await tenant.stored('clients')).toMatchObject([{ name: 'Mona' }]);
  });
});
