import { describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { clientWith, leadWith, loadedWith } from '../../../test/support/lead-records.js';
import { type LeadDecision, LeadRecords } from './lead-records.js';

const phone = '+201001234567';
const data = { phoneNumber: '01001234567' };

/** A decision as far as records read it. */
function decisionOf(lead: LeadDecision['lead'], fields: Partial<LeadDecision> = {}): LeadDecision {
  return {
    request: { requestId: 'request', apiKeyId: new ObjectId() },
    operation: 'update',
    lead,
    changes: [{ field: 'data.name', from: null, to: 'Mona' }],
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
    records.put(decisionOf(created, { operation: 'create', changes: [] }));
    expect(records.nextNumber).toBe(8);
    for (const lead of [stored, later, last]) records.put(decisionOf(lead));
    for (const lead of [untouched, last]) records.put(decisionOf(lead, { changes: [] }));
    expect(records.written()).toStrictEqual([
      { lead: later, isNew: true },
      { lead: last, isNew: false },
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
