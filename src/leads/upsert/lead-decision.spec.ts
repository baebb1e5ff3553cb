import { describe, expect, it } from '@jest/globals';
import { BSON, ObjectId } from 'mongodb';
import {
  before,
  clientWith,
  leadWith,
  loadedWith,
  now,
  organizationWith,
} from '../../../test/support/lead-records.js';
import type { FieldChange } from '../../tenants/change-log/field-changes.js';
import { type LeadPayload, requestData } from '../lead-merge.js';
import type { LeadData, LeadDocument } from '../lead.schema.js';
import { decideLead } from './lead-decision.js';
import { type LeadDecision, type LoadedRecords, LeadRecords } from './lead-records.js';

const organization = organizationWith();
/** An organization that leaves clients alone. */
const withoutClients = organizationWith({
  clients: { createFromLeads: false, updateExisting: false, matchBy: [] },
});

const apiKeyId = new ObjectId();

/** Decides a request over loaded records. */
function decide(payload: LeadPayload, loaded: Partial<LoadedRecords> = {}) {
  const caller = {
    organizationId: organization._id,
    organization,
    apiKeyId,
    permissions: '{}',
    requestId: 'request 7',
    language: 'ar-eg',
  } as const;
  const records = new LeadRecords(loadedWith({ organization: withoutClients, ...loaded }));
  return decideLead(records, { caller, payload, data: requestData(payload) });
}

describe('decideLead without a stored lead', () => {
  const payload = {
    recordSystemId: 'a',
    name: 'Mona',
    data: { phoneNumber: '01001234567' },
    additionalData: { source: 'x' },
  };

  it('creates a lead with its changes, event, lock keys and size', () => {
    const decided = decide(payload);
    const changes: FieldChange[] = [
      { field: 'data.name', from: null, to: 'Mona' },
      { field: 'data.phoneNumber', from: null, to: '01001234567' },
      { field: 'additionalData.source', from: null, to: 'x' },
    ];
    const data = { name: 'Mona', phoneNumber: '01001234567' };
    const lead = {
      _id: expect.any(ObjectId),
      organizationId: organization._id,
      recordSystemId: 'a',
      data,
      additionalData: { source: 'x' },
      phoneKeys: ['+201001234567'],
      phoneKeysOf: '["EG","01001234567"]',
      compoundsIds: [],
      clientId: null,
      assignedToId: null,
      parentId: null,
      isActive: true,
      isDeleted: false,
      createdAt: now,
      updatedAt: now,
    };
    expect(decided).toStrictEqual({
      operation: 'create',
      lead,
      entry: {
        entityId: decided.lead._id,
        context: 'External Lead Create',
        requestId: 'request 7',
        apiKeyId,
        changes,
      },
      client: { clientId: null, lockKeys: [] },
      events: [
        expect.objectContaining({
          organizationId: organization._id,
          type: 'lead.created',
          requestId: 'request 7',
          createdAt: now,
          data: expect.objectContaining({ _id: decided.lead._id.toHexString(), data }),
        }),
      ],
      lockKeys: ['phone:+201001234567'],
      bytes:
        BSON.calculateObjectSize({ data, additionalData: { source: 'x' } }) +
        BSON.calculateObjectSize({ changes }),
    });
    expect(decided.events[0]).not.toHaveProperty('changes');
  });

  it('creates a lead without external id when none is sent', () => {
    const decided = decide({}, { leads: [leadWith({ recordSystemId: 'a' })] });
    expect(decided.operation).toBe('create');
    expect(decided.lead).not.toHaveProperty('recordSystemId');
    expect(decided.lead).not.toHaveProperty('leadId');
    expect(decide({}, { numbers: [7, 8] }).lead.leadId).toBe(7);
    expect(decided).toMatchObject({
      entry: { changes: [] },
      events: [{ type: 'lead.created' }],
    });
  });
});

