import { describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { clientWith, leadWith, loadedWith } from '../../../test/support/lead-records.js';
import { type LeadDecision, LeadRecords } from './lead-records.js';

const phone = '+201001234567';
const data = { phoneNumber: '01001234567' };

/** What a request that changes a lead does, as far as records take it over. */
function decisionOf(
  lead: LeadDecision['lead'],
  client: Partial<LeadDecision['client']> = {},
  fields: Partial<LeadDecision> = {},
): LeadDecision {
  return {
    request: { requestId: 'request', apiKeyId: new ObjectId() },
    operation: 'update',
    lead,
    changes: [{ field: 'data.name', from: null, to: 'Mona' }],
    client: { clientId: null, claims: [], ...client },
    events: [],
    claims: [],
    bytes: 1,
    ...fields,
  };
}

describe('the records of a group', () => {
  it('have the active lead with an external id', () => {
    const lead = leadWith({ recordSystemId: 'a' });
    const records = new LeadRecords(loadedWith({ leads: [leadWith(), lead] }));
    expect(records.findActive('a')).toBe(lead);
    expect(records.findActive('b')).toBeNull();
    expect(records.findActive(undefined)).toBeNull();
  });

  it('have the owner of a phone with the lowest number, whoever was found first', () => {
    const numbered = [3, 1, 2].map((leadId) => leadWith({ leadId, data }));
    const records = new LeadRecords(loadedWith({ phoneOwners: numbered }));
    expect(records.findPhoneOwner(phone)).toBe(numbered[1]);
    expect(records.findPhoneOwner('+20111')).toBeUndefined();
  });

  it('tell owners without a number apart by their ids', () => {
    const [low, high] = [new ObjectId('1'.repeat(24)), new ObjectId('2'.repeat(24))];
    for (const ids of [
      [low, high],
      [high, low],
    ]) {
      const phoneOwners = ids.map((_id) => leadWith({ _id, leadId: null, data }));
      const records = new LeadRecords(loadedWith({ phoneOwners }));
      expect(records.findPhoneOwner(phone)?._id).toBe(low);
    }
  });

  it('have the leads themselves among the owners', () => {
    const lead = leadWith({ recordSystemId: 'a', data });
    expect(new LeadRecords(loadedWith({ leads: [lead] })).findPhoneOwner(phone)).toBe(lead);
  });

  it('have the names of users, and the compounds of a name', () => {
    const [user, compound] = [new ObjectId(), new ObjectId()];
    const records = new LeadRecords(
      loadedWith({
        userNames: new Map([[user.toHexString(), 'Mona Adel']]),
        compoundsNamed: ({ name, language }) =>
          name === 'Palm' && language === 'ar-eg' ? [compound] : [],
      }),
    );
    expect(records.userName(user)).toBe('Mona Adel');
    for (const nobody of [new ObjectId(), null, undefined]) {
      expect(records.userName(nobody)).toBeUndefined();
    }
    expect(records.compoundsNamed('Palm', 'ar-eg')).toEqual([compound]);
    expect(records.compoundsNamed('Palm', 'en-us')).toEqual([]);
  });
});

describe('the records after a decision', () => {
  it('have the lead as it is now', () => {
    const stored = leadWith({ recordSystemId: 'a' });
    const records = new LeadRecords(loadedWith({ leads: [stored] }));
    const lead = { ...stored, data: { name: 'Mona' } };
    records.put(decisionOf(lead));
    expect(records.findActive('a')).toBe(lead);
    const created = leadWith({ recordSystemId: 'b' });
    records.put(decisionOf(created));
    expect(records.findActive('b')).toBe(created);
  });

  it('never find a lead without an external id by it', () => {
    const records = new LeadRecords(loadedWith());
    records.put(decisionOf(leadWith()));
    expect(records.findActive(undefined)).toBeNull();
  });

  it('have its new phones in place of those of before', () => {
    const stored = leadWith({ data });
    const records = new LeadRecords(loadedWith({ phoneOwners: [stored] }));
    const lead = { ...stored, data: { phoneNumber: '01112223334' } };
    records.put(decisionOf(lead));
    expect(records.findPhoneOwner(phone)).toBeUndefined();
    expect(records.findPhoneOwner('+201112223334')).toBe(lead);
    records.put(decisionOf(stored));
    expect(records.findPhoneOwner(phone)).toBe(stored);
    expect(records.findPhoneOwner('+201112223334')).toBeUndefined();
  });

  it('keep the other owners of its phones', () => {
    const [first, second] = [leadWith({ leadId: 1, data }), leadWith({ leadId: 2, data })];
    const records = new LeadRecords(loadedWith({ phoneOwners: [first, second] }));
    records.put(decisionOf({ ...first, data: {} }));
    expect(records.findPhoneOwner(phone)).toBe(second);
  });

  it('have the client that it changed', () => {
    const records = new LeadRecords(loadedWith());
    const client = clientWith();
    const change = { client, isNew: true, event: {} as never };
    records.put(decisionOf(leadWith(), { clientId: client._id, change }));
    expect(records.clients.findById(client._id)).toBe(client);
    records.put(decisionOf(leadWith(), { clientId: client._id }));
    expect(records.clients.changes()).toEqual([change]);
  });
});

describe('the leads that a group writes', () => {
  const create = { operation: 'create', changes: [] } as const;

  it('are the last state of each, new where one of the decisions creates it', () => {
    const records = new LeadRecords(loadedWith());
    const [created, stored] = [leadWith(), leadWith()];
    const [later, last] = [{ ...created }, { ...stored }];
    records.put(decisionOf(created, {}, create));
    for (const lead of [stored, later, last]) records.put(decisionOf(lead));
    expect(records.written()).toStrictEqual([
      { lead: later, isNew: true },
      { lead: last, isNew: false },
    ]);
    expect(records.bytes).toBe(4);
  });

  it('are not those that no decision changes', () => {
    const records = new LeadRecords(loadedWith());
    const stored = leadWith();
    const unchanged = decisionOf({ ...stored }, {}, { changes: [] });
    records.put(unchanged);
    expect(records.written()).toEqual([]);
    records.put(decisionOf(stored));
    records.put(unchanged);
    expect(records.written()).toEqual([{ lead: stored, isNew: false }]);
  });

  it('get one number after the other', () => {
    const records = new LeadRecords(loadedWith({ numbers: [7, 8] }));
    expect(records.nextNumber).toBe(7);
    records.put(decisionOf(leadWith(), {}, create));
    expect(records.nextNumber).toBe(8);
  });

  it('are locked by the claims of all decisions', () => {
    const records = new LeadRecords(loadedWith());
    for (const claim of ['phone:1', 'phone:2']) {
      records.put(decisionOf(leadWith(), {}, { claims: [claim] }));
    }
    expect(records.locks).toEqual(['phone:1', 'phone:2']);
  });
});
