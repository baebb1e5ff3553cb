import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Document, ObjectId } from 'mongodb';
import { addCompound, addLead, mayReadEvents } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { sharedService } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';

const service = sharedService();
let tenant: TenantApi;

const day = (number: number) => new Date(Date.UTC(2026, 0, number));
const query = (parameters: Record<string, string>) =>
  `/leads?${new URLSearchParams({ limit: '100', ...parameters }).toString()}`;

/** Returns the external ids of the listed leads. */
async function listed(parameters: Record<string, string>, api = tenant): Promise<string> {
  const { body } = await api.get(query(parameters)).expect(200);
  return body.data.map(({ recordSystemId }: Document) => recordSystemId).join(' ');
}

/** Stores a lead as another program does. */
const add = (recordSystemId: string, fields: Document = {}, api = tenant) =>
  api.add(addLead, { recordSystemId, updatedAt: day(5), ...fields });

beforeAll(async () => {
  tenant = await service.addTenant({ key: mayReadEvents });
});

describe('GET /leads', () => {
  it('lists leads newest first, by pages that a cursor follows', async () => {
    const own = await service.addTenant({ key: mayReadEvents });
    for (const id of ['a', 'b', 'c', 'd', 'e']) await own.post('/leads', { recordSystemId: id });
    const first = await own.get('/leads?limit=2').expect(200);
    expect(first.body.pagination).toMatchObject({ count: 2, limit: 2, pages: 3, total: 5 });
    const { next } = first.body.pagination;
    expect(first.headers).toMatchObject({ 'x-next-cursor': next });
    const second = await own.get(`/leads?limit=2&after=${next}`).expect(200);
    const third = await own.get(`/leads?limit=2&after=${second.body.pagination.next}`);
    const ids = [first, second, third].flatMap(({ body }) =>
      body.data.map(({ recordSystemId }: Document) => recordSystemId),
    );
    expect(ids).toEqual(['e', 'd', 'c', 'b', 'a']);
    expect(third.body.pagination.next).toBeNull();
    expect(third.headers).toHaveProperty('x-updated-as-of');
    expect(await listed({ after: '0' }, own)).toBe('a b c d e');
  });

  it('returns leads as POST does, with an entity tag', async () => {
    const own = await service.addTenant({ key: mayReadEvents });
    const { body } = await own.post('/leads', { recordSystemId: '..', name: 'Mona' });
    const found = await own.get('/leads?recordSystemId=..').expect(200);
    expect(found.body.data).toEqual([body.lead]);
    await own
      .get('/leads?recordSystemId=..')
      .set('if-none-match', found.headers['etag'] ?? '')
      .expect(304);
    expect(await listed({ recordSystemId: 'none' }, own)).toBe('');
  });

  it('shows only ids and times of deleted leads', async () => {
    const own = await service.addTenant({ key: mayReadEvents });
    const { body } = await own.post('/leads', {
      recordSystemId: 'gone',
      name: 'Mona',
      phoneNumber: '01001234567',
    });
    await own.delete('/leads/gone').expect(200);
    await own.post('/leads', { recordSystemId: 'kept' });
    expect(await listed({}, own)).toBe('kept');
    const found = await own.get('/leads?after=0&includeDeleted=1').expect(200);
    const { _id, leadId } = body.lead;
    expect(found.body.data[0]).toEqual({
      _id,
      leadId,
      recordSystemId: 'gone',
      isDeleted: true,
      deletedAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    });
    expect(await listed({ includeDeleted: '1', phone: '01001234567' }, own)).toBe('');
  });

  it('finds changes, and deletions that set only deletedAt', async () => {
    const own = await service.addTenant({ key: mayReadEvents });
    await add('old', { updatedAt: day(1) }, own);
    await add('changed', { updatedAt: day(20) }, own);
    await add('before', { updatedAt: day(15) }, own);
    await add('gone', { updatedAt: day(2), deletedAt: day(16), isDeleted: true }, own);
    const updatedSince = day(15).toISOString();
    expect(await listed({ updatedSince }, own)).toBe('before changed');
    expect(await listed({ updatedSince, includeDeleted: '1' }, own)).toBe('gone before changed');
  });

  it.each([
    ['01001112223', 'phones'],
    ['+20 100 111 2223', 'phones'],
    ['٠١٠٠١١١٢٢٢٣', 'phones'],
    ['00201001112224', 'second'],
    ['01009999999', ''],
  ])('finds the phone %s in any spelling', async (phone, found) => {
    if ((await tenant.count('leads')) === 0) {
      await add('phones', { data: { phoneNumber: '0100 111 2223' } });
      await tenant.post('/leads', { recordSystemId: 'second', phoneNumber2: '01001112224' });
    }
    await eventually(async () => expect(await listed({ phone })).toBe(found));
  });

  it('takes a blank before a phone and within an email for an unescaped plus', async () => {
    const own = await service.addTenant({ key: mayReadEvents });
    const lead = { recordSystemId: 'plus', phoneNumber: '+966501234567', email: 'a+b@example.com' };
    await own.post('/leads', lead).expect(201);
    for (const parameter of ['phone=+966501234567', 'email=a+b@example.com']) {
      const { body } = await own.get(`/leads?${parameter}`).expect(200);
      expect(body.data).toMatchObject([{ recordSystemId: 'plus' }]);
    }
  });

  it('finds emails in any case, immediately also those of other programs', async () => {
    const own = await service.addTenant({ key: mayReadEvents });
    await own.post('/leads', { recordSystemId: 'ours', email: 'Mona.ÉLISE@Example.com' });
    const _id = new ObjectId('000000000000000000000001');
    await add('theirs', { _id, data: { email: 'mona.e\u0301lise@EXAMPLE.COM' } }, own);
    await add('other', { data: { email: 'other@example.com' } }, own);
    await add('deleted', { data: { email: 'mona.élise@example.com' }, isDeleted: true }, own);
    const { headers } = await own.get(query({ email: 'mona.élise@example.com' })).expect(200);
    expect(headers).not.toHaveProperty('x-search-incomplete');
    expect(await listed({ email: 'MONA.élise@example.com' }, own)).toBe('ours theirs');
    // A changed address replaces its key.
    await own.post('/leads', { recordSystemId: 'ours', email: 'new@example.com' }).expect(200);
    expect(await listed({ email: 'mona.élise@example.com' }, own)).toBe('theirs');
    expect(await listed({ email: 'new@example.com' }, own)).toBe('ours');
  });

  it('finds the leads of compounds by slug or id', async () => {
    const own = await service.addTenant({ key: mayReadEvents });
    const palm = await own.add(addCompound, { 'en-us': 'Palm' }, { slug: 'palm' });
    await own.add(addCompound, { 'en-us': 'Nile' }, { slug: 'nile' });
    for (const project of ['Palm', 'Nile', 'Other']) {
      await own.post('/leads', { recordSystemId: project, project });
    }
    expect(await listed({ compound: 'PALM' }, own)).toBe('Palm');
    expect(await listed({ compound: palm.toHexString() }, own)).toBe('Palm');
    expect(await listed({ compound: 'palm,nile' }, own)).toBe('Nile Palm');
    const { body } = await own.get(query({ compound: 'palm,castle' })).expect(400);
    expect(body.message).toEqual(['compound castle does not exist']);
  });

  it('finds leads by source, compared as text', async () => {
    const own = await service.addTenant({ key: mayReadEvents });
    for (const [id, leadSource] of Object.entries({ a: 'Web', b: 5, c: '5', d: true, e: null })) {
      await own.post('/leads', { recordSystemId: id, data: { leadSource } });
    }
    expect(await listed({ leadSource: 'Web' }, own)).toBe('a');
    expect(await listed({ leadSource: '5' }, own)).toBe('c b');
    expect(await listed({ leadSource: 'true' }, own)).toBe('d');
    expect(await listed({ leadSource: 'web' }, own)).toBe('');
  });

  it.each([
    ['page=1', 'page is not a known parameter'],
    ['email=', 'email should not be empty'],
    ['phone=N/A', 'phone must be a phone number with at least 5 digits'],
    ['includeDeleted=yes', 'includeDeleted must be 0 or 1'],
    ['updatedSince=yesterday', expect.stringContaining('updatedSince')],
    ['limit=101', 'limit must not exceed 100'],
  ])('returns 400 for %s', async (parameters, message) => {
    const { body } = await tenant.get(`/leads?${parameters}`).expect(400);
    expect(body.message).toEqual([message]);
  });

  it('refuses a cursor with another filter, of another list or of another organization', async () => {
    const own = await service.addTenant({ key: mayReadEvents });
    for (const id of ['a', 'b']) await own.post('/leads', { recordSystemId: id });
    const { body } = await own.get('/leads?limit=1').expect(200);
    const { next } = body.pagination;
    for (const path of [
      `/leads?limit=1&leadSource=Web&after=${next}`,
      `/reservations?after=${next}`,
    ]) {
      await own.get(path).expect('x-error-code', 'list.cursor_unusable').expect(400);
    }
    await tenant.get(`/leads?limit=1&after=${next}`).expect(400);
  });

  it('lists only leads of the own organization', async () => {
    const [own, other] = [await service.addTenant({ key: mayReadEvents }), tenant];
    await add('foreign', { data: { email: 'same@example.com', leadSource: 'Same' } }, other);
    await add('own', { data: { email: 'same@example.com', leadSource: 'Same' } }, own);
    for (const parameters of [{}, { email: 'same@example.com' }, { leadSource: 'Same' }]) {
      expect(await listed(parameters as Record<string, string>, own)).toBe('own');
    }
  });
});

