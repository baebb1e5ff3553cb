import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { addCompound, addLead, mayReadEvents } from '../support/builders.js';
import { rounds } from '../support/rounds.js';
import { sharedService } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';

const service = sharedService();
let tenant: TenantApi;

beforeAll(async () => {
  tenant = await service.addTenant({ key: mayReadEvents });
});

const post = (body: object) => tenant.post('/leads', body);
const pathOf = (id: string) => `/leads/${encodeURIComponent(id)}`;
const notFound = { statusCode: 404, message: 'Lead not found', error: 'Not Found' };

describe('POST /leads', () => {
  it('returns 201 with the whole lead as lead and newLead', async () => {
    const { body } = await (
      await service.addTenant()
    )
      .post('/leads', { recordSystemId: 'whole', name: 'Mona', additionalData: { utm: 'x' } })
      .expect(201);
    const { lead } = body;
    expect(body).toEqual({ ok: true, operation: 'create', lead, newLead: lead });
    expect(lead).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      leadId: 1,
      recordSystemId: 'whole',
      compoundsIds: [],
      data: { name: 'Mona' },
      additionalData: { utm: 'x' },
      clientId: expect.stringMatching(/^[0-9a-f]{24}$/),
      assignedToId: null,
      parentId: null,
      isActive: true,
      isDeleted: false,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      updatedAt: lead.createdAt,
    });
  });

  it('creates a new lead for each empty object', async () => {
    const [first, second] = [await post({}).expect(201), await post({}).expect(201)];
    expect(first.body.lead).toMatchObject({ data: {}, additionalData: {}, clientId: null });
    expect(first.body.lead).not.toHaveProperty('recordSystemId');
    expect(second.body.lead.leadId).toBe(first.body.lead.leadId + 1);
  });

  it('updates the lead with the same recordSystemId, merging by top-level key', async () => {
    const created = await post({
      recordSystemId: 'merge',
      data: { name: 'Old', nested: { a: 1, b: 2 }, list: [1, 2], stays: true },
      additionalData: { first: { x: 1 }, stays: 'yes' },
    });
    const { body } = await post({
      recordSystemId: 'merge',
      name: 'New',
      data: { nested: { c: 3 }, list: [], added: null },
      additionalData: { first: { y: 2 } },
    }).expect(200);
    const { lead } = body;
    expect(body).toEqual({ ok: true, operation: 'update', lead, newLead: lead });
    expect(lead).toEqual({
      ...created.body.lead,
      data: { name: 'New', nested: { c: 3 }, list: [], stays: true, added: null },
      additionalData: { first: { y: 2 }, stays: 'yes' },
      clientId: lead.clientId,
      updatedAt: lead.updatedAt,
    });
    expect(lead.updatedAt >= created.body.lead.updatedAt).toBe(true);
  });

  it('compares recordSystemId exactly as sent', async () => {
    const ids = ['Case', 'case', ' case', 'case ', 'cáse', 'ca\u0301se', '0', 'null', '{"$ne":1}'];
    for (const recordSystemId of ids) await post({ recordSystemId }).expect(201);
    for (const recordSystemId of ids) await post({ recordSystemId }).expect(200);
  });

  it('ignores unknown flat keys, including leadSource and compoundsIds', async () => {
    const id = new ObjectId().toHexString();
    const ignored = { leadSource: 'flat', compoundsIds: [id], _id: 'x', isDeleted: true };
    const { body } = await post({ ...ignored, organizationId: id, whatever: { a: 1 } });
    expect(body.lead).toMatchObject({ data: {}, compoundsIds: [], isDeleted: false });
  });

  it('updates a lead that another program stored with the common fields only', async () => {
    const { organizationId } = tenant;
    const [createdAt, updatedAt] = [new Date(), new Date()];
    const bare = { organizationId, recordSystemId: 'bare', isDeleted: false, createdAt, updatedAt };
    await service.db.collection('leads').insertOne(bare);
    const { body } = await post({ recordSystemId: 'bare', name: 'Filled' }).expect(200);
    const filled = { data: { name: 'Filled' }, additionalData: {}, isActive: false };
    expect(body.lead).toMatchObject(filled);
  });

  it('numbers leads from 1 and skips numbers used by another program', async () => {
    const fresh = await service.addTenant();
    for (const leadId of [1, 2, 4, 50]) await fresh.add(addLead, { leadId });
    const numbers: number[] = [];
    for (let i = 0; i < 3; i++) numbers.push((await fresh.post('/leads', {})).body.lead.leadId);
    expect(numbers).toEqual([3, 5, 6]);
  });
});

