import { describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { addClient, addLead } from '../../support/builders.js';
import { sharedService } from '../../support/shared-service.js';

const service = sharedService();

/** Adds a tenant with these client settings, whose leads may share phones. */
async function addTenant(settings: object = {}, fields: object = { allowConflictLeads: true }) {
  const tenant = await service.addTenant({ settings: { ...fields, clients: settings } });
  const post = (body: object) => tenant.post('/leads', body);
  return {
    ...tenant,
    post,
    clientIdOf: async (body: object) => (await post(body)).body.lead.clientId as string | null,
    /** Returns the clients, oldest first. */
    clients: async () =>
      (await tenant.stored('clients')).toSorted(
        (one, other) => Number(one['createdAt']) - Number(other['createdAt']),
      ),
    /** Writes clients as another program does, and returns their ids. */
    addClients: async (...added: object[]) => {
      const ids: string[] = [];
      for (const each of added) ids.push((await tenant.add(addClient, each)).toHexString());
      return ids;
    },
  };
}

const phoneNumber = '01001234567';
const e164 = '+201001234567';

describe('POST /leads with a contact', () => {
  it('creates a client with valid phones as E.164', async () => {
    const { clientIdOf, clients, organizationId } = await addTenant();
    const contact = { name: 'Mona', email: 'Mona@Example.com' };
    const phones = { phoneNumber: '0100 123 4567', phoneNumber2: 'ext. 98765' };
    const id = await clientIdOf({ ...contact, ...phones });
    const phoneNumbers = [e164, '+2098765'];
    const created = { organizationId, ...contact, phoneNumbers, isDeleted: false };
    expect(await clients()).toMatchObject([{ ...created, createdAt: expect.any(Date) }]);
    expect(String((await clients())[0]?.['_id'])).toBe(id);
  });

  it.each([
    ['without name, phone and email', {}, { data: { name: '', email: null, budget: 1 } }],
    ['without createFromLeads', { createFromLeads: false }, { name: 'Mona', phoneNumber }],
  ])('creates no client %s', async (_title, settings, lead) => {
    const { clientIdOf, clients } = await addTenant(settings);
    expect(await clientIdOf(lead)).toBeNull();
    expect(await clients()).toEqual([]);
  });

  const email = 'mona@example.com';
  const byEmail = { email: 'MONA@example.com' };
  const byPhone = { phoneNumbers: [phoneNumber] };
  const bothPhones = { phoneNumber: '01000000002', phoneNumber2: '01000000001' };
  const twoClients = [{ phoneNumbers: ['+201000000001'] }, { phoneNumbers: ['+201000000002'] }];

  it.each<[string, string[] | undefined, object[], object, number]>([
    ['phone before email', undefined, [byEmail, byPhone], { email, phoneNumber: e164 }, 1],
    ['email in any case', undefined, [byEmail, byPhone], { email: 'mona@EXAMPLE.com' }, 0],
    ['matchBy in its order', ['email', 'phone'], [byEmail, byPhone], { email, phoneNumber }, 0],
    ['phoneNumber before phoneNumber2', undefined, twoClients, bothPhones, 1],
    ['known fields of matchBy', ['mobile', 'phone'], [byEmail], { email, phoneNumber }, -1],
    ['active email only', undefined, [{ email, isDeleted: true }], { email }, -1],
  ])('matches a client by %s', async (_title, matchBy, stored, lead, index) => {
    const { addClients, clientIdOf, clients } = await addTenant(matchBy && { matchBy });
    const ids = await addClients(...stored);
    const id = await clientIdOf({ recordSystemId: 'a', ...lead });
    expect(ids.indexOf(String(id))).toBe(index);
    expect(await clients()).toHaveLength(stored.length + (index < 0 ? 1 : 0));
    expect(await clientIdOf({ recordSystemId: 'a', ...lead })).toBe(id);
  });

  it('matches no client of another organization', async () => {
    const [{ addClients }, { clientIdOf }] = [await addTenant(), await addTenant()];
    expect(await clientIdOf({ email })).not.toBe((await addClients({ email }))[0]);
  });

  it.each([
    ['straße@example.com', 'STRASSE@example.com', true],
    ['jos\u00e9@example.com', 'JOSE\u0301@example.com', true],
    ['ΟΔΥΣΣΕΥΣ@example.com', 'οδυσσευς@example.com', true],
    ['თბილისი@example.com', 'ᲗᲑᲘᲚᲘᲡᲘ@example.com', true],
    ['jose@example.com', 'josé@example.com', false],
    ['mike@example.com', 'mıke@example.com', false],
    ['strase@example.com', 'straße@example.com', false],
  ])('treats %p and %p as the same email: %p', async (one, other, isSame) => {
    const { clientIdOf } = await addTenant();
    const id = await clientIdOf({ email: one });
    expect((await clientIdOf({ email: other })) === id).toBe(isSame);
    expect(await clientIdOf({ email: one })).toBe(id);
  });

  it.each([
    ['eg', '0100 123 4567', e164],
    [' sa', '050 123 4567', '+966501234567'],
    ['UK', '0100 123 4567', e164],
  ])('stores E.164 when the stored phone country is %p', async (phoneCountry, phone, stored) => {
    const { post, clients } = await addTenant({}, { phoneCountry });
    await post({ phoneNumber: phone }).expect(201);
    expect(await clients()).toMatchObject([{ phoneNumbers: [stored] }]);
    await post({ phoneNumber: stored }).expect(400);
  });

  it('matches by the merged contact when the lead has no client yet', async () => {
    const { add, addClients, clientIdOf, clients } = await addTenant();
    const [id] = await addClients({ phoneNumbers: [e164] });
    await add(addLead, { recordSystemId: 'old', data: { phoneNumber } });
    expect(await clientIdOf({ recordSystemId: 'old', name: 'Mona' })).toBe(id);
    expect(await clients()).toMatchObject([{ name: 'Mona', phoneNumbers: [e164] }]);
  });

  it('keeps the client of a lead and updates it with the sent values only', async () => {
    const { addClients, clientIdOf, clients, set } = await addTenant();
    const first = await clientIdOf({ recordSystemId: 'a', name: 'A', email: 'a@example.com' });
    await addClients({ name: 'B', email: 'b@example.com' });
    await set('clients', { name: 'A' }, { name: 'Corrected' });
    expect(await clientIdOf({ recordSystemId: 'a', email: 'c@example.com' })).toBe(first);
    expect(await clients()).toMatchObject([
      { name: 'Corrected', email: 'c@example.com' },
      { name: 'B', email: 'b@example.com' },
    ]);
  });
});

describe('POST /leads for a lead whose client was deleted', () => {
  const lead = { recordSystemId: 'a', name: 'Mona', phoneNumber, email: 'mona@example.com' };
  const updates = [{}, { data: { budget: 5 } }, { name: 'Mona Adel' }, { email: 'm@example.com' }];

  it.each(updates)('creates a client from the merged lead when it sends %j', async (update) => {
    const { clientIdOf, clients, set, stored } = await addTenant();
    const deleted = await clientIdOf(lead);
    await set('clients', {}, { isDeleted: true });
    const id = await clientIdOf({ recordSystemId: 'a', ...update });
    expect(id).not.toBe(deleted);
    const contact = { name: 'Mona', email: lead.email, ...update, phoneNumbers: [e164] };
    const { data: _data, ...expected } = { data: {}, ...contact };
    const [, created] = await clients();
    expect(created).toMatchObject({ ...expected, isDeleted: false });
    expect(String(created?.['_id'])).toBe(id);
    expect(await stored('leads')).toMatchObject([{ clientId: created?.['_id'] as unknown }]);
    const change = { field: 'clientId', from: deleted, to: id };
    const events = await stored('outboxEvents', { type: 'lead.updated' });
    expect(events.map((event) => event['changes'] as unknown)).toEqual([
      expect.arrayContaining([change]),
    ]);
    expect(await clientIdOf({ recordSystemId: 'a', ...update })).toBe(id);
    expect(await clients()).toHaveLength(2);
  });

  it.each(updates)(
    'links the client that the merged lead matches when it sends %j',
    async (update) => {
      const { addClients, clientIdOf, clients, set } = await addTenant();
      await clientIdOf(lead);
      await set('clients', {}, { isDeleted: true });
      const [id] = await addClients({ name: 'Mona', phoneNumbers: [phoneNumber] });
      expect(await clientIdOf({ recordSystemId: 'a', ...update })).toBe(id);
      expect(await clients()).toHaveLength(2);
    },
  );

  it('links none without createFromLeads, and a client that no longer exists counts as deleted', async () => {
    const { add, clientIdOf, clients } = await addTenant({ createFromLeads: false });
    await add(addLead, { ...lead, data: { phoneNumber }, clientId: new ObjectId() });
    expect(await clientIdOf({ recordSystemId: 'a' })).toBeNull();
    expect(await clients()).toEqual([]);
  });

  it('creates one client when several leads of the client are updated at once', async () => {
    const { clientIdOf, clients, set } = await addTenant();
    const ids = ['a', 'b', 'c'];
    for (const recordSystemId of ids) await clientIdOf({ ...lead, recordSystemId });
    await set('clients', {}, { isDeleted: true });
    const linked = ids.map((recordSystemId) => clientIdOf({ recordSystemId, data: { budget: 1 } }));
    expect(new Set(await Promise.all(linked)).size).toBe(1);
    expect(await clients()).toHaveLength(2);
  });
});

describe('a matched client', () => {
  it('gets name, email and new phones', async () => {
    const { addClients, post, clients } = await addTenant();
    const phoneNumbers = [e164, '01000000009'];
    await addClients({ name: 'Old', email: 'o@e.com', phoneNumbers });
    await post({ name: 'New', phoneNumber, phoneNumber2: '01000000001' }).expect(201);
    await post({ email: 'n@example.com', phoneNumber: '01000000009' }).expect(201);
    const changed = { phoneNumbers: [...phoneNumbers, '+201000000001'] };
    expect(await clients()).toMatchObject([{ name: 'New', email: 'n@example.com', ...changed }]);
  });

  it('keeps its values without updateExisting', async () => {
    const { addClients, clientIdOf, post, clients } = await addTenant({ updateExisting: false });
    const client = { name: 'Old', phoneNumbers: [e164] };
    const [id] = await addClients(client);
    expect(await clientIdOf({ name: 'New', phoneNumber, recordSystemId: 'a' })).toBe(id);
    await post({ recordSystemId: 'a', name: 'Newer' }).expect(200);
    expect(await clients()).toMatchObject([client]);
  });

  it('gets no phone of another client', async () => {
    const { addClients, post, clients } = await addTenant();
    const phones = [['+201000000001'], ['+201000000002']];
    await addClients(...phones.map((phoneNumbers) => ({ phoneNumbers })));
    await post({ phoneNumber: '01000000002', phoneNumber2: '01000000001' }).expect(201);
    expect((await clients()).map(({ phoneNumbers }) => phoneNumbers as string[])).toEqual(phones);
  });

  it('keeps its email when another client has an equivalent of the sent one, but accepts its own email in another letter case', async () => {
    const { addClients, clientIdOf, post, clients, stored } = await addTenant();
    await addClients({ name: 'B', email: 'élan@example.com' });
    const lead = { recordSystemId: 'a', email: 'a@example.com' };
    const clientId = await clientIdOf({ ...lead, name: 'A' });
    for (const taken of ['élan@example.com', 'E\u0301LAN@example.com']) {
      const { body } = await post({ ...lead, email: taken, name: 'Mona' }).expect(200);
      expect(body.lead).toMatchObject({ clientId, data: { email: taken } });
    }
    const [other, own] = [{ name: 'B', email: 'élan@example.com' }, { name: 'Mona' }];
    expect(await clients()).toMatchObject([other, { ...own, email: 'a@example.com' }]);
    const changes = [{ field: 'name', from: 'A', to: 'Mona' }];
    const events = await stored('outboxEvents', { type: 'client.updated' });
    expect(events.map((event) => event['changes'] as unknown)).toEqual([changes]);
    await post({ ...lead, email: 'A@Example.com' }).expect(200);
    expect((await clients())[1]).toMatchObject({ email: 'A@Example.com' });
  });

  it('gets at most 100 phones, and its events list the added phones', async () => {
    const { addClients, post, clients, stored } = await addTenant();
    const email = 'a@example.com';
    const phoneNumbers = Array.from({ length: 99 }, (_, index) => `+2010000001${index + 100}`);
    await addClients({ email, phoneNumbers });
    await post({ email, phoneNumber: '01000000001', phoneNumber2: '01000000002' }).expect(201);
    await post({ email, phoneNumber: '01000000003' }).expect(201);
    const all = [...phoneNumbers, '+201000000001'];
    expect((await clients())[0]?.['phoneNumbers']).toEqual(all);
    const changes = [{ field: 'phoneNumbers', added: ['+201000000001'] }];
    const events = await stored('outboxEvents', { type: 'client.updated' });
    expect(events).toMatchObject([{ data: { phoneNumbers: all }, changes }]);
  });

  it('is linked even when another program made it too large for events', async () => {
    const { addClients, post } = await addTenant();
    const email = 'a@example.com';
    const phoneNumbers = Array.from({ length: 7 }, (_, index) => `${index}`.repeat(950_000));
    await addClients({ email, phoneNumbers });
    await post({ name: 'Mona', email }).expect(201);
    await post({ name: 'Mona', email, phoneNumber: '01000000001' }).expect(201);
  });
});