describe('a page of large leads', () => {
  it('is streamed without an entity tag', async () => {
    const own = await service.addTenant({ key: mayReadEvents });
    for (let count = 0; count < 6; count++) {
      await add(`large-${count}`, { data: { notes: 'x'.repeat(1_000_000) } }, own);
    }
    const { body, headers } = await own.get('/leads?limit=5').expect(200);
    expect(headers).not.toHaveProperty('etag');
    expect(body.data).toHaveLength(5);
    expect(headers).toMatchObject({ 'x-next-cursor': body.pagination.next });
  });
});

describe('a search by email', () => {
  it('compares emails that another program has just changed', async () => {
    const own = await service.addTenant({ key: mayReadEvents });
    await own.post('/leads', { recordSystemId: 'moved', email: 'first@example.com' });
    const $set = { 'data.email': 'Second@example.com', updatedAt: new Date() };
    const { organizationId } = own;
    await service.db.collection('leads').updateOne({ organizationId }, { $set });
    expect(await listed({ email: 'second@example.com' }, own)).toBe('moved');
    expect(await listed({ email: 'first@example.com' }, own)).toBe('');
  });

  it('says when the emails of other programs are not indexed yet', async () => {
    const own = await service.addTenant({ key: mayReadEvents });
    const { organizationId } = own;
    const leads = Array.from({ length: 1_001 }, (_, index) => ({
      _id: new ObjectId(),
      organizationId,
      data: { email: `person${index}@example.com` },
      isDeleted: false,
      createdAt: day(1),
      updatedAt: day(1),
    }));
    // The time keeps the background job from these leads.
    const derived = { phoneKeysAt: day(1), phoneKeysOf: '[3,"EG"]', phoneKeys: [] };
    await service.db.collection('leads').insertMany(leads.map((lead) => ({ ...lead, ...derived })));
    const path = query({ email: 'person1@example.com' });
    await own.get(path).expect('x-search-incomplete', 'email').expect(200);
    await service.db.collection('leads').deleteOne({ _id: leads[0]?._id as ObjectId });
    const { body, headers } = await own.get(path).expect(200);
    expect(body.pagination.total).toBe(1);
    expect(headers).not.toHaveProperty('x-search-incomplete');
  });

  it('uses keys that the background job derives', async () => {
    const own = await service.addTenant({ key: mayReadEvents });
    const id = await own.add(addLead, { data: { email: 'Job@Example.com' } });
    await eventually(async () => {
      const lead = await service.db.collection('leads').findOne({ _id: id });
      expect(lead).toMatchObject({ emailKey: 'job@example.com' });
    });
  });
});