describe('GET and DELETE /leads/:recordSystemId', () => {
  it('return the lead with any id, which GET /leads?recordSystemId= also finds', async () => {
    const ids = fc.oneof(
      fc.constantFrom('.', '..', '../x', './.', '%2e%2e', '100%25 %2F', 'a?b#c+d e', '&=?#', '[]'),
      fc.constantFrom('عميل ١', 'lead-🏠👨‍👩‍👧', 'a/b//c', 'a,b', '\\', '+', ' '),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }).filter((id) => !id.includes('\0')),
    );
    await fc.assert(
      fc.asyncProperty(ids, async (id) => {
        const { body } = await post({ recordSystemId: id, name: 'Mona' }).expect(201);
        const found = await tenant.get(`/leads?recordSystemId=${encodeURIComponent(id)}`);
        expect(found.body.data).toEqual([body.lead]);
        expect(found.body.data[0].recordSystemId).toBe(id);
        const byPath = await tenant.get(pathOf(id)).expect(200);
        expect(byPath.body).toEqual({ ok: true, lead: body.lead });
        const deleted = await tenant.delete(pathOf(id)).expect(200);
        expect(deleted.body).toEqual({ ok: true, operation: 'delete', lead: body.lead });
      }),
      {
        numRuns: rounds(60, 1_000),
        examples: [['x/🏠%'.repeat(200)], ['ع'.repeat(1_024)], ['🏠'.repeat(1_024)], ['..']],
      },
    );
  });

  it('return 404 when only another organization has the lead', async () => {
    const { key } = await service.addTenant();
    await post({ recordSystemId: 'ours' }).expect(201);
    const theirs = tenant.with(key);
    expect((await theirs.get('/leads/ours').expect(404)).body).toEqual(notFound);
    expect((await theirs.delete('/leads/ours').expect(404)).body).toEqual(notFound);
    await theirs.post('/leads', { recordSystemId: 'ours' }).expect(201);
    await tenant.get('/leads/ours').expect(200);
  });

  it('soft-delete the lead once, after which a POST creates a new one', async () => {
    const { body } = await post({ recordSystemId: 'gone', name: 'Old' });
    await tenant.delete('/leads/gone').expect(200);
    const { leadId } = body.lead;
    const [stored] = await tenant.stored('leads', { recordSystemId: 'gone' });
    const deleted = { isDeleted: true, deletedAt: expect.any(Date), isActive: true, leadId };
    expect(stored).toMatchObject(deleted);
    expect((await tenant.delete('/leads/gone').expect(404)).body).toEqual(notFound);
    expect((await tenant.get('/leads/gone').expect(404)).body).toEqual(notFound);
    const again = await post({ recordSystemId: 'gone', email: 'new@example.com' }).expect(201);
    expect(again.body.lead).toMatchObject({ leadId: leadId + 1 });
    expect(again.body.lead.data).toEqual({ email: 'new@example.com' });
  });

  it('reject invalid percent-encoding', async () => {
    const path = '/leads/%E0%A4%A';
    const { body, headers } = await tenant.get(path).set('language', 'ar-eg').expect(400);
    expect(headers).toMatchObject({ 'content-language': 'ar-eg' });
    const message = 'الطلب غير سليم: أرسل HTTP صالحًا بمسار مرمّز بترميز النسبة المئوية';
    expect(body).toEqual({ statusCode: 400, message, error: 'Bad Request' });
  });

  it.each(['application/json', 'application/x-www-form-urlencoded', 'text/plain', '?'])(
    'accept the content type %s on DELETE without a body',
    async (type) => {
      await post({ recordSystemId: 'typed' }).expect(201);
      await tenant.delete('/leads/typed').set('content-type', type).expect(200);
    },
  );
});

