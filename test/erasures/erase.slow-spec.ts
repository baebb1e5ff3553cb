import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Document, ObjectId } from 'mongodb';
import { runCli, runCliUnread, runJson } from '../operator/command-line.js';
import type { TenantApi } from '../support/tenant-api.js';
import { startWebhookService, type WebhookService } from '../webhooks/webhook-service.js';
import {
  storedBytes,
  waitForDeliveries,
  findPersonalData,
  createEraser,
  addPersonalData,
  newPerson,
  payloadsOf,
  type Person,
} from './personal-data.js';

interface Report {
  readonly counts: Readonly<Record<string, number>>;
  readonly keptClientIds: readonly string[];
  readonly leadIds: readonly string[];
  readonly storedResponsesEndAt: string;
  readonly finished: number;
}

let service: WebhookService;
let variables: Record<string, string>;
let tenant: TenantApi;
let person: Person;

beforeAll(async () => {
  service = await startWebhookService();
  variables = { MONGODB_URI: service.databaseUri };
});
beforeEach(async () => {
  tenant = await service.addTenant();
  person = newPerson();
});
afterAll(() => service.stop());

const argsOf = (options: readonly string[]) => {
  const org = tenant.organizationId.toHexString();
  return ['lead', 'erase', '--org', org, ...options];
};
const run = (options: readonly string[]) => runJson<Report>(argsOf(options), variables);
const runText = (options: readonly string[]) => runCli(argsOf(options), variables);
/** Runs in the test's process, which is faster than a command. */
const erase = async (lead = person.recordSystemId) =>
  (await createEraser(service, tenant)).erase(lead);
const byLead = (lead = person.recordSystemId) => ['--lead', lead];
const post = (body: object) => tenant.post('/leads', body);
const remainingData = () => findPersonalData(service.db, person, tenant);
const zeroCounts = { leads: 0, clients: 0, changeLogEntries: 0, events: 0, attempts: 0 };
const time = expect.any(Date) as unknown;

