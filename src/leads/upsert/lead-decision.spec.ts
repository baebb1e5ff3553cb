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
import { decideLead } from './lead-decision.js';
import { type LoadedRecords, LeadRecords } from './lead-records.js';

const organization = organizationWith();
/** An organization that leaves clients alone. */
const withoutClients = organizationWith({
  clients: { createFromLeads: false, updateExisting: false, matchBy: [] },
});

const apiKeyId = new ObjectId();

/** What a request makes of records. */
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

describe('a request without a lead of its external id', () => {
  const payload = {
    recordSystemId: 'a',
    name: 'Mona',
    data: { phoneNumber: '01001234567' },
    additionalData: { source: 'x' },
  };

  it('creates one', () => {
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
      request: { requestId: 'request 7', apiKeyId },
      operation: 'create',
      lead,
      changes,
      client: { clientId: null, claims: [] },
      events: [
        expect.objectContaining({
          organizationId: organization._id,
          type: 'lead.created',
          requestId: 'request 7',
          createdAt: now,
          data: expect.objectContaining({ _id: decided.lead._id.toHexString(), data }),
        }),
      ],
      claims: ['phone:+201001234567'],
      bytes:
        BSON.calculateObjectSize({ data, additionalData: { source: 'x' } }) +
        BSON.calculateObjectSize({ changes }),
    });
    expect(decided.events[0]).not.toHaveProperty('changes');
  });

  it('creates one that has no external id, whatever there is', () => {
    const decided = decide({}, { leads: [leadWith({ recordSystemId: 'a' })] });
    expect(decided.operation).toBe('create');
    expect(decided.lead).not.toHaveProperty('recordSystemId');
    expect(decided).toMatchObject({ changes: [], events: [{ type: 'lead.created' }] });
  });
});

describe('a request for a lead', () => {
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

  it('merges into it', () => {
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
    expect(decided).toMatchObject({ operation: 'update', changes });
    expect(decided.lead).toStrictEqual({
      ...stored,
      data: { ...stored.data, phoneNumber2: '01112223334' },
      additionalData: { source: 'y', other: 1 },
      phoneKeys: ['+201001234567', '+201112223334'],
      phoneKeysOf: '["EG","01001234567","01112223334"]',
      updatedAt: now,
    });
    expect(decided.events).toMatchObject([{ type: 'lead.updated', data: { leadId: 5 }, changes }]);
    // The other phone was its own before.
    expect(decided.claims).toEqual(['phone:+201112223334']);
  });

  it('that changes nothing keeps it as it is, and tells nobody', () => {
    const decided = decide({ recordSystemId: 'a', name: 'Mona' }, { leads: [stored] });
    expect(decided.lead).toBe(stored);
    expect(decided).toMatchObject({ operation: 'update', changes: [], events: [], claims: [] });
  });

  it('is refused when both together cannot be stored', () => {
    const half = { $ref: 1 };
    const leads = [leadWith({ recordSystemId: 'a', data: half, additionalData: half })];
    for (const field of ['data', 'additionalData'] as const) {
      expect(() => decide({ recordSystemId: 'a', [field]: { $id: 1 } }, { leads })).toThrow(
        'lead.database_reference',
      );
    }
  });

  it('is refused when both together, or what it changes, are too large', () => {
    const text = (length: number) => 'x'.repeat(length);
    const withText = (length: number) => [
      leadWith({ recordSystemId: 'a', data: { text: text(length) } }),
    ];
    expect(() =>
      decide({ recordSystemId: 'a', data: { more: text(2_000_000) } }, { leads: withText(3e6) }),
    ).toThrow('lead.too_large');
    // Another program has stored more than a request can.
    expect(() =>
      decide({ recordSystemId: 'a', data: { text: text(3_900_000) } }, { leads: withText(5e6) }),
    ).toThrow('lead.too_many_changes');
  });

  it('is refused for a phone of another lead, sent now', () => {
    const other = leadWith({ data: { phoneNumber: '01112223334' } });
    const loaded = { leads: [stored], phoneOwners: [other] };
    expect(() => decide({ recordSystemId: 'a', phoneNumber2: '01112223334' }, loaded)).toThrow(
      'lead.duplicate_phone',
    );
    expect(() => decide({ phoneNumber: '01112223334' }, loaded)).toThrow('lead.duplicate_phone');
  });

  it('is not refused for a phone of its own, or one that is not sent', () => {
    const other = leadWith({ leadId: 1, data: { phoneNumber: '01001234567' } });
    const loaded = { leads: [stored], phoneOwners: [other] };
    expect(
      decide({ recordSystemId: 'a', phoneNumber: '+20 100 123 4567' }, loaded).changes,
    ).toHaveLength(1);
    expect(decide({ recordSystemId: 'a', name: 'Nour' }, loaded).changes).toHaveLength(1);
  });
});

describe('the client of a lead', () => {
  const mona = clientWith({ name: 'Mona', phoneNumbers: ['+201001234567'] });

  it('is created with a new lead, and told of before it', () => {
    const decided = decide({ name: 'Mona', phoneNumber: '01001234567' }, { organization });
    expect(decided.client).toMatchObject({
      clientId: decided.lead.clientId,
      change: { isNew: true, client: { name: 'Mona', phoneNumbers: ['+201001234567'] } },
    });
    expect(decided.lead.clientId).toBeInstanceOf(ObjectId);
    expect(decided.events.map(({ type }) => type)).toEqual(['client.created', 'lead.created']);
    expect(decided.events[0]).toBe(decided.client.change?.event);
    expect(decided.claims).toEqual(['phone:+201001234567', 'phone:+201001234567']);
    expect(decided.changes).toContainEqual({
      field: 'clientId',
      from: null,
      to: decided.lead.clientId?.toHexString(),
    });
  });

  it('is matched by all that the lead has, where it has none yet', () => {
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

  it('that the lead has takes what is sent, and nothing else of the lead', () => {
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

describe('the compounds of a lead', () => {
  const [linked, named] = [new ObjectId(), new ObjectId()];
  const compoundsNamed: LoadedRecords['compoundsNamed'] = ({ name, language }) =>
    name === 'Palm' && language === 'ar-eg' ? [new ObjectId(named.toHexString()), linked] : [];

  it('are those of the project that is sent, beside those that it has', () => {
    const leads = [leadWith({ recordSystemId: 'a', compoundsIds: [linked] })];
    const decided = decide({ recordSystemId: 'a', project: 'Palm' }, { leads, compoundsNamed });
    expect(decided.lead.compoundsIds).toEqual([linked, named]);
    const repeated = decide(
      { recordSystemId: 'a', project: 'Palm' },
      { leads: [{ ...decided.lead }], compoundsNamed },
    );
    expect(repeated.changes).toEqual([]);
    const unnamed = decide({ recordSystemId: 'a', name: 'x' }, { leads, compoundsNamed });
    expect(unnamed.lead.compoundsIds).toEqual([linked]);
  });

  it('are not looked for without a project', () => {
    const asked: string[] = [];
    const loaded = { compoundsNamed: ({ name }: { name: string }) => (asked.push(name), []) };
    for (const project of [undefined, null, '', {}]) decide({ data: { project } }, loaded);
    expect(asked).toEqual([]);
    decide({ data: { project: 7 } }, loaded);
    expect(asked).toEqual(['7']);
  });

  it('are linked to a new lead too', () => {
    const decided = decide({ project: 'Palm' }, { compoundsNamed });
    expect(decided.lead.compoundsIds).toEqual([named, linked]);
    expect(decided.lead.createdAt).not.toEqual(before);
  });
});
