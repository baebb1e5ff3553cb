import { describe, expect, it } from '@jest/globals';
import { addClient, addLead, addTenant, type Tenant } from '../../support/builders.js';
import { sharedService } from '../../support/shared-service.js';

const service = sharedService();

const post = (tenant: Tenant, body: object) =>
  service.api('post', '/leads').set('api-key', tenant.key).send(body);
const clientIdOf = async (tenant: Tenant, body: object) =>
  (await post(tenant, body)).body.lead.clientId as string | null;
const clientsOf = (tenant: Tenant) =>
  service.db
    .collection('clients')
    .find({ organizationId: tenant.organizationId })
    .sort({ createdAt: 1 })
    .toArray();
const settings = (clients: object, allowConflictLeads = true) => ({
  settings: { allowConflictLeads, clients },
});

describe('the client of a lead', () => {
  it('is created with its contact, with valid phones as E.164', async () => {
    const tenant = await addTenant(service.db);
    const phones = { phoneNumber: '0100 123 4567', phoneNumber2: 'ext. 98765' };
    const id = await clientIdOf(tenant, { name: 'Mona', email: 'Mona@Example.com', ...phones });
    const [client] = await clientsOf(tenant);
    expect(client).toMatchObject({
      organizationId: tenant.organizationId,
      name: 'Mona',
      email: 'Mona@Example.com',
      phoneNumbers: ['+201001234567', '+2098765'],
      isDeleted: false,
      createdAt: expect.any(Date),
    });
    expect(client?._id.toHexString()).toBe(id);
  });

  it('is null without name, phone and email', async () => {
    const tenant = await addTenant(service.db);
    expect(await clientIdOf(tenant, { data: { name: '', email: null, budget: 1 } })).toBeNull();
    expect(await clientsOf(tenant)).toEqual([]);
  });

  it('is matched by phone first, then by email in any case', async () => {
    const tenant = await addTenant(service.db, settings({}));
    const add = (fields: object) => addClient(service.db, tenant.organizationId, fields);
    const byEmail = await add({ email: 'MONA@example.com' });
    const byPhone = await add({ phoneNumbers: ['01001234567'] });
    const contact = { email: 'mona@example.com', phoneNumber: '+201001234567' };
    expect(await clientIdOf(tenant, contact)).toBe(byPhone.toHexString());
    expect(await clientIdOf(tenant, { email: 'mona@EXAMPLE.com' })).toBe(byEmail.toHexString());
  });

  it('is matched in the order of matchBy', async () => {
    const tenant = await addTenant(service.db, settings({ matchBy: ['email', 'phone'] }));
    const add = (fields: object) => addClient(service.db, tenant.organizationId, fields);
    const byEmail = await add({ email: 'mona@example.com' });
    await add({ phoneNumbers: ['+201001234567'] });
    const contact = { email: 'mona@example.com', phoneNumber: '+201001234567' };
    expect(await clientIdOf(tenant, contact)).toBe(byEmail.toHexString());
  });

  it('is never matched when it is deleted or of another organization', async () => {
    const [tenant, other] = [await addTenant(service.db), await addTenant(service.db)];
    const contact = { email: 'a@example.com' };
    await addClient(service.db, other.organizationId, contact);
    await addClient(service.db, tenant.organizationId, { ...contact, isDeleted: true });
    const id = await clientIdOf(tenant, contact);
    expect((await clientsOf(tenant)).at(-1)?._id.toHexString()).toBe(id);
    expect(await clientsOf(tenant)).toHaveLength(2);
  });

  it('gets name, email and new phones when matched', async () => {
    const tenant = await addTenant(service.db, settings({}));
    const phoneNumbers = ['+201001234567', '01000000009'];
    await addClient(service.db, tenant.organizationId, {
      name: 'Old',
      email: 'o@e.com',
      phoneNumbers,
    });
    const phones = { phoneNumber: '01001234567', phoneNumber2: '01000000001' };
    await post(tenant, { name: 'New', ...phones }).expect(201);
    await post(tenant, { email: 'n@example.com', phoneNumber: '01000000009' }).expect(201);
    expect(await clientsOf(tenant)).toMatchObject([
      { name: 'New', email: 'n@example.com', phoneNumbers: [...phoneNumbers, '+201000000001'] },
    ]);
  });

  it('keeps its values without updateExisting', async () => {
    const tenant = await addTenant(service.db, settings({ updateExisting: false }));
    const client = { name: 'Old', phoneNumbers: ['+201001234567'] };
    const id = await addClient(service.db, tenant.organizationId, client);
    const body = { name: 'New', phoneNumber: '01001234567', recordSystemId: 'a' };
    expect(await clientIdOf(tenant, body)).toBe(id.toHexString());
    await post(tenant, { recordSystemId: 'a', name: 'Newer' }).expect(200);
    expect(await clientsOf(tenant)).toMatchObject([client]);
  });

  it('is not created without createFromLeads', async () => {
    const tenant = await addTenant(service.db, settings({ createFromLeads: false }));
    expect(await clientIdOf(tenant, { name: 'Mona', phoneNumber: '01001234567' })).toBeNull();
    expect(await clientsOf(tenant)).toEqual([]);
  });

  it('stays linked and gets the sent values when the lead changes', async () => {
    const tenant = await addTenant(service.db, settings({}));
    const first = await clientIdOf(tenant, {
      recordSystemId: 'a',
      name: 'A',
      email: 'a@example.com',
    });
    await addClient(service.db, tenant.organizationId, { name: 'B', email: 'b@example.com' });
    await service.db
      .collection('clients')
      .updateOne(
        { organizationId: tenant.organizationId, name: 'A' },
        { $set: { name: 'Corrected' } },
      );
    expect(await clientIdOf(tenant, { recordSystemId: 'a', email: 'c@example.com' })).toBe(first);
    expect(await clientsOf(tenant)).toMatchObject([
      { name: 'Corrected', email: 'c@example.com' },
      { name: 'B', email: 'b@example.com' },
    ]);
  });

  it('gets no email of another client, in any case or form', async () => {
    const tenant = await addTenant(service.db, settings({}));
    await addClient(service.db, tenant.organizationId, { name: 'B', email: 'élan@example.com' });
    const lead = { recordSystemId: 'a', email: 'a@example.com' };
    const first = await clientIdOf(tenant, { ...lead, name: 'A' });
    for (const email of ['élan@example.com', 'E\u0301LAN@example.com']) {
      const { body } = await post(tenant, { ...lead, email, name: 'Mona' }).expect(200);
      expect(body.lead).toMatchObject({ clientId: first, data: { email } });
    }
    expect(await clientsOf(tenant)).toMatchObject([
      { name: 'B', email: 'élan@example.com' },
      { name: 'Mona', email: 'a@example.com' },
    ]);
    const { organizationId } = tenant;
    const updates = { organizationId, type: 'client.updated' };
    const events = await service.db.collection('outboxEvents').find(updates).toArray();
    expect(events.map(({ changes }) => changes as unknown)).toEqual([
      [{ field: 'name', from: 'A', to: 'Mona' }],
    ]);
    // Its own email may be written in another way.
    await post(tenant, { ...lead, email: 'A@Example.com' }).expect(200);
    expect((await clientsOf(tenant))[1]).toMatchObject({ email: 'A@Example.com' });
  });

  it.each([
    ['straße@example.com', 'STRASSE@example.com'],
    ['jos\u00e9@example.com', 'JOSE\u0301@example.com'],
    ['ΟΔΥΣΣΕΥΣ@example.com', 'οδυσσευς@example.com'],
    ['თბილისი@example.com', 'ᲗᲑᲘᲚᲘᲡᲘ@example.com'],
  ])('is matched by %p and %p as one email', async (one, other) => {
    const tenant = await addTenant(service.db, settings({}));
    const id = await clientIdOf(tenant, { email: one });
    expect(await clientIdOf(tenant, { email: other })).toBe(id);
    expect(await clientIdOf(tenant, { email: one })).toBe(id);
  });

  it.each([
    ['jose@example.com', 'josé@example.com'],
    ['mike@example.com', 'mıke@example.com'],
    ['strase@example.com', 'straße@example.com'],
  ])('is not matched by %p and %p as one email', async (one, other) => {
    const tenant = await addTenant(service.db, settings({}));
    const id = await clientIdOf(tenant, { email: one });
    expect(await clientIdOf(tenant, { email: other })).not.toBe(id);
  });

  it.each([
    ['eg', '0100 123 4567', '+201001234567'],
    [' sa', '050 123 4567', '+966501234567'],
    ['UK', '0100 123 4567', '+201001234567'],
  ])('has E.164 phones when the stored phone country is %p', async (phoneCountry, phone, e164) => {
    const tenant = await addTenant(service.db, { settings: { phoneCountry } });
    await post(tenant, { phoneNumber: phone }).expect(201);
    expect(await clientsOf(tenant)).toMatchObject([{ phoneNumbers: [e164] }]);
    await post(tenant, { phoneNumber: e164 }).expect(400);
  });

  it('is matched only by the known fields of matchBy', async () => {
    const tenant = await addTenant(service.db, settings({ matchBy: ['mobile', 'phone'] }));
    await addClient(service.db, tenant.organizationId, { email: 'a@example.com' });
    const lead = { email: 'a@example.com', phoneNumber: '01001234567' };
    const id = await clientIdOf(tenant, lead);
    expect((await clientsOf(tenant))[1]?._id.toHexString()).toBe(id);
  });

  it('is matched by the merged contact when the lead has no client yet', async () => {
    const tenant = await addTenant(service.db);
    const phoneNumbers = ['+201001234567'];
    const id = await addClient(service.db, tenant.organizationId, { phoneNumbers });
    const data = { phoneNumber: '01001234567' };
    await addLead(service.db, tenant.organizationId, { recordSystemId: 'old', data });
    expect(await clientIdOf(tenant, { recordSystemId: 'old', name: 'Mona' })).toBe(
      id.toHexString(),
    );
    expect(await clientsOf(tenant)).toMatchObject([{ name: 'Mona', phoneNumbers }]);
  });

  it('is matched by phoneNumber first and gets no phone of another client', async () => {
    const tenant = await addTenant(service.db, settings({}));
    const phones = ['+201000000001', '+201000000002'];
    const add = (phone = '') =>
      addClient(service.db, tenant.organizationId, { phoneNumbers: [phone] });
    const [, second] = [await add(phones[0]), await add(phones[1])];
    const lead = { recordSystemId: 'a', phoneNumber: '01000000002', phoneNumber2: '01000000001' };
    expect(await clientIdOf(tenant, lead)).toBe(second.toHexString());
    expect(await clientIdOf(tenant, lead)).toBe(second.toHexString());
    const numbers = (await clientsOf(tenant)).map((client) => client['phoneNumbers'] as string[]);
    expect(numbers).toEqual(phones.map((phone) => [phone]));
  });

  it('has at most 100 phones, and its events list the added phones', async () => {
    const tenant = await addTenant(service.db, settings({}));
    const phoneNumbers = Array.from({ length: 99 }, (_, index) => `+2010000001${index + 100}`);
    await addClient(service.db, tenant.organizationId, { email: 'a@example.com', phoneNumbers });
    const phones = { phoneNumber: '01000000001', phoneNumber2: '01000000002' };
    await post(tenant, { email: 'a@example.com', ...phones }).expect(201);
    await post(tenant, { email: 'a@example.com', phoneNumber: '01000000003' }).expect(201);
    const all = [...phoneNumbers, '+201000000001'];
    const [client] = await clientsOf(tenant);
    expect(client?.['phoneNumbers']).toEqual(all);
    const { organizationId } = tenant;
    const type = 'client.updated';
    const events = await service.db
      .collection('outboxEvents')
      .find({ organizationId, type })
      .toArray();
    const changes = [{ field: 'phoneNumbers', added: ['+201000000001'] }];
    expect(events).toMatchObject([{ data: { phoneNumbers: all }, changes }]);
  });

  it('is linked even when another program made it too large for events', async () => {
    const tenant = await addTenant(service.db, settings({}));
    const phoneNumbers = Array.from({ length: 7 }, (_, index) => `${index}`.repeat(950_000));
    await addClient(service.db, tenant.organizationId, { email: 'a@example.com', phoneNumbers });
    await post(tenant, { name: 'Mona', email: 'a@example.com' }).expect(201);
    await post(tenant, { name: 'Mona', email: 'a@example.com', phoneNumber: '01000000001' }).expect(
      201,
    );
  });
});
