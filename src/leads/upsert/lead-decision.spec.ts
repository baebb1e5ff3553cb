import { describe, expect, it } from '@jest/globals';
import { BSON, ObjectId } from 'mongodb';
import {
  clientWith,
  leadWith,
  loadedWith,
  now,
  organizationWith,
} from '../../../test/support/lead-records.js';
import type { FieldChange } from '../../tenants/change-log/field-changes.js';
import { type LeadPayload, mergeFlatFields } from '../lead-merge.js';
import type { LeadData, LeadDocument } from '../lead.schema.js';
import { decideLead } from './lead-decision.js';
import { type LeadDecision, type LoadedLeads, LeadWorkingSet } from './lead-working-set.js';

const organization = organizationWith();
const withoutClients = organizationWith({
  clients: { createFromLeads: false, updateExisting: false, matchBy: [] },
});

const apiKeyId = new ObjectId();

function decide(payload: LeadPayload, loaded: Partial<LoadedLeads> = {}) {
  const ids = { organizationId: organization._id, apiKeyId, requestId: 'request 7' };
  const caller = { ...ids, organization, permissionsJson: '{}', language: 'ar-eg' } as const;
  const workingSet = new LeadWorkingSet(loadedWith({ organization: withoutClients, ...loaded }));
  return decideLead(workingSet, { caller, payload, data: mergeFlatFields(payload) });
}

const sent = '01001234567';
const phone = '+201001234567';
const phones = { emailKey: '', phoneKeys: [phone], phoneKeysOf: `[3,"EG","${sent}"]` };

describe('decideLead without a stored lead', () => {
  it('creates a lead with its changes, event, lock keys and size', () => {
    const data = { name: 'Mona', phoneNumber: sent };
    const additionalData = { source: 'x' };
    const { name, phoneNumber } = data;
    const decided = decide({ recordSystemId: 'a', name, data: { phoneNumber }, additionalData });
    const changes: FieldChange[] = [
      { field: 'data.name', from: null, to: 'Mona' },
      { field: 'data.phoneNumber', from: null, to: sent },
      { field: 'additionalData.source', from: null, to: 'x' },
    ];
    const { _id: entityId } = decided.lead;
    const organizationId = organization._id;
    const requestId = 'request 7';
    const event = { organizationId, type: 'lead.created', requestId, createdAt: now };
    const published = expect.objectContaining({ _id: entityId.toHexString(), data });
    const [links, active] = [{ assignedToId: null, parentId: null }, { isActive: true }];
    const times = { createdAt: now, updatedAt: now };
    const given = { _id: expect.any(ObjectId), organizationId, recordSystemId: 'a', ...times };
    const none = { compoundsIds: [], clientId: null, isDeleted: false };
    expect(decided).toStrictEqual({
      operation: 'create',
      lead: { ...given, data, additionalData, ...phones, ...links, ...active, ...none },
      entry: { entityId, context: 'External Lead Create', requestId, apiKeyId, changes },
      client: { clientId: null, lockKeys: [] },
      isProjectUnmatched: false,
      events: [expect.objectContaining({ ...event, data: published })],
      lockKeys: [`phone:${phone}`],
      bytes:
        BSON.calculateObjectSize({ data, additionalData }) + BSON.calculateObjectSize({ changes }),
    });
    expect(decided.events[0]).not.toHaveProperty('changes');
  });

  it('creates a lead without external id when none is sent', () => {
    const decided = decide({}, { leads: [leadWith(), leadWith({ recordSystemId: 'a' })] });
    const events = [{ type: 'lead.created' }];
    expect(decided).toMatchObject({ operation: 'create', entry: { changes: [] }, events });
    expect(decided.lead).not.toHaveProperty('recordSystemId');
    expect(decided.lead).not.toHaveProperty('leadId');
    expect(decide({}, { numbers: [7, 8] }).lead.leadId).toBe(7);
  });
});