describe('decideLead with a stored lead', () => {
  const stored = leadWith({
    recordSystemId: 'a',
    leadId: 5,
    assignedToId: new ObjectId(),
    parentId: new ObjectId(),
    isActive: false,
    data: { name: 'Mona', phoneNumber: '01001234567' },
    additionalData: { source: 'x', other: 1 },
    phoneKeys: ['+201001234567'],
    phoneKeysOf: '["EG","01001234567"]',
    compoundsIds: [],
    clientId: null,
  });

  it('merges the request and locks only new phones', () => {
    const payload = {
      recordSystemId: 'a',
      phoneNumber2: '01112223334',
      additionalData: { source: 'y' },
    };
    const decided = decide(payload, { leads: [stored] });
    const changes = [
      { field: 'data.phoneNumber2', from: null, to: '01112223334' },
      { field: 'additionalData.source', from: 'x', to: 'y' },
    ];
    expect(decided).toMatchObject({ operation: 'update', entry: { changes } });
    expect(decided.lead).toStrictEqual({
      ...stored,
      data: { ...stored.data, phoneNumber2: '01112223334' },
      additionalData: { source: 'y', other: 1 },
      phoneKeys: ['+201001234567', '+201112223334'],
      phoneKeysOf: '["EG","01001234567","01112223334"]',
      updatedAt: now,
    });
    expect(decided.events).toMatchObject([{ type: 'lead.updated', data: { leadId: 5 }, changes }]);
    expect(decided.lockKeys).toEqual(['phone:+201112223334']);
  });

  it('keeps the lead and emits no event when nothing changes', () => {
    const decided = decide({ recordSystemId: 'a', name: 'Mona' }, { leads: [stored] });
    expect(decided.lead).toBe(stored);
    expect(decided).toMatchObject({
      operation: 'update',
      entry: { changes: [] },
      events: [],
      lockKeys: [],
    });
  });

  it.each(['data', 'additionalData'])(
    'rejects $ref from one request and $id from another in %s',
    (field) => {
      const leads = [leadWith({ recordSystemId: 'a', [field]: { $ref: 1 } })];
      expect(() => decide({ recordSystemId: 'a', [field]: { $id: 1 } }, { leads })).toThrow(
        'lead.database_reference',
      );
    },
  );

  const other = leadWith({ leadId: 1, data: { phoneNumber: '01112223334' } });

  it.each<LeadPayload>([
    { recordSystemId: 'a', phoneNumber2: '01112223334' },
    { phoneNumber: '01112223334' },
  ])('rejects a sent phone of another lead in %j', (payload) => {
    const loaded = { leads: [stored], phoneOwners: [other] };
    expect(() => decide(payload, loaded)).toThrow('lead.duplicate_phone');
  });

  it.each<LeadPayload>([
    { recordSystemId: 'a', phoneNumber: '+20 100 123 4567' },
    { recordSystemId: 'a', name: 'Nour' },
  ])('accepts %j when the lead already has the phone', (payload) => {
    const twin = { ...other, data: { phoneNumber: '01001234567' } };
    const loaded = { leads: [stored], phoneOwners: [twin] };
    expect(decide(payload, loaded).entry.changes).toHaveLength(1);
  });
});

