import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Document, ObjectId } from 'mongodb';
import { runCli, runCliUnread, runJson } from '../operator/command-line.js';
import { addTenant, type Tenant } from '../support/builders.js';
import { startWebhookService, type WebhookService } from '../webhooks/webhook-service.js';
import {
  bytesButUsage,
  allDelivered,
  collectionsWith,
  erasuresOf,
  leaveTraces,
  newPerson,
  payloadsOf,
  type Person,
} from './traces.js';

interface Report {
  readonly counts: Readonly<Record<string, number>>;
  readonly keptClientIds: readonly string[];
  readonly leadIds: readonly string[];
  readonly storedResponsesEndAt: string;
  readonly finished: number;
}

let service: WebhookService;
let variables: Record<string, string>;
let tenant: Tenant;
let person: Person;

beforeAll(async () => {
  service = await startWebhookService();
  variables = { MONGODB_URI: service.databaseUri };
});
beforeEach(async () => {
  tenant = await addTenant(service.db);
  person = newPerson();
});
afterAll(() => service.stop());

const run = (options: readonly string[]) =>
  runJson<Report>(
    ['lead', 'erase', '--org', tenant.organizationId.toHexString(), ...options],
    variables,
  );
/** In the process of the test, which is quicker. */
const erase = async (lead = person.recordSystemId) =>
  (await erasuresOf(service, tenant)).erase(lead);
const byLead = (lead = person.recordSystemId) => ['--lead', lead];
const post = (body: object, key = tenant.key) =>
  service.api('post', '/leads').set('api-key', key).send(body);
const stored = (collection: string, filter: Document = {}) =>
  service.db
    .collection(collection)
    .find({ organizationId: tenant.organizationId, ...filter })
    .sort({ _id: 1 })
    .toArray();
/** Where something of the person is found in the documents of the tenant. */
const traces = ({ organizationId } = tenant) =>
  collectionsWith(service.db, person, { organizationId });
const noCounts = {
  leads: 0,
  clients: 0,
  changeLogEntries: 0,
  events: 0,
  attempts: 0,
};