describe('decideLead with a stored lead', () => {
  const stored = leadWith({
    recordSystemId: 'a',
    leadId: 5,
    assignedToId: new ObjectId(),
    parentId: new ObjectId(),
    isActive: false,
    data: { name: 'Mona', phoneNumber: sent },
    additionalData: { source: 'x', other: 1 },
    ...phones,
    compoundsIds: [],
    clientId: null,
  });

  it('merges the request and locks only new phones', () => {
    const phoneNumber2 = '01112223334';
    const payload = { recordSystemId: 'a', phoneNumber2, additionalData: { source: 'y' } };
    const decided = decide(payload, { leads: [stored] });
    const changes = [
      { field: 'data.phoneNumber2', from: null, to: phoneNumber2 },
      { field: 'additionalData.source', from: 'x', to: 'y' },
    ];
    expect(decided).toMatchObject({ operation: 'update', entry: { changes } });
    expect(decided.lead).toStrictEqual({
      ...stored,
      data: { ...stored.data, phoneNumber2 },
      additionalData: { source: 'y', other: 1 },
      emailKey: '',
      phoneKeys: [phone, '+201112223334'],
      phoneKeysOf: `[3,"EG","${sent}","${phoneNumber2}"]`,
      updatedAt: now,
    });
    expect(decided.events).toMatchObject([{ type: 'lead.updated', data: { leadId: 5 }, changes }]);
    expect(decided.lockKeys).toEqual(['phone:+201112223334']);
  });

  it('keeps the lead and emits no event when nothing changes', () => {
    const decided = decide({ recordSystemId: 'a', name: 'Mona' }, { leads: [stored] });
    expect(decided.lead).toBe(stored);
    const none = { entry: { changes: [] }, events: [], lockKeys: [] };
    expect(decided).toMatchObject({ operation: 'update', ...none });
  });

  it('refuses $ref from one request and $id from another', () => {
    const leads = [leadWith({ recordSystemId: 'a', data: { $ref: 1 } })];
    const decision = () => decide({ recordSystemId: 'a', data: { $id: 1 } }, { leads });
    expect(decision).toThrow('lead.database_reference');
  });

  it.each<[owned: string, LeadPayload, changes: number | 'rejected']>([
    ['01112223334', { recordSystemId: 'a', phoneNumber2: '01112223334' }, 'rejected'],
    ['01112223334', { phoneNumber: '01112223334' }, 'rejected'],
    [sent, { recordSystemId: 'a', phoneNumber: '+20 100 123 4567' }, 1],
    [sent, { recordSystemId: 'a', name: 'Nour' }, 1],
  ])(
    'with another lead that has the phone %s, %j returns this number of changes or a refusal: %s',
    (phoneNumber, payload, changes) => {
      const other = leadWith({ leadId: 1, data: { phoneNumber } });
      const decision = () => decide(payload, { leads: [stored], phoneOwners: [other] });
      if (changes === 'rejected') expect(decision).toThrow('lead.duplicate_phone');
      else expect(decision().entry.changes).toHaveLength(changes);
    },
  );
});

describe('decideLead with phones of other leads', () => {
  const mona = new ObjectId();
  const phoneOwners = [
    leadWith({ data: { phoneNumber: sent } }),
    leadWith({ data: { phoneNumber: '01112223334' }, assignedToId: mona }),
    leadWith({ data: { phoneNumber: '01223334445' }, assignedToId: new ObjectId() }),
  ];
  const userNames = new Map([[mona.toHexString(), 'Mona Adel']]);
  const unassigned = (duplicate: string) => ({
    key: 'leads.duplicatePhoneUnassigned',
    values: { phone: duplicate },
  });
  const named = {
    key: 'leads.duplicatePhoneAssigned',
    values: { phone: '+201112223334', user: 'Mona Adel' },
  };
  const unnamed = { key: 'leads.duplicatePhoneAssignedUnnamed', values: { phone: '01223334445' } };

  it.each([
    ['+20 100 123 4567', '01999999999', [unassigned('+20 100 123 4567')]],
    [sent, '+201112223334', [unassigned(sent), named]],
    ['01223334445', '', [unnamed]],
    [sent, sent, [unassigned(sent)]],
  ])('returns a message for each duplicate of %j and %j', (phoneNumber, phoneNumber2, messages) => {
    const payload = { data: { phoneNumber, phoneNumber2 } };
    const error = expect.objectContaining({ message: 'lead.duplicate_phone', messages });
    expect(() => decide(payload, { phoneOwners, userNames })).toThrow(error);
    const tolerant = { ...withoutClients, allowConflictLeads: true };
    expect(decide(payload, { phoneOwners, organization: tolerant }).operation).toBe('create');
  });

  it('accepts phones that no other lead has', () => {
    expect(decide({ phoneNumber: '01999999999' }, { phoneOwners }).operation).toBe('create');
  });
});

