import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { LeadPhoneKeys } from '../../../src/leads/phones/lead-phone-keys.js';
import { addClient, addLead, addUser, conventions } from '../../support/builders.js';
import { profileCommands } from '../../support/command-plans.js';
import { range } from '../../support/counting.js';
import type { TenantApi } from '../../support/tenant-api.js';
import {
  randomDatabaseUri,
  startTestService,
  type TestService,
} from '../../support/test-service.js';

let service: TestService;

beforeAll(async () => {
  service = await startTestService({}, randomDatabaseUri());
});
afterAll(() => service.stop());

describe('POST /leads with a phone that another program stored', () => {
  const runBackgroundPass = () => service.service.app.get(LeadPhoneKeys).run();

  it('returns 400 for the current phone in any format, but not for an outdated key', async () => {
    const { post, set } = await service.addTenant();
    await post('/leads', { recordSystemId: 'moved', phoneNumber: '01000000001' }).expect(201);
    const moved = { 'data.phoneNumber': '(+20) 100.000.0002', updatedAt: new Date() };
    await set('leads', { recordSystemId: 'moved' }, moved);
    await post('/leads', { phoneNumber: '01000000001' }).expect(201);
    await runBackgroundPass();
    await post('/leads', { phoneNumber: '01000000002' }).expect(400);
  });

  it('returns 400 once keys of an older rule are derived again, and keeps those of a newer one', async () => {
    const { add, post, storedOne } = await service.addTenant();
    const phoneNumber = '+20 10\u200e28251223';
    const old = { phoneKeys: ['201028251223'], phoneKeysOf: JSON.stringify(['EG', phoneNumber]) };
    const longAgo = new Date('2025-01-01');
    const times = { createdAt: longAgo, updatedAt: longAgo, phoneKeysAt: longAgo };
    await add(addLead, { data: { phoneNumber }, ...old, ...times });
    const newer = { phoneKeys: ['newer'], phoneKeysOf: '[3,"EG","01112223334"]' };
    const _id = await add(addLead, { data: { phoneNumber: '01112223334' }, ...newer, ...times });
    await runBackgroundPass();
    await post('/leads', { phoneNumber: '01028251223' }).expect(400);
    expect(await storedOne('leads', { _id })).toMatchObject({ ...newer, updatedAt: longAgo });
  });

  it('rewrites stored phones of a client as E.164, and again after an older instance adds one', async () => {
    const { add, set, storedOne } = await service.addTenant();
    const unreadable = ['ask for Mona', '12 34'];
    const phoneNumbers = [
      '201028251223',
      '+20 10\u200e28251223',
      '01112223334 / 0227351234',
      ...unreadable,
    ];
    const longAgo = new Date('2025-01-01');
    const clientId = await add(addClient, { phoneNumbers, updatedAt: longAgo });
    const phones = async () => (await storedOne('clients', { _id: clientId }))['phoneNumbers'];
    await runBackgroundPass();
    const read = ['+201028251223', '+201112223334', '+20227351234', ...unreadable];
    expect(await phones()).toEqual(read);
    expect(await storedOne('clients', { _id: clientId })).toHaveProperty('updatedAt', longAgo);
    await set('clients', { _id: clientId }, { phoneNumbers: [...read, '01500000001'] });
    const phoneKeysOf = '["EG","01500000001"]';
    await add(addLead, { data: { phoneNumber: '01500000001' }, clientId, phoneKeysOf });
    await runBackgroundPass();
    expect(await phones()).toEqual([...read, '+201500000001']);
  });

  it('rewrites phones of clients again when the country of their organization changes', async () => {
    const { add, organizationId, storedOne } = await service.addTenant();
    const _id = await add(addClient, { phoneNumbers: ['x 0501234567 y 1'] });
    await runBackgroundPass();
    const organizations = service.db.collection('organizations');
    const $set = { 'settings.phoneCountry': 'SA', updatedAt: new Date() };
    await organizations.updateOne({ _id: organizationId }, { $set });
    await service.db
      .collection('clients')
      .updateOne({ _id }, { $set: { phoneNumbers: ['0501234567'] } });
    await runBackgroundPass();
    expect(await storedOne('clients', { _id })).toMatchObject({
      phoneNumbers: ['+966501234567'],
      phoneRule: '[3,"SA"]',
    });
  });

  it('returns 400 after a pass over more than a thousand organizations', async () => {
    const { add, organizationId, post } = await service.addTenant();
    const organizations = service.db.collection('organizations');
    const { _id: _, ...organization } = (await organizations.findOne({
      _id: organizationId,
    })) as Document;
    const others = range(1_100).map((index) => ({
      ...organization,
      apiDomain: `others-${index}.example.com`,
      settings: { phoneCountry: index % 2 ? 'EG' : 'SA' },
    }));
    await organizations.insertMany(others);
    await add(addLead, { data: { phoneNumber: '(+20) 100.123.4569' } });
    await runBackgroundPass();
    await post('/leads', { phoneNumber: '01001234569' }).expect(400);
  });
});

describe('a phone of 50,000 leads', () => {
  const phone = '01000000001';
  const derived = { phoneKeys: ['+201000000001'], phoneKeysOf: `[3,"EG","${phone}"]` };
  /** A full scan of this many leads would exceed the limits of the tests. */
  const count = 50_000;
  let tenant: TenantApi;

  beforeAll(async () => {
    tenant = await service.addTenant();
    const [nour, mona] = [await tenant.add(addUser, 'Nour'), await tenant.add(addUser, 'Mona')];
    const updatedAt = new Date();
    const leads = range(count).map((index) => ({
      ...conventions(tenant.organizationId),
      leadId: count - index,
      data: { phoneNumber: phone },
      assignedToId: index === count - 2 ? nour : mona,
      ...derived,
      updatedAt,
      phoneKeysAt: updatedAt,
    }));
    // Another program has just changed the first lead's phone, so its derived keys are outdated.
    Object.assign(leads.at(-1) ?? {}, { data: { phoneNumber: '01000000002' } });
    await service.db.collection('leads').insertMany(leads);
  });

  /** Returns the number of leads that the commands examined. */
  async function countExaminedLeads(work: () => Promise<unknown>): Promise<number> {
    const commands = await profileCommands(service.db, work);
    const reads = commands.filter(({ ns }) => ns.endsWith('.leads'));
    expect(reads.length).toBeGreaterThan(0);
    return reads.reduce((sum, { docsExamined = 0 }) => sum + Number(docsExamined), 0);
  }
  const nour = [expect.stringContaining('Nour')];

  it('is found by POST /leads in few reads, with the user of the first lead', async () => {
    const read = await countExaminedLeads(async () => {
      const { body } = await tenant.post('/leads', { phoneNumber: '+20 100 000 0001' }).expect(400);
      expect(body.message).toEqual(nour);
    });
    expect(read).toBeLessThan(100);
  });

  it('is found in few reads by a group and a batch', async () => {
    const phones = range(30).map((index) => (index === 20 ? phone : `0100000${1_000 + index}`));
    const leads = phones.map((phoneNumber) => ({ phoneNumber }));
    const read = await countExaminedLeads(async () => {
      await Promise.all(leads.map((lead) => tenant.post('/leads', lead)));
      const { body } = await tenant.post('/leads/batch', { leads, dryRun: true }).expect(200);
      expect(body.results[20].message).toEqual(nour);
    });
    expect(read).toBeLessThan(1_000);
  });
});