describe('decideLead with phones of other leads', () => {
  const mona = new ObjectId();
  const phoneOwners = [
    leadWith({ data: { phoneNumber: '01001234567' } }),
    leadWith({ data: { phoneNumber: '01112223334' }, assignedToId: mona }),
    leadWith({ data: { phoneNumber: '01223334445' }, assignedToId: new ObjectId() }),
  ];
  const userNames = new Map([[mona.toHexString(), 'Mona Adel']]);
  const unassigned = (phone: string) => ({
    key: 'leads.duplicatePhoneUnassigned',
    values: { phone },
  });

  it.each([
    [['+20 100 123 4567', '01999999999'], [unassigned('+20 100 123 4567')]],
    [
      ['01001234567', '+201112223334'],
      [
        unassigned('01001234567'),
        {
          key: 'leads.duplicatePhoneAssigned',
          values: { phone: '+201112223334', user: 'Mona Adel' },
        },
      ],
    ],
    [['01223334445', ''], [unassigned('01223334445')]],
    [['01001234567', '01001234567'], [unassigned('01001234567')]],
  ])('returns a message for each duplicate of %j', ([phoneNumber, phoneNumber2], messages) => {
    const data = { phoneNumber, phoneNumber2 };
    const loaded = { phoneOwners, userNames };
    expect(() => decide({ data }, loaded)).toThrow(
      expect.objectContaining({ message: 'lead.duplicate_phone', messages }),
    );
    const tolerant = { ...withoutClients, allowConflictLeads: true };
    expect(decide({ data }, { ...loaded, organization: tolerant }).operation).toBe('create');
  });

  it('accepts phones that no other lead has', () => {
    expect(decide({ phoneNumber: '01999999999' }, { phoneOwners }).operation).toBe('create');
  });
});

describe('decideLead with large values', () => {
  const mebibyte = 1_048_576;
  /** Returns a text with which a document takes so many bytes. */
  const textFor = (bytes: number, document: (text: string) => object) =>
    'x'.repeat(bytes - BSON.calculateObjectSize(document('')));

  it('rejects more than 4 MiB of data and additionalData', () => {
    const lead = (text: string) => ({ data: { text }, additionalData: { other: 1 } });
    const text = textFor(4 * mebibyte, lead);
    expect(decide(lead(text)).bytes).toBeGreaterThan(8 * mebibyte);
    expect(() => decide(lead(`${text}x`))).toThrow(
      expect.objectContaining({
        message: 'lead.too_large',
        messages: [{ key: 'leads.tooLarge', values: { limit: 4 } }],
      }),
    );
  });

  it('rejects more than 8 MiB of changes even when the lead is smaller', () => {
    const keys = Array.from({ length: 110_000 }, (_, key) => [key, key]);
    const additionalData = Object.fromEntries(keys) as LeadData;
    const { changes } = decide({ additionalData }).entry;
    const text = textFor(8 * mebibyte, (to) => ({
      changes: [...changes, { field: 'additionalData.text', from: null, to }],
    }));
    const withText = (to: string) => decide({ additionalData: { ...additionalData, text: to } });
    expect(withText(text).operation).toBe('create');
    expect(() => withText(`${text}x`)).toThrow('lead.too_many_changes');
  });
});

describe('decideLead with clients', () => {
  const mona = clientWith({ name: 'Mona', phoneNumbers: ['+201001234567'] });

  it('creates a client and emits its event before that of the lead', () => {
    const decided = decide({ name: 'Mona', phoneNumber: '01001234567' }, { organization });
    expect(decided.client).toMatchObject({
      clientId: decided.lead.clientId,
      change: { isNew: true, client: { name: 'Mona', phoneNumbers: ['+201001234567'] } },
    });
    expect(decided.lead.clientId).toBeInstanceOf(ObjectId);
    expect(decided.events.map(({ type }) => type)).toEqual(['client.created', 'lead.created']);
    expect(decided.events[0]).toBe(decided.client.change?.event);
    expect(decided.lockKeys).toEqual(['phone:+201001234567', 'phone:+201001234567']);
    expect(decided.entry.changes).toContainEqual({
      field: 'clientId',
      from: null,
      to: decided.lead.clientId?.toHexString(),
    });
  });

  it('matches a client by the merged data when the lead has none', () => {
    const data = { phoneNumber: '01001234567' };
    const leads = [leadWith({ recordSystemId: 'a', data })];
    const decided = decide(
      { recordSystemId: 'a', email: 'mona@example.com' },
      { organization, leads, clients: loadedWith({ storedClients: [mona] }).clients },
    );
    expect(decided.lead.clientId).toBe(mona._id);
    expect(decided.client.change?.client).toMatchObject({
      email: 'mona@example.com',
      updatedAt: now,
    });
  });

  it('updates the linked client with the sent values only', () => {
    const data = { name: 'Nobody', phoneNumber: '01001234567' };
    const leads = [leadWith({ recordSystemId: 'a', data, clientId: mona._id })];
    const decided = decide(
      { recordSystemId: 'a', email: 'mona@example.com' },
      { organization, leads, clients: loadedWith({ storedClients: [mona] }).clients },
    );
    expect(decided.lead.clientId).toEqual(mona._id);
    expect(decided.client.change?.client).toMatchObject({ name: 'Mona', _id: mona._id });
    expect(decided.events).toMatchObject([
      { type: 'client.updated', requestId: 'request 7' },
      { type: 'lead.updated' },
    ]);
  });
});