describe('decideLead with large values', () => {
  const mebibyte = 1_048_576;
  /** Returns a string with which the document has this BSON size. */
  const textFor = (bytes: number, document: (text: string) => object) =>
    'x'.repeat(bytes - BSON.calculateObjectSize(document('')));

  it('refuses more than 4 MiB of data and additionalData', () => {
    const lead = (text: string) => ({ data: { text }, additionalData: { other: 1 } });
    const text = textFor(4 * mebibyte, lead);
    expect(decide(lead(text)).bytes).toBeGreaterThan(8 * mebibyte);
    const messages = [{ key: 'leads.tooLarge', values: { limit: 4 } }];
    const error = expect.objectContaining({ message: 'lead.too_large', messages });
    expect(() => decide(lead(`${text}x`))).toThrow(error);
  });

  it('refuses more than 8 MiB of changes even when the lead is smaller', () => {
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
  const mona = clientWith({ name: 'Mona', phoneNumbers: [phone] });
  const update = { recordSystemId: 'a', email: 'mona@example.com' };
  const decideWith = (payload: LeadPayload, lead: Partial<LeadDocument>) => {
    const { clients } = loadedWith({ storedClients: [mona] });
    const leads = [leadWith({ recordSystemId: 'a', ...lead })];
    return decide(payload, { organization, leads, clients });
  };

  it('creates a client and emits its event before that of the lead', () => {
    const decided = decide({ name: 'Mona', phoneNumber: sent }, { organization });
    const { clientId } = decided.lead;
    const change = { isNew: true, client: { name: 'Mona', phoneNumbers: [phone] } };
    expect(decided.client).toMatchObject({ clientId, change });
    expect(clientId).toBeInstanceOf(ObjectId);
    expect(decided.events.map(({ type }) => type)).toEqual(['client.created', 'lead.created']);
    expect(decided.events[0]).toBe(decided.client.change?.event);
    expect(decided.lockKeys).toEqual([`phone:${phone}`, `phone:${phone}`]);
    const linked = { field: 'clientId', from: null, to: clientId?.toHexString() };
    expect(decided.entry.changes).toContainEqual(linked);
  });

  it('matches a client by the merged data when the lead has none', () => {
    const { lead, client } = decideWith(update, { data: { phoneNumber: sent } });
    expect(lead.clientId).toBe(mona._id);
    expect(client.change?.client).toMatchObject({ email: update.email, updatedAt: now });
  });

  it('updates the linked client with the sent values only', () => {
    const data = { name: 'Nobody', phoneNumber: sent };
    const { client, events, lead } = decideWith(update, { data, clientId: mona._id });
    expect(lead.clientId).toEqual(mona._id);
    expect(client.change?.client).toMatchObject({ name: 'Mona', _id: mona._id });
    const clientUpdate = { type: 'client.updated', requestId: 'request 7' };
    expect(events).toMatchObject([clientUpdate, { type: 'lead.updated' }]);
  });
});

describe('decideLead with compounds', () => {
  const [linked, named] = [new ObjectId(), new ObjectId()];
  const compoundsNamed: LoadedLeads['compoundsNamed'] = ({ name, language }) =>
    name === 'Palm' && language === 'ar-eg' ? [new ObjectId(named.toHexString()), linked] : [];

  it('adds the compounds of the sent project to the linked compounds', () => {
    const update = (fields: LeadPayload, compoundsIds: ObjectId[]) => {
      const leads = [leadWith({ recordSystemId: 'a', compoundsIds })];
      return decide({ recordSystemId: 'a', ...fields }, { leads, compoundsNamed }).lead;
    };
    expect(update({ project: 'Palm' }, [linked]).compoundsIds).toEqual([linked, named]);
    expect(update({ project: 'Palm' }, [linked, named]).compoundsIds).toEqual([linked, named]);
    expect(update({ name: 'x' }, [linked]).compoundsIds).toEqual([linked]);
    const { compoundsIds, createdAt } = decide({ project: 'Palm' }, { compoundsNamed }).lead;
    expect([compoundsIds, createdAt]).toEqual([[named, linked], now]);
  });

  it.each<[LeadPayload, boolean]>([
    [{ project: 'Palm' }, false],
    [{ project: 'Lake' }, true],
    [{ project: 'Palm', data: { project: 'Lake' } }, true],
    [{ project: 'Lake', data: { project: '' } }, false],
    [{ name: 'Mona' }, false],
  ])('with %j decides that its project matches no compound: %j', (payload, isUnmatched) => {
    const leads = [leadWith({ recordSystemId: 'a', data: { project: 'Lake' } })];
    const decision = decide({ recordSystemId: 'a', ...payload }, { leads, compoundsNamed });
    expect(decision.isProjectUnmatched).toBe(isUnmatched);
  });

  it('does not search compounds when no project is sent', () => {
    const searched: string[] = [];
    const loaded = { compoundsNamed: ({ name }: { name: string }) => (searched.push(name), []) };
    for (const project of [undefined, null, '', {}]) decide({ data: { project } }, loaded);
    expect(searched).toEqual([]);
    decide({ data: { project: 7 } }, loaded);
    expect(searched).toEqual(['7']);
  });
});

const data = { phoneNumber: sent };

const entryOf = (changes: FieldChange[]) => ({ ...decide({}).entry, changes });

/** Builds a decision with the fields that LeadRecords reads. */
function decisionOf(lead: LeadDocument, fields: Partial<LeadDecision> = {}): LeadDecision {
  return {
    operation: 'update',
    lead,
    entry: entryOf([{ field: 'data.name', from: null, to: 'Mona' }]),
    client: { clientId: null, lockKeys: [] },
    isProjectUnmatched: false,
    events: [],
    lockKeys: [],
    bytes: 1,
    ...fields,
  };
}

const workingSetOf = (...loaded: Parameters<typeof loadedWith>) =>
  new LeadWorkingSet(loadedWith(...loaded));

describe('LeadRecords', () => {
  const idOf = (digit: number) => new ObjectId(`${digit}`.repeat(24));

  it.each<[string, Partial<LeadDocument>[]]>([
    ['lowest number', [3, 1, 2].map((digit, index) => ({ _id: idOf(digit), leadId: index + 1 }))],
    ['lowest id without numbers', [1, 2].map((digit) => ({ _id: idOf(digit), leadId: null }))],
  ])('returns the owner of a phone with the %s', (_title, fields) => {
    const owners = fields.map((each) => leadWith({ ...each, data }));
    for (const order of [
      owners,
      owners.toReversed(),
      [...owners.slice(1), ...owners.slice(0, 1)],
    ]) {
      const [lead = leadWith(), ...phoneOwners] = order;
      const workingSet = workingSetOf({ leads: [lead], phoneOwners });
      expect(workingSet.findPhoneOwner(phone)).toBe(owners[0]);
      expect(workingSet.findPhoneOwner('+20111')).toBeUndefined();
    }
  });

  it('returns leads and phone owners as the last decision left them', () => {
    const [first, second] = [1, 2].map((leadId) => leadWith({ leadId, data })) as [
      LeadDocument,
      LeadDocument,
    ];
    const workingSet = workingSetOf({ leads: [first], phoneOwners: [second] });
    const moved = { ...first, recordSystemId: '1', data: { phoneNumber: '01112223334' } };
    workingSet.put(decisionOf(moved));
    expect(workingSet.findActive('1')).toBe(moved);
    expect(workingSet.findPhoneOwner(phone)).toBe(second);
    expect(workingSet.findPhoneOwner('+201112223334')).toBe(moved);
    workingSet.put(decisionOf({ ...moved, data }));
    expect(workingSet.findPhoneOwner(phone)?._id).toBe(moved._id);
    expect(workingSet.findPhoneOwner('+201112223334')).toBeUndefined();
  });

  it('returns the client as changed by an earlier decision', () => {
    const workingSet = workingSetOf();
    const client = clientWith();
    const change = { client, isNew: true, event: {} as never };
    const link = { clientId: client._id, lockKeys: [] };
    workingSet.put(decisionOf(leadWith(), { client: { ...link, change } }));
    workingSet.put(decisionOf(leadWith(), { client: link }));
    expect(workingSet.clients.findById(client._id)).toBe(client);
    expect(workingSet.clients.changes()).toEqual([change]);
  });

  it('returns the last state of each changed lead once, and the lock keys of all', () => {
    const workingSet = workingSetOf({ numbers: [7, 8] });
    const [created, stored, untouched] = [leadWith(), leadWith(), leadWith()];
    const [later, last] = [{ ...created }, { ...stored }];
    expect(workingSet.nextNumber).toBe(7);
    const unchanged = { entry: entryOf([]) };
    workingSet.put(decisionOf(created, { operation: 'create', lockKeys: ['1'], ...unchanged }));
    expect(workingSet.nextNumber).toBe(8);
    for (const lead of [stored, later, last]) workingSet.put(decisionOf(lead, { lockKeys: ['2'] }));
    for (const lead of [untouched, last]) workingSet.put(decisionOf(lead, unchanged));
    const { updatedAt } = last;
    expect(workingSet.writes()).toEqual([
      { insert: { ...later, phoneKeysAt: later.updatedAt } },
      { _id: last._id, fields: { phoneKeysAt: updatedAt, updatedAt } },
    ]);
    expect([workingSet.bytes, workingSet.lockKeys]).toEqual([6, ['1', '2', '2', '2']]);
  });
});