describe('lead erase', () => {
  it('removes every byte of personal data from all collections, but no ids, numbers and times', async () => {
    const other = await service.addTenant();
    await addPersonalData(service, other, person);
    const otherBytes = () => storedBytes(service.db, { organizationId: other.organizationId });
    const { leadId, responses } = await addPersonalData(service, tenant, person);
    expect(responses.map(({ status }) => status)).toEqual([201, 200, 200, 400]);
    const before = await remainingData();
    const places = ['changeLogs', 'clients', 'leads', 'outboxEvents', 'webhookDeliveries'];
    expect(Object.keys(before).toSorted()).toEqual(places);
    // The service stores all these values except unknown fields of callbacks.
    const stored = new Set(Object.values(before).flat());
    const missing = [...person.values, ...person.digits].filter((value) => !stored.has(value));
    expect(missing).toEqual([expect.stringMatching(/^payer /)]);
    const lead = await tenant.storedOne('leads', { _id: leadId });
    const keptOfEvent = ({ _id, type, createdAt, sequence }: Document): Document => {
      return { _id, type, createdAt, sequence };
    };
    const keptOfDelivery = ({ erasedAt: _erasedAt, log, ...rest }: Document) => ({
      ...rest,
      log: (log as Document[]).map(({ response: _response, ...attempt }) => attempt),
    });
    const isOther = { type: { $ne: 'lead.erased' } };
    const readKept = async () => [
      (await tenant.stored('outboxEvents', isOther)).map(keptOfEvent),
      (await tenant.stored('webhookDeliveries', isOther)).map(keptOfDelivery),
    ];
    const [kept, otherBytesBefore] = [await readKept(), await otherBytes()];

    const dry = await run([...byLead(), '--dry-run']);
    expect(await remainingData()).toEqual(before);
    expect(await tenant.stored('erasures')).toEqual([]);
    const { counts, leadIds } = await run(byLead());
    expect(counts).toEqual(dry.counts);
    const expected = { leads: 1, clients: 1, changeLogEntries: 2, events: 4, attempts: 4 };
    expect(counts).toMatchObject(expected);
    expect(leadIds).toEqual([leadId.toHexString()]);
    await waitForDeliveries(service.db, tenant);

    expect(await remainingData()).toEqual({});
    expect(await readKept()).toEqual(kept);
    expect(await otherBytes()).toEqual(otherBytesBefore);
    const {
      phoneKeys: _keys,
      phoneKeysOf: _of,
      phoneKeysAt: _at,
      emailKey: _email,
      ...left
    } = lead;
    const times = { deletedAt: time, updatedAt: time, erasedAt: time };
    const emptied = { data: {}, additionalData: {}, isDeleted: true, ...times };
    expect(await tenant.storedOne('leads', { _id: leadId })).toEqual({ ...left, ...emptied });
    const client = await tenant.storedOne('clients', { _id: lead['clientId'] });
    expect(client).toMatchObject({ phoneNumbers: [], isDeleted: true });
    const changes = expect.arrayContaining([{ field: 'data.name', from: null, to: null }]);
    const data = { leadId: lead['leadId'] as number, data: {}, additionalData: {} };
    const [update] = await tenant.stored('outboxEvents', { type: 'lead.updated' });
    expect(update).toMatchObject({ data, changes });
    const callbacks = await tenant.stored('reservationCallbacks');
    expect(callbacks).toMatchObject([
      { payload: { chequeNumber: 'Kept 1', installmentId: '1' }, otherFields: 2 },
      { payload: {}, otherFields: 2 },
    ]);
    expect(callbacks[1]?.['payload']).toEqual({});
    const ledger = [{ leadIds: [leadId], completedAt: time, counts }];
    expect(await tenant.stored('erasures')).toMatchObject(ledger);
  });

  it('emits lead.erased with ids only, and stores no response to that event', async () => {
    await addPersonalData(service, tenant, person);
    await erase();
    await waitForDeliveries(service.db, tenant);
    const lead = await tenant.storedOne('leads', { recordSystemId: person.recordSystemId });
    const { _id, leadId, recordSystemId, clientId } = lead;
    const ids = { _id: String(_id), leadId, recordSystemId, clientId: String(clientId) };
    const events = await tenant.stored('outboxEvents', { type: 'lead.erased' });
    expect(events.map(({ data }) => data as unknown)).toEqual([ids]);
    const delivery = await tenant.storedOne('webhookDeliveries', { type: 'lead.erased' });
    expect(delivery['objectId']).toBe(ids._id);
    expect(delivery['log']).not.toHaveLength(0);
    for (const { response } of delivery['log']) expect(response).toBeNull();
  });

  it('prints the time by which all stored responses expire', async () => {
    await addPersonalData(service, tenant, person);
    const startedAt = Date.now();
    const { storedResponsesEndAt } = await run([...byLead(), '--dry-run']);
    const until = new Date(storedResponsesEndAt).getTime();
    const records = await tenant.stored('idempotencyRecords');
    expect(records).toHaveLength(4);
    for (const { expiresAt } of records) expect((expiresAt as Date).getTime()).toBeLessThan(until);
    expect(until - startedAt).toBeLessThan(24.1 * 3_600_000);
    const { stdout } = await runText(byLead());
    expect(stdout).toMatch(/Stored responses end at +\d{4}-\d\d-\d\dT/);
  });

  it('changes nothing when it runs again', async () => {
    await addPersonalData(service, tenant, person);
    await erase();
    await waitForDeliveries(service.db, tenant);
    const filter = { organizationId: tenant.organizationId };
    const bytesWithoutLedger = async () =>
      [...(await storedBytes(service.db, filter))].filter(
        ([place]) => !place.startsWith('erasures'),
      );
    const before = await bytesWithoutLedger();
    expect((await erase()).counts).toEqual(zeroCounts);
    expect(await bytesWithoutLedger()).toEqual(before);
  });

  it('erases deleted leads, and every lead that ever had the external id', async () => {
    const { earlier, now } = payloadsOf(person);
    await post(earlier).expect(201);
    await tenant.delete(`/leads/${person.recordSystemId}`).expect(200);
    const [deleted] = await tenant.stored('leads');
    await post(now).expect(201);
    expect((await erase()).counts).toMatchObject({ leads: 2 });
    expect(await remainingData()).toEqual({});
    const [first] = await tenant.stored('leads');
    expect(first?.['deletedAt']).toEqual(deleted?.['deletedAt']);
  });

  it('erases leads deleted without a time, and values in lists and the change log', async () => {
    const { organizationId } = tenant;
    await post(payloadsOf(person).now).expect(201);
    const [lead] = await tenant.stored('leads');
    await tenant.set('leads', {}, { deletedAt: null });
    await tenant.set('clients', {}, { deletedAt: null, 'phoneNumbers.2': null });
    const times = { createdAt: new Date(), updatedAt: new Date() };
    const entry = { organizationId, entityId: lead?._id, context: 'other', ...times };
    const odd = [{ changes: null }, { changes: [null] }, { changes: [{ from: person.name }] }, {}];
    const entries = odd.map((changes) => ({ ...entry, ...changes }));
    await service.db.collection('changeLogs').insertMany(entries);
    await erase();
    expect(await remainingData()).toEqual({});
    for (const name of ['leads', 'clients']) {
      expect(await tenant.stored(name)).toMatchObject([{ isDeleted: true, deletedAt: time }]);
    }
  });

  it('allows a new lead with the same id, which can be erased too', async () => {
    const { now } = payloadsOf(person);
    const { body: first } = await post(now).expect(201);
    await erase();
    const { body: second } = await post(now).expect(201);
    expect(second.lead.leadId).toBe(first.lead.leadId + 1);
    expect(second.lead.clientId).not.toBe(first.lead.clientId);
    expect((await erase()).counts).toMatchObject({ leads: 1, clients: 1 });
    expect(await remainingData()).toEqual({});
    expect(await tenant.stored('outboxEvents', { type: 'lead.erased' })).toHaveLength(2);
  });

  it('keeps a client that another lead uses until that lead is erased', async () => {
    const shared = { email: person.email, name: 'Family' };
    await post({ recordSystemId: 'a', ...shared }).expect(201);
    await post({ recordSystemId: 'b', ...shared }).expect(201);
    const [client] = await tenant.stored('clients');
    const keptClientIds = [String(client?.['_id'])];
    expect(await erase('a')).toMatchObject({ counts: { leads: 1, clients: 0 }, keptClientIds });
    expect(await tenant.stored('clients')).toEqual([client]);
    const both = await run([...byLead('b'), '--dry-run']);
    expect(both.counts).toMatchObject({ leads: 1, clients: 1 });
    expect((await erase('b')).counts).toEqual(both.counts);
    expect(await remainingData()).toEqual({});
  });

  it.each([
    ['with dots', { 'a.b': 'Mona', 'c.': ['Mona'], '.d': 'Mona' }],
    ['empty', { '': 'Mona' }],
    ['with and without a dot', { 'a.b': 'Mona', a: { b: 'Mona' } }],
    ['with dollar signs', { $x: 'Mona', 'a.$': 'Mona', $set: { name: 'Mona' } }],
    [
      'named like members of objects',
      { ['__proto__']: 'Mona', constructor: 'Mona', toString: 'Mona' },
    ],
    ['of numbers that may be phones', { whatsapp: 201_001_234_567, 'a.b': 1e10 }],
    ['with known names and unexpected values', { name: ['Mona'], email: 5, phoneNumbers: 'Mona' }],
  ])('removes fields %s that other programs added to a client', async (_title, fields) => {
    await post(payloadsOf(person).now).expect(201);
    const client = await tenant.storedOne('clients');
    const kept = { 'score.x': 7, '.since': new Date(0), $id: new ObjectId(), isVip: true };
    const added = Object.fromEntries(Object.entries({ ...client, ...fields, ...kept }));
    await service.db
      .collection('clients')
      .updateOne({ _id: client['_id'] as ObjectId }, [{ $replaceWith: { $literal: added } }], {
        bypassDocumentValidation: true,
      });
    expect(await tenant.stored('clients')).toEqual([added]);
    await erase();
    const { _id, organizationId, createdAt } = client;
    const times = { createdAt, updatedAt: time, deletedAt: time, erasedAt: time };
    const own = { _id, organizationId, phoneNumbers: [], isDeleted: true, ...times };
    expect(await tenant.stored('clients')).toEqual([{ ...own, ...kept }]);
    expect((await erase()).counts).toEqual(zeroCounts);
  });

  it('erases a lead and a client with fields of unexpected types', async () => {
    await post(payloadsOf(person).now).expect(201);
    const { organizationId } = tenant;
    const odd = { updatedAt: person.name, deletedAt: person.name };
    const bypassed = { bypassDocumentValidation: true };
    const values = { leads: odd, clients: odd, changeLogs: { changes: person.name } };
    for (const [name, $set] of Object.entries(values)) {
      await service.db.collection(name).updateOne({ organizationId }, { $set }, bypassed);
    }
    await erase();
    expect(await remainingData()).toEqual({});
    expect((await tenant.stored('leads'))[0]).toMatchObject({ updatedAt: time, deletedAt: time });
  });

  it('refuses an unknown lead with one line, and reads return 404 after an erasure', async () => {
    const stderr = 'There is no lead none in this organization: search for it in the console.\n';
    expect(await runText(byLead('none'))).toEqual({ code: 1, stdout: '', stderr });
    await post(payloadsOf(person).now).expect(201);
    await erase();
    await tenant.get(`/leads/${person.recordSystemId}`).expect(404);
  });

  it('finds a lead without an external id by its own id', async () => {
    const { body } = await post({ name: person.name }).expect(201);
    const { leadIds } = await run(byLead(body.lead._id));
    expect(leadIds).toEqual([body.lead._id]);
    expect((await tenant.stored('leads'))[0]).toMatchObject({ data: {}, isDeleted: true });
  });

  it('erases when its output is not read', async () => {
    await post(payloadsOf(person).now).expect(201);
    const args = argsOf(['--phone', person.phone, '--yes']);
    expect(await runCliUnread(args, variables)).toEqual({ code: 0, stderr: '' });
    expect((await tenant.stored('leads'))[0]).toMatchObject({ data: {}, isDeleted: true });
  });
});