describe('decideLead with compounds', () => {
  const [linked, named] = [new ObjectId(), new ObjectId()];
  const compoundsNamed: LoadedRecords['compoundsNamed'] = ({ name, language }) =>
    name === 'Palm' && language === 'ar-eg' ? [new ObjectId(named.toHexString()), linked] : [];

  it('adds the compounds of the sent project to the linked compounds', () => {
    const leads = [leadWith({ recordSystemId: 'a', compoundsIds: [linked] })];
    const decided = decide({ recordSystemId: 'a', project: 'Palm' }, { leads, compoundsNamed });
    expect(decided.lead.compoundsIds).toEqual([linked, named]);
    const repeated = decide(
      { recordSystemId: 'a', project: 'Palm' },
      { leads: [{ ...decided.lead }], compoundsNamed },
    );
    expect(repeated.entry.changes).toEqual([]);
    const unnamed = decide({ recordSystemId: 'a', name: 'x' }, { leads, compoundsNamed });
    expect(unnamed.lead.compoundsIds).toEqual([linked]);
  });

  it('does not search compounds when no project is sent', () => {
    const asked: string[] = [];
    const loaded = { compoundsNamed: ({ name }: { name: string }) => (asked.push(name), []) };
    for (const project of [undefined, null, '', {}]) decide({ data: { project } }, loaded);
    expect(asked).toEqual([]);
    decide({ data: { project: 7 } }, loaded);
    expect(asked).toEqual(['7']);
  });

  it('links compounds to a new lead', () => {
    const decided = decide({ project: 'Palm' }, { compoundsNamed });
    expect(decided.lead.compoundsIds).toEqual([named, linked]);
    expect(decided.lead.createdAt).not.toEqual(before);
  });
});

const phone = '+201001234567';
const data = { phoneNumber: '01001234567' };

const entryOf = (changes: FieldChange[]) => ({ ...decide({}).entry, changes });

/** A decision as far as records read it. */
function decisionOf(lead: LeadDocument, fields: Partial<LeadDecision> = {}): LeadDecision {
  return {
    operation: 'update',
    lead,
    entry: entryOf([{ field: 'data.name', from: null, to: 'Mona' }]),
    client: { clientId: null, lockKeys: [] },
    events: [],
    lockKeys: [],
    bytes: 1,
    ...fields,
  };
}

const recordsOf = (...loaded: Parameters<typeof loadedWith>) =>
  new LeadRecords(loadedWith(...loaded));