describe('lead erase', () => {
  it('removes every byte of personal data from all collections, but no ids, numbers and times', async () => {
    const other = await addTenant(service.db);
    await leaveTraces(service, other, person);
    const others = { organizationId: other.organizationId };
    const { leadId, answers } = await leaveTraces(service, tenant, person);
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 400]);
    const before = await traces();
    expect(Object.keys(before).toSorted()).toEqual([
      'changeLogs',
      'clients',
      'leads',
      'outboxEvents',
      'webhookDeliveries',
    ]);
    // Everything that was planted was stored somewhere.
    const planted = new Set(Object.values(before).flat());
    const missing = [...person.values, ...person.digits].filter((value) => !planted.has(value));
    // Of a callback's unknown fields nothing is.
    expect(missing).toEqual([expect.stringMatching(/^payer /)]);
    const [lead] = await stored('leads', { _id: leadId });
    const events = await stored('outboxEvents');
    const deliveries = await stored('webhookDeliveries');
    const bytesOfOthers = await bytesButUsage(service.db, others);

    const dry = await run([...byLead(), '--dry-run']);
    expect(await traces()).toEqual(before);
    expect(await stored('erasures')).toEqual([]);
    const { counts, leadIds } = await run(byLead());
    expect(counts).toEqual(dry.counts);
    expect(counts).toMatchObject({
      leads: 1,
      clients: 1,
      changeLogEntries: 2,
    });
    for (const kind of ['events', 'attempts']) expect(counts[kind]).toBe(4);
    expect(leadIds).toEqual([leadId.toHexString()]);
    await allDelivered(service.db, tenant);

    expect(await traces()).toEqual({});
    expect(await bytesButUsage(service.db, others)).toEqual(bytesOfOthers);
    const [erased] = await stored('leads', { _id: leadId });
    const { phoneKeys: _keys, phoneKeysOf: _of, phoneKeysAt: _at, ...kept } = lead as Document;
    const time = expect.any(Date) as unknown;
    expect(erased).toEqual({
      ...kept,
      data: {},
      additionalData: {},
      isDeleted: true,
      deletedAt: time,
      updatedAt: time,
      erasedAt: time,
    });
    const [client] = await stored('clients', { _id: lead?.['clientId'] });
    expect(client).toMatchObject({ phoneNumbers: [], isDeleted: true });
    const ofEvents = ({ _id, type, createdAt, sequence }: Document) =>
      ({ _id, type, createdAt, sequence }) as Document;
    const left = await stored('outboxEvents', { type: { $ne: 'lead.erased' } });
    expect(left.map(ofEvents)).toEqual(events.map(ofEvents));
    const ofDeliveries = ({ erasedAt: _erasedAt, log, ...rest }: Document) => ({
      ...rest,
      log: (log as Document[]).map(({ response: _response, ...attempt }) => attempt),
    });
    const leftDeliveries = await stored('webhookDeliveries', { type: { $ne: 'lead.erased' } });
    expect(leftDeliveries.map(ofDeliveries)).toEqual(deliveries.map(ofDeliveries));
    expect(left).toContainEqual(
      expect.objectContaining({
        type: 'lead.updated',
        data: expect.objectContaining({ leadId: lead?.['leadId'], data: {}, additionalData: {} }),
        changes: expect.arrayContaining([{ field: 'data.name', from: null, to: null }]),
      }),
    );
    const callbacks = await stored('reservationCallbacks');
    expect(callbacks.map(({ payload, otherFields }) => [payload, otherFields] as unknown)).toEqual([
      [expect.objectContaining({ chequeNumber: 'Kept 1', installmentId: '1' }), 2],
      [{}, 2],
    ]);
    expect(await stored('erasures')).toMatchObject([
      { leadIds: [leadId], completedAt: time, counts },
    ]);
  });

  it('emits lead.erased with ids only, and stores no response to that event', async () => {
    await leaveTraces(service, tenant, person);
    await erase();
    await allDelivered(service.db, tenant);
    const [event, ...more] = await stored('outboxEvents', { type: 'lead.erased' });
    const [lead] = await stored('leads', { recordSystemId: person.recordSystemId });
    const ids = {
      _id: lead?._id.toHexString(),
      leadId: lead?.['leadId'] as unknown,
      recordSystemId: person.recordSystemId,
      clientId: String(lead?.['clientId']),
    };
    expect(more).toEqual([]);
    expect(event).toMatchObject({ data: ids });
    expect(Object.keys(event?.['data'] as object)).toEqual(Object.keys(ids));
    const [delivery] = await stored('webhookDeliveries', { type: 'lead.erased' });
    expect(delivery).toMatchObject({ objectId: ids._id });
    const attempts = delivery?.['log'] as Document[];
    expect(attempts).not.toHaveLength(0);
    for (const { response } of attempts) expect(response).toBeNull();
  });

  it('prints when stored responses expire, and they have expired by then', async () => {
    await leaveTraces(service, tenant, person);
    const begun = Date.now();
    const { storedResponsesEndAt } = await run([...byLead(), '--dry-run']);
    const until = new Date(storedResponsesEndAt).getTime();
    const records = await stored('idempotencyRecords');
    expect(records).toHaveLength(4);
    for (const { expiresAt } of records) expect((expiresAt as Date).getTime()).toBeLessThan(until);
    expect(until - begun).toBeLessThan(24.1 * 3_600_000);
    const org = tenant.organizationId.toHexString();
    const { stdout } = await runCli(['lead', 'erase', '--org', org, ...byLead()], variables);
    expect(stdout).toMatch(/Stored responses end at +\d{4}-\d\d-\d\dT/);
  });

  it('changes nothing when it runs again', async () => {
    await leaveTraces(service, tenant, person);
    await erase();
    await allDelivered(service.db, tenant);
    const filter = { organizationId: tenant.organizationId };
    const withoutLedger = async () =>
      [...(await bytesButUsage(service.db, filter))].filter(
        ([place]) => !place.startsWith('erasures'),
      );
    const before = await withoutLedger();
    expect((await erase()).counts).toEqual(noCounts);
    expect(await withoutLedger()).toEqual(before);
  });

  it('erases deleted leads, and every lead that ever had the external id', async () => {
    const { earlier, now } = payloadsOf(person);
    await post(earlier).expect(201);
    const path = `/leads/${person.recordSystemId}`;
    await service.api('delete', path).set('api-key', tenant.key).expect(200);
    const [deleted] = await stored('leads');
    await post(now).expect(201);
    expect((await erase()).counts).toMatchObject({ leads: 2 });
    expect(await traces()).toEqual({});
    const [first] = await stored('leads');
    expect(first?.['deletedAt']).toEqual(deleted?.['deletedAt']);
  });

  it('erases leads deleted without a time, and values in lists and the change log', async () => {
    const { organizationId } = tenant;
    await post(payloadsOf(person).now).expect(201);
    const [lead] = await stored('leads');
    const nothing = { $set: { deletedAt: null } };
    await service.db.collection('leads').updateOne({ organizationId }, nothing);
    const phones = { $push: { phoneNumbers: null } } as object;
    await service.db.collection('clients').updateOne({ organizationId }, { ...nothing, ...phones });
    const times = { createdAt: new Date(), updatedAt: new Date() };
    const entry = { organizationId, entityId: lead?._id, context: 'other', ...times };
    const odd = [null, [null], [{ from: person.name }], undefined];
    const entries = odd.map((changes) => ({
      ...entry,
      ...(changes === undefined ? {} : { changes }),
    }));
    await service.db.collection('changeLogs').insertMany(entries);
    await erase();
    expect(await traces()).toEqual({});
    for (const name of ['leads', 'clients']) {
      const [one] = await stored(name);
      expect(one).toMatchObject({ isDeleted: true, deletedAt: expect.any(Date) });
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
    expect(await traces()).toEqual({});
    expect(await stored('outboxEvents', { type: 'lead.erased' })).toHaveLength(2);
  });

  it('keeps a client that another lead uses until that lead is erased', async () => {
    const shared = { email: person.email, name: 'Family' };
    await post({ recordSystemId: 'a', ...shared }).expect(201);
    await post({ recordSystemId: 'b', ...shared }).expect(201);
    const [client] = await stored('clients');
    const one = await erase('a');
    expect(one).toMatchObject({
      counts: { leads: 1, clients: 0 },
      keptClientIds: [client?._id.toHexString()],
    });
    expect(await stored('clients')).toEqual([client]);
    const both = await run([...byLead('b'), '--dry-run']);
    expect(both.counts).toMatchObject({ leads: 1, clients: 1 });
    expect((await erase('b')).counts).toEqual(both.counts);
    expect(await traces()).toEqual({});
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
  ])('removes fields %s that other programs added to a client', async (_names, fields) => {
    await post(payloadsOf(person).now).expect(201);
    const client = (await stored('clients'))[0] as Document;
    const kept = { 'score.x': 7, '.since': new Date(0), $id: new ObjectId(), isVip: true };
    const added = Object.fromEntries(Object.entries({ ...client, ...fields, ...kept }));
    await service.db.command({
      update: 'clients',
      updates: [
        { q: { _id: client['_id'] as ObjectId }, u: [{ $replaceWith: { $literal: added } }] },
      ],
      bypassDocumentValidation: true,
    });
    expect(await stored('clients')).toEqual([added]);
    await erase();
    const { _id, organizationId, createdAt } = client;
    const time = expect.any(Date) as unknown;
    const times = { createdAt, updatedAt: time, deletedAt: time, erasedAt: time };
    const own = { _id, organizationId, phoneNumbers: [], isDeleted: true, ...times };
    expect(await stored('clients')).toEqual([{ ...own, ...kept }]);
    expect((await erase()).counts).toEqual(noCounts);
  });

  it('erases a lead and a client with fields of unexpected types', async () => {
    await post(payloadsOf(person).now).expect(201);
    const { organizationId } = tenant;
    const odd = { updatedAt: person.name, deletedAt: person.name };
    const bypassed = { bypassDocumentValidation: true };
    const { db } = service;
    await db.collection('leads').updateOne({ organizationId }, { $set: odd }, bypassed);
    await db.collection('clients').updateOne({ organizationId }, { $set: odd }, bypassed);
    await db
      .collection('changeLogs')
      .updateOne({ organizationId }, { $set: { changes: person.name } }, bypassed);
    await erase();
    expect(await traces()).toEqual({});
    const time = expect.any(Date) as unknown;
    expect((await stored('leads'))[0]).toMatchObject({ updatedAt: time, deletedAt: time });
  });

  it('rejects an unknown lead with one line, and reads return 404 after an erasure', async () => {
    const org = tenant.organizationId.toHexString();
    const outcome = await runCli(['lead', 'erase', '--org', org, ...byLead('none')], variables);
    expect(outcome).toEqual({
      code: 1,
      stdout: '',
      stderr: 'There is no lead none in this organization.\n',
    });
    await post(payloadsOf(person).now).expect(201);
    await erase();
    const path = `/leads/${person.recordSystemId}`;
    await service.api('get', path).set('api-key', tenant.key).expect(404);
  });

  it('finds a lead without an external id by its own id', async () => {
    const { body } = await post({ name: person.name }).expect(201);
    const { leadIds } = await run(byLead(body.lead._id));
    expect(leadIds).toEqual([body.lead._id]);
    expect((await stored('leads'))[0]).toMatchObject({ data: {}, isDeleted: true });
  });

  it('erases when its output is not read', async () => {
    await post(payloadsOf(person).now).expect(201);
    const org = tenant.organizationId.toHexString();
    const args = ['lead', 'erase', '--org', org, '--phone', person.phone, '--yes'];
    expect(await runCliUnread(args, variables)).toEqual({ code: 0, stderr: '' });
    expect((await stored('leads'))[0]).toMatchObject({ data: {}, isDeleted: true });
  });

  it('rejects a call without a lead or a person', async () => {
    const org = tenant.organizationId.toHexString();
    for (const options of [[], [...byLead(), '--phone', person.phone]]) {
      const outcome = await runCli(['lead', 'erase', '--org', org, ...options], variables);
      expect(outcome.stderr).toBe(
        'error: Name either the lead (--lead) or the person (--phone, --email).\n',
      );
    }
  });
});