describe('lead erase by phone or email', () => {
  beforeEach(async () => {
    const { phone, email, name } = person;
    tenant = await service.addTenant({ settings: { allowConflictLeads: true } });
    await post({ recordSystemId: 'phone', phoneNumber: phone, name }).expect(201);
    await post({ recordSystemId: 'phone2', phoneNumber2: `+2${phone}` }).expect(201);
    await post({ recordSystemId: 'client', phoneNumber: phone, email }).expect(201);
    await post({ recordSystemId: 'email', email: email.toUpperCase() }).expect(201);
    await post({ recordSystemId: 'other', phoneNumber: '01099999999' }).expect(201);
    await post({ recordSystemId: 'deleted', phoneNumber: phone }).expect(201);
    await tenant.delete('/leads/deleted').expect(200);
  });
  const ids = ['phone', 'phone2', 'client', 'email', 'deleted'];
  const externalIdsOf = async (leadIds: readonly string[]) => {
    const _id = { $in: leadIds.map((id) => new ObjectId(id)) };
    const leads = await tenant.stored('leads', { _id });
    return leads.map(({ recordSystemId }) => String(recordSystemId));
  };

  it('finds all leads of a person by phone or email in any format, and erases them with --yes', async () => {
    const { phone, email } = person;
    const otherSpelling = `0020 ${phone.slice(1)}`;
    const dry = await run(['--phone', otherSpelling, '--dry-run']);
    expect(await externalIdsOf(dry.leadIds)).toEqual(ids);
    const byEmail = await run(['--email', email.toUpperCase(), '--dry-run']);
    expect(await externalIdsOf(byEmail.leadIds)).toEqual(ids);
    const { counts } = await run(['--phone', otherSpelling, '--yes']);
    expect(counts).toEqual(dry.counts);
    expect(counts).toMatchObject({ leads: 5, clients: 1 });
    expect(await remainingData()).toEqual({});
    expect(await tenant.stored('leads', { isDeleted: false })).toHaveLength(1);
    expect((await run(['--phone', otherSpelling, '--yes'])).counts).toEqual(zeroCounts);
  });

  it('reports an unknown phone or email without failing', async () => {
    const unknown = [
      [['--phone', '01055555555'], 'phone'],
      [['--email', 'none@example.com'], 'email'],
      [['--phone', '01055555555', '--email', 'none@example.com'], 'phone or email'],
    ] as const;
    for (const [options, known] of unknown) {
      const stdout = `No lead, and no client of a lead, has this ${known}; nothing was erased.\n`;
      const outcome = await runText(['--yes', ...options]);
      expect(outcome).toEqual({ code: 0, stdout, stderr: '' });
    }
  });

  it('lists the leads and asks, and without a terminal erases nothing', async () => {
    const { stdout, ...outcome } = await runText(['--phone', person.phone]);
    const stderr = 'Nothing was erased: repeat the command with --yes.\n';
    expect(outcome).toEqual({ code: 1, stderr });
    for (const id of ids) expect(stdout).toMatch(new RegExp(`^\\d+ +${id} `, 'm'));
    expect(await tenant.stored('erasures')).toEqual([]);
    expect(await tenant.stored('leads', { isDeleted: true })).toHaveLength(1);
  });
});