describe('LeadRecords', () => {
  it('finds the active lead with an external id', () => {
    const lead = leadWith({ recordSystemId: 'a' });
    const records = recordsOf({ leads: [leadWith(), lead] });
    records.put(decisionOf(leadWith()));
    expect(['a', 'b', undefined].map((id) => records.findActive(id))).toEqual([lead, null, null]);
  });

  it.each([[[3, 1, 2]], [[1, 2, 3]], [[2, 3, 1]]])(
    'finds the lowest-numbered owner of a phone among %j',
    (numbers) => {
      const [first, ...others] = numbers.map((leadId) => leadWith({ leadId, data }));
      const records = recordsOf({ leads: first ? [first] : [], phoneOwners: others });
      expect(records.findPhoneOwner(phone)?.leadId).toBe(1);
      expect(records.findPhoneOwner('+20111')).toBeUndefined();
    },
  );

  it('orders owners without a number by id', () => {
    const ids = ['1', '2'].map((digit) => new ObjectId(digit.repeat(24)));
    for (const order of [ids, ids.toReversed()]) {
      const phoneOwners = order.map((_id) => leadWith({ _id, leadId: null, data }));
      expect(recordsOf({ phoneOwners }).findPhoneOwner(phone)?._id).toBe(ids[0]);
    }
  });

  it('returns names of known users, and compounds by name and language', () => {
    const [user, compound] = [new ObjectId(), new ObjectId()];
    const records = recordsOf({
      userNames: new Map([[user.toHexString(), 'Mona Adel']]),
      compoundsNamed: ({ name, language }) =>
        name === 'Palm' && language === 'ar-eg' ? [compound] : [],
    });
    const users = [user, new ObjectId(), null, undefined];
    expect(users.map((id) => records.userName(id))).toEqual(['Mona Adel', ...Array(3)]);
    expect(records.compoundsNamed('Palm', 'ar-eg')).toEqual([compound]);
    expect(records.compoundsNamed('Palm', 'en-us')).toEqual([]);
  });

  it('returns leads and phone owners as the last decision left them', () => {
    const [first, second] = [1, 2].map((leadId) =>
      leadWith({ recordSystemId: `${leadId}`, leadId, data }),
    );
    const records = recordsOf({
      leads: [first ?? leadWith()],
      phoneOwners: [second ?? leadWith()],
    });
    const moved = { ...leadWith(), ...first, data: { phoneNumber: '01112223334' } };
    records.put(decisionOf(moved));
    expect(records.findActive('1')).toBe(moved);
    expect(records.findPhoneOwner(phone)).toBe(second);
    expect(records.findPhoneOwner('+201112223334')).toBe(moved);
    records.put(decisionOf({ ...moved, data }));
    expect(records.findPhoneOwner(phone)?._id).toBe(moved._id);
    expect(records.findPhoneOwner('+201112223334')).toBeUndefined();
  });

  it('returns the client as changed by an earlier decision', () => {
    const records = recordsOf();
    const client = clientWith();
    const change = { client, isNew: true, event: {} as never };
    const link = { clientId: client._id, lockKeys: [] };
    records.put(decisionOf(leadWith(), { client: { ...link, change } }));
    records.put(decisionOf(leadWith(), { client: link }));
    expect(records.clients.findById(client._id)).toBe(client);
    expect(records.clients.changes()).toEqual([change]);
  });

  it('returns the last state of each created or changed lead once', () => {
    const records = recordsOf({ numbers: [7, 8] });
    const [created, stored, untouched] = [leadWith(), leadWith(), leadWith()];
    const [later, last] = [{ ...created }, { ...stored }];
    expect(records.nextNumber).toBe(7);
    records.put(decisionOf(created, { operation: 'create', entry: entryOf([]) }));
    expect(records.nextNumber).toBe(8);
    for (const lead of [stored, later, last]) records.put(decisionOf(lead));
    for (const lead of [untouched, last]) records.put(decisionOf(lead, { entry: entryOf([]) }));
    expect(records.writes()).toEqual([
      { insert: { ...later, phoneKeysAt: later.updatedAt } },
      { _id: last._id, fields: { phoneKeysAt: last.updatedAt, updatedAt: last.updatedAt } },
    ]);
    expect(records.bytes).toBe(6);
  });

  it('returns the lock keys of all decisions', () => {
    const records = recordsOf();
    for (const lockKey of ['phone:1', 'phone:2']) {
      records.put(decisionOf(leadWith(), { lockKeys: [lockKey] }));
    }
    expect(records.lockKeys).toEqual(['phone:1', 'phone:2']);
  });
});