describe('the change log and the events', () => {
  it('have an entry for each change of a lead and its client only', async () => {
    const { add, delete: remove, post: send, stored, storedOne } = await service.addTenant();
    const compound = (await add(addCompound, { 'en-us': 'Lake' })).toHexString();
    const upsert = async (fields: object) => {
      const { body } = await send('/leads', { recordSystemId: 'a', ...fields });
      return body.lead as Record<string, unknown>;
    };
    const phoneNumber = '01001234567';
    const data = { tags: ['x'], 'dotted.key': 1 };
    const created = await upsert({ name: 'Mona', phoneNumber, data, additionalData: { utm: 'n' } });
    const renamed = await upsert({ name: 'Nora', data: { tags: ['x'] }, project: 'Lake' });
    const last = await upsert({ data: { name: null }, additionalData: { utm: { s: 1 } } });
    expect(await upsert({ data: { name: null, tags: ['x'] } })).toEqual(last);
    await send('/leads', { name: 'Twin', phoneNumber: '+201001234567' }).expect(400);
    await remove('/leads/a').expect(200);

    const entries = await stored('changeLogs');
    const { _id: apiKeyId } = await storedOne('apiKeys');
    const { clientId } = created;
    const changes = {
      renamed: [
        { field: 'data.name', from: 'Mona', to: 'Nora' },
        { field: 'data.project', from: null, to: 'Lake' },
        { field: 'compoundsIds', from: [], to: [compound] },
      ],
      last: [
        { field: 'data.name', from: 'Nora', to: null },
        { field: 'additionalData.utm', from: 'n', to: { s: 1 } },
      ],
    };
    expect(entries.map((entry) => [entry['context'], entry['changes']] as unknown)).toEqual([
      [
        'External Lead Create',
        [
          { field: 'data.name', from: null, to: 'Mona' },
          { field: 'data.phoneNumber', from: null, to: phoneNumber },
          { field: 'data.tags', from: null, to: ['x'] },
          { field: 'data.dotted.key', from: null, to: 1 },
          { field: 'additionalData.utm', from: null, to: 'n' },
          { field: 'clientId', from: null, to: clientId },
        ],
      ],
      ['External Lead Update', changes.renamed],
      ['External Lead Update', changes.last],
      ['External Lead Update', []],
      ['External Lead Delete', [{ field: 'isDeleted', from: false, to: true }]],
    ]);
    const common = { entity: 'Lead', modifier: 'External API', source: 'API', apiKeyId };
    for (const { entityId, ...entry } of entries) {
      expect(String(entityId)).toBe(created['_id']);
      expect(entry).toMatchObject({ ...common, requestId: expect.any(String) });
      expect(entry).toMatchObject({ createdAt: expect.any(Date), updatedAt: expect.any(Date) });
    }
    const client = { _id: clientId, phoneNumbers: ['+201001234567'] };
    const times = { createdAt: expect.any(String), updatedAt: expect.any(String) };
    const rename = [{ field: 'name', from: 'Mona', to: 'Nora' }];
    const events = await stored('outboxEvents');
    expect(events.map((event) => [event['type'], event['data'], event['changes']])).toEqual([
      ['client.created', { ...client, name: 'Mona', ...times }, undefined],
      ['lead.created', created, undefined],
      ['client.updated', { ...client, name: 'Nora', ...times }, rename],
      ['lead.updated', renamed, changes.renamed],
      ['lead.updated', last, changes.last],
      ['lead.deleted', last, undefined],
    ]);
  });

  it('record no change when 0 is sent after -0', async () => {
    const { post: send, stored } = await service.addTenant();
    for (const zero of ['-0', '0']) {
      const text = `{"recordSystemId":"zero","data":{"balance":${zero},"list":[${zero}]}}`;
      await send('/leads').set('content-type', 'application/json').send(text);
    }
    const update = { context: 'External Lead Update', changes: [] };
    expect((await stored('changeLogs')).at(-1)).toMatchObject(update);
  });
});
