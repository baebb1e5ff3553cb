import { beforeAll, describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { addLead, addTenant, type Tenant } from '../../support/builders.js';
import { sharedService } from '../../support/shared-service.js';

const service = sharedService();
let tenant: Tenant;

beforeAll(async () => {
  tenant = await addTenant(service.db);
});

const post = (body: object, key = tenant.key) =>
  service.api('post', '/leads').set('api-key', key).send(body);
describe('POST /leads', () => {
  it('returns 201 with the whole lead as lead and newLead', async () => {
    const fresh = await addTenant(service.db);
    const response = await post(
      { recordSystemId: 'whole', name: 'Mona', additionalData: { utm: 'x' } },
      fresh.key,
    ).expect(201);
    expect(response.body).toEqual({
      ok: true,
      operation: 'create',
      lead: {
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
        updatedAt: response.body.lead.createdAt,
      },
      newLead: response.body.lead,
    });
  });

  it('creates a new lead for each empty object', async () => {
    const first = await post({}).expect(201);
    const second = await post({}).expect(201);
    expect(first.body.lead).toMatchObject({ data: {}, additionalData: {}, clientId: null });
    expect(first.body.lead).not.toHaveProperty('recordSystemId');
    expect(second.body.lead.leadId).toBe(first.body.lead.leadId + 1);
  });

  it('updates the lead with the same recordSystemId, merging by top-level key', async () => {
    const created = await post({
      recordSystemId: 'merge',
      data: { name: 'Old', nested: { a: 1, b: 2 }, list: [1, 2], stays: true },
      additionalData: { first: { x: 1 }, stays: 'yes' },
    }).expect(201);
    const updated = await post({
      recordSystemId: 'merge',
      name: 'New',
      data: { nested: { c: 3 }, list: [], added: null },
      additionalData: { first: { y: 2 } },
    }).expect(200);
    expect(updated.body).toMatchObject({ ok: true, operation: 'update' });
    expect(updated.body.newLead).toEqual(updated.body.lead);
    expect(updated.body.lead).toEqual({
      ...created.body.lead,
      data: { name: 'New', nested: { c: 3 }, list: [], stays: true, added: null },
      additionalData: { first: { y: 2 }, stays: 'yes' },
      clientId: updated.body.lead.clientId,
      updatedAt: updated.body.lead.updatedAt,
    });
    expect(Date.parse(updated.body.lead.updatedAt)).toBeGreaterThanOrEqual(
      Date.parse(created.body.lead.updatedAt),
    );
  });

  it('uses the recordSystemId exactly as sent', async () => {
    const ids = ['Case', 'case', ' case', 'case ', 'cáse', 'ca\u0301se', '0', 'null', '{"$ne":1}'];
    for (const recordSystemId of ids) await post({ recordSystemId }).expect(201);
    for (const recordSystemId of ids) {
      const { body } = await post({ recordSystemId }).expect(200);
      expect(body.lead.recordSystemId).toBe(recordSystemId);
    }
  });

  it('creates a lead when only another organization has the id', async () => {
    const other = await addTenant(service.db);
    await post({ recordSystemId: 'shared', name: 'Ours' }).expect(201);
    const { body } = await post({ recordSystemId: 'shared', name: 'Theirs' }, other.key).expect(
      201,
    );
    expect(body.lead.leadId).toBe(1);
    const organizationId = { $in: [tenant.organizationId, other.organizationId] };
    const shared = { organizationId, recordSystemId: 'shared' };
    const leads = await service.db.collection('leads').find(shared).toArray();
    expect(leads.map((lead) => lead['data'].name)).toEqual(['Ours', 'Theirs']);
  });

  it('ignores unknown flat keys, including leadSource and compoundsIds', async () => {
    const { body } = await post({
      leadSource: 'flat',
      compoundsIds: [new ObjectId().toHexString()],
      _id: 'x',
      isDeleted: true,
      organizationId: new ObjectId().toHexString(),
      whatever: { a: 1 },
    }).expect(201);
    expect(body.lead).toMatchObject({ data: {}, compoundsIds: [], isDeleted: false });
  });

  it('updates a lead that another program stored with the common fields only', async () => {
    await service.db.collection('leads').insertOne({
      organizationId: tenant.organizationId,
      recordSystemId: 'bare',
      isDeleted: false,
      createdAt: new Date(),
      updatedAt: new Date(),
    });
    const { body } = await post({ recordSystemId: 'bare', name: 'Filled' }).expect(200);
    expect(body.lead).toMatchObject({
      data: { name: 'Filled' },
      additionalData: {},
      isActive: false,
    });
  });
});

describe('the leadId of a new lead', () => {
  it('starts at 1 in each organization and is never reused, even after a deletion', async () => {
    const fresh = await addTenant(service.db);
    const number = async (recordSystemId: string) =>
      (await post({ recordSystemId }, fresh.key)).body.lead.leadId as number;
    expect([await number('a'), await number('b')]).toEqual([1, 2]);
    await service.api('delete', '/leads/b').set('api-key', fresh.key).expect(200);
    expect(await number('b')).toBe(3);
    expect(await number('a')).toBe(1);
  });

  it('skips numbers used by another program', async () => {
    const fresh = await addTenant(service.db);
    for (const leadId of [1, 2, 4, 50]) await addLead(service.db, fresh.organizationId, { leadId });
    const numbers: number[] = [];
    for (let i = 0; i < 3; i++) numbers.push((await post({}, fresh.key)).body.lead.leadId);
    expect(numbers).toEqual([3, 5, 6]);
  });
});
