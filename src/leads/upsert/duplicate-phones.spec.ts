import { describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { leadWith, loadedWith, organizationWith } from '../../../test/support/lead-records.js';
import { DomainError } from '../../core/http/errors/domain-error.js';
import { LeadRecords } from './lead-records.js';
import { assertNoDuplicates } from './lead-decision.js';

const organization = organizationWith();
const unassigned = leadWith({ data: { phoneNumber: '01001234567' } });
const assigned = leadWith({
  data: { phoneNumber: '01112223334' },
  assignedToId: new ObjectId(),
});
const ofUnknownUser = leadWith({
  data: { phoneNumber: '01223334445' },
  assignedToId: new ObjectId(),
});
const records = new LeadRecords(
  loadedWith({
    phoneOwners: [unassigned, assigned, ofUnknownUser],
    userNames: new Map([[String(assigned.assignedToId), 'Mona Adel']]),
  }),
);

/** The keys of the messages with their values. */
function messagesOf(sent: readonly string[], own: readonly string[] = []) {
  try {
    assertNoDuplicates(records, organization, sent, own);
  } catch (error) {
    expect(error).toBeInstanceOf(DomainError);
    const { definition, messages } = error as DomainError;
    expect(definition.code).toBe('lead.duplicate_phone');
    return messages.map(({ key, values }) => [key, values]);
  }
  return [];
}

describe('assertNoDuplicates', () => {
  it('has a message for each phone that another lead has, as it was sent', () => {
    expect(messagesOf(['+20 100 123 4567', '01999999999', '+201112223334'])).toEqual([
      ['leads.duplicatePhoneUnassigned', { phone: '+20 100 123 4567' }],
      ['leads.duplicatePhoneAssigned', { phone: '+201112223334', user: 'Mona Adel' }],
    ]);
  });

  it('names no user who is not known', () => {
    expect(messagesOf(['01223334445'])).toEqual([
      ['leads.duplicatePhoneUnassigned', { phone: '01223334445' }],
    ]);
  });

  it('has one message for a phone that is sent twice', () => {
    expect(messagesOf(['01001234567', '01001234567'])).toHaveLength(1);
  });

  it('lets phones pass that nobody has, or the lead itself', () => {
    expect(messagesOf([])).toEqual([]);
    expect(messagesOf(['01999999999'])).toEqual([]);
    expect(messagesOf(['01001234567'], ['+20', '+201001234567'])).toEqual([]);
  });

  it('lets every phone pass where the organization allows conflicts', () => {
    const tolerant = organizationWith({ allowConflictLeads: true });
    expect(() => assertNoDuplicates(records, tolerant, ['01001234567'], [])).not.toThrow();
  });
});
