import { describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { addCompound, addTenant, type Tenant } from '../support/builders.js';
import { sharedService } from '../support/shared-service.js';

const service = sharedService();
let tenant: Tenant;

const post = (body: object) => service.api('post', '/leads').set('api-key', tenant.key).send(body);
const all = (collection: string) =>
  service.db
    .collection(collection)
    .find({ organizationId: tenant.organizationId })
    .sort({ _id: 1 })
    .toArray();

describe('the change log of a lead', () => {
  it('has an entry with the changes for each create, update and delete', async () => {
    tenant = await addTenant(service.db);
    const compound = await addCompound(service.db, tenant.organizationId, { 'en-us': 'Lake' });
    const created = await post({
      recordSystemId: 'a',
      name: 'Mona',
      data: { tags: ['x'], 'dotted.key': 1 },
      additionalData: { utm: 'n' },
    });
    const { _id, clientId } = created.body.lead;
    await post({
      recordSystemId: 'a',
      email: 'm@example.com',
      data: { tags: ['x'] },
      project: 'Lake',
    });
    await post({ recordSystemId: 'a', data: { name: null }, additionalData: { utm: { s: 1 } } });
    await post({ recordSystemId: 'a', data: { name: null, tags: ['x'] } });
    await service.api('delete', '/leads/a').set('api-key', tenant.key).expect(200);
    const entries = await all('changeLogs');
    const key = await service.db
      .collection('apiKeys')
      .findOne({ organizationId: tenant.organizationId });
    const common = {
      _id: expect.any(ObjectId),
      organizationId: tenant.organizationId,
      entity: 'Lead',
      entityId: new ObjectId(_id as string),
      modifier: 'External API',
      source: 'API',
      requestId: expect.any(String),
      apiKeyId: key?._id,
      createdAt: expect.any(Date),
      updatedAt: expect.any(Date),
    };
    expect(entries).toEqual([
      {
        ...common,
        context: 'External Lead Create',
        changes: [
          { field: 'data.name', from: null, to: 'Mona' },
          { field: 'data.tags', from: null, to: ['x'] },
          { field: 'data.dotted.key', from: null, to: 1 },
          { field: 'additionalData.utm', from: null, to: 'n' },
          { field: 'clientId', from: null, to: clientId },
        ],
      },
      {
        ...common,
        context: 'External Lead Update',
        changes: [
          { field: 'data.email', from: null, to: 'm@example.com' },
          { field: 'data.project', from: null, to: 'Lake' },
          { field: 'compoundsIds', from: [], to: [compound.toHexString()] },
        ],
      },
      {
        ...common,
        context: 'External Lead Update',
        changes: [
          { field: 'data.name', from: 'Mona', to: null },
          { field: 'additionalData.utm', from: 'n', to: { s: 1 } },
        ],
      },
      { ...common, context: 'External Lead Update', changes: [] },
      {
        ...common,
        context: 'External Lead Delete',
        changes: [{ field: 'isDeleted', from: false, to: true }],
      },
    ]);
  });
});

describe('the outbox and the change log', () => {
  it('have an entry for each change of a lead and its client only', async () => {
    tenant = await addTenant(service.db);
    const created = await post({ recordSystemId: 'a', name: 'Mona', phoneNumber: '01001234567' });
    const updated = await post({ recordSystemId: 'a', name: 'Mona El Sayed' });
    await post({ recordSystemId: 'a', name: 'Mona El Sayed' }).expect(200);
    await post({ name: 'Twin', phoneNumber: '+201001234567' }).expect(400);
    await service.api('delete', '/leads/a').set('api-key', tenant.key).expect(200);
    const { clientId } = created.body.lead;
    const client = { _id: clientId, phoneNumbers: ['+201001234567'] };
    const change = { from: 'Mona', to: 'Mona El Sayed' };
    const events = (await all('outboxEvents')).map(({ type, data, changes }) => ({
      type,
      data,
      ...(changes ? { changes } : {}),
    }));
    const times = { createdAt: expect.any(String), updatedAt: expect.any(String) };
    expect(events).toEqual([
      { type: 'client.created', data: { ...client, name: 'Mona', ...times } },
      { type: 'lead.created', data: created.body.lead },
      {
        type: 'client.updated',
        data: { ...client, name: 'Mona El Sayed', ...times },
        changes: [{ field: 'name', ...change }],
      },
      {
        type: 'lead.updated',
        data: updated.body.lead,
        changes: [{ field: 'data.name', ...change }],
      },
      { type: 'lead.deleted', data: updated.body.lead },
    ]);
  });

  it('keep 0 when -0 is sent', async () => {
    tenant = await addTenant(service.db);
    for (const zero of ['-0', '0']) {
      await service
        .api('post', '/leads')
        .set({ 'api-key': tenant.key, 'content-type': 'application/json' })
        .send(`{"recordSystemId":"zero","data":{"balance":${zero},"list":[${zero}]}}`);
    }
    expect((await all('changeLogs')).at(-1)).toMatchObject({
      context: 'External Lead Update',
      changes: [],
    });
  });
});