describe('lead erase by phone or email', () => {
  beforeEach(async () => {
    const { phone, email, name } = person;
    const allowed = { settings: { allowConflictLeads: true } };
    tenant = await addTenant(service.db, allowed);
    await post({ recordSystemId: 'phone', phoneNumber: phone, name }).expect(201);
    await post({ recordSystemId: 'phone2', phoneNumber2: `+2${phone}` }).expect(201);
    await post({ recordSystemId: 'client', phoneNumber: phone, email }).expect(201);
    await post({ recordSystemId: 'email', email: email.toUpperCase() }).expect(201);
    await post({ recordSystemId: 'other', phoneNumber: '01099999999' }).expect(201);
    await post({ recordSystemId: 'deleted', phoneNumber: phone }).expect(201);
    await service.api('delete', '/leads/deleted').set('api-key', tenant.key).expect(200);
  });
  const ids = ['phone', 'phone2', 'client', 'email', 'deleted'];
  const numbersOf = async (leadIds: readonly string[]) => {
    const leads = await stored('leads');
    return leads
      .filter(({ _id }) => leadIds.includes(_id.toHexString()))
      .map(({ recordSystemId }) => String(recordSystemId));
  };

  it('finds all leads of a person in any spelling and erases them with --yes', async () => {
    const { phone, email } = person;
    const spelled = `0020 ${phone.slice(1)}`;
    const dry = await run(['--phone', spelled, '--dry-run']);
    expect(await numbersOf(dry.leadIds)).toEqual(ids);
    const byEmail = await run(['--email', email.toUpperCase(), '--dry-run']);
    expect(await numbersOf(byEmail.leadIds)).toEqual(ids);
    const { counts } = await run(['--phone', spelled, '--yes']);
    expect(counts).toEqual(dry.counts);
    expect(counts).toMatchObject({ leads: 5, clients: 1 });
    expect(await traces()).toEqual({});
    expect(await stored('leads', { isDeleted: false })).toHaveLength(1);
    expect((await run(['--phone', spelled, '--yes'])).counts).toEqual(noCounts);
  });

  it('reports an unknown phone or email without failing', async () => {
    const org = tenant.organizationId.toHexString();
    const args = ['lead', 'erase', '--org', org, '--yes'];
    const unknown = [
      [['--phone', '01055555555'], 'phone'],
      [['--email', 'none@example.com'], 'email'],
      [['--phone', '01055555555', '--email', 'none@example.com'], 'phone or email'],
    ] as const;
    for (const [options, known] of unknown) {
      const stdout = `No lead, and no client of a lead, has this ${known}; nothing was erased.\n`;
      const outcome = await runCli([...args, ...options], variables);
      expect(outcome).toEqual({ code: 0, stdout, stderr: '' });
    }
  });

  it('rejects an invalid phone or email', async () => {
    const org = tenant.organizationId.toHexString();
    const args = ['lead', 'erase', '--org', org, '--yes'];
    const refused = [
      [
        ['--phone', 'abc'],
        'abc is not a phone number: it must have at least 5 digits and at most 64 ',
      ],
      [['--phone', '1234'], '1234 is not a phone number: '],
      [
        ['--email', 'abc'],
        'abc is not an email address: it must be an address such as mona@example.com.',
      ],
    ] as const;
    for (const [options, words] of refused) {
      const { code, stdout, stderr } = await runCli([...args, ...options], variables);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(words);
    }
  });

  it('lists the leads and asks, and without a terminal erases nothing', async () => {
    const org = tenant.organizationId.toHexString();
    const args = ['lead', 'erase', '--org', org, '--phone', person.phone];
    const { code, stdout, stderr } = await runCli(args, variables);
    expect(code).toBe(1);
    expect(stderr).toBe('Nothing was erased: repeat the command with --yes.\n');
    for (const id of ids) expect(stdout).toMatch(new RegExp(`^\\d+ +${id} `, 'm'));
    expect(await stored('erasures')).toEqual([]);
    expect(await stored('leads', { isDeleted: true })).toHaveLength(1);
  });
});
