import { describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { leadWith } from '../../../test/support/lead-records.js';
import { countCreated, type LeadDecision, withNumbers, writtenLeads } from './lead-decision.js';

const changes = [{ field: 'data.name', from: null, to: 'Mona' }];
const newLead = (_id = new ObjectId()) => leadWith({ _id, leadId: null });

/** A decision with an event about a client and one about the lead. */
function decisionOf(
  operation: 'create' | 'update',
  lead: LeadDecision['lead'],
  fields: Partial<LeadDecision> = {},
): LeadDecision {
  const events = ['client', lead._id.toHexString()].map((_id) => ({ data: { _id, leadId: 0 } }));
  return {
    request: { requestId: 'request', apiKeyId: new ObjectId() },
    operation,
    lead,
    changes,
    client: { clientId: null, claims: [] },
    events: events as unknown as LeadDecision['events'],
    claims: [],
    bytes: 1,
    ...fields,
  };
}

describe('the leads that decisions write', () => {
  it('are the last state of each, new where one of them creates it', () => {
    const [created, stored] = [newLead(), leadWith()];
    const [later, last] = [{ ...created }, { ...stored }];
    expect(
      writtenLeads([
        decisionOf('create', created),
        decisionOf('update', stored),
        decisionOf('update', later),
        decisionOf('update', last),
      ]),
    ).toStrictEqual([
      { lead: later, isNew: true },
      { lead: last, isNew: false },
    ]);
  });

  it('are not those that no decision changes', () => {
    const stored = leadWith();
    const unchanged = decisionOf('update', { ...stored }, { changes: [] });
    expect(writtenLeads([unchanged])).toEqual([]);
    expect(writtenLeads([decisionOf('update', stored), unchanged])).toEqual([
      { lead: stored, isNew: false },
    ]);
  });

  it('are new without any data too', () => {
    const created = newLead();
    expect(writtenLeads([decisionOf('create', created, { changes: [] })])).toEqual([
      { lead: created, isNew: true },
    ]);
  });
});

describe('the numbers of new leads', () => {
  it('are as many as there are creations', () => {
    const decisions = (['create', 'update', 'create'] as const).map((operation) =>
      decisionOf(operation, newLead()),
    );
    expect(countCreated(decisions)).toBe(2);
  });

  it('go to them in their order, to their later states, and to events about them', () => {
    const [first, second, stored] = [newLead(), newLead(), leadWith({ leadId: 5 })];
    const numbered = withNumbers(
      [
        decisionOf('create', first),
        decisionOf('update', stored),
        decisionOf('create', second),
        decisionOf('update', { ...first, data: { name: 'Mona' } }),
      ],
      [7, 8],
    );
    expect(numbered.map(({ lead }) => lead.leadId)).toEqual([7, 5, 8, 7]);
    expect(numbered[3]?.lead.data).toEqual({ name: 'Mona' });
    expect(
      numbered.map(({ events }) => events.map(({ data }) => (data as { leadId: number }).leadId)),
    ).toEqual([
      [0, 7],
      [0, 0],
      [0, 8],
      [0, 7],
    ]);
    expect(numbered[0]?.events[1]?.data).toEqual({ _id: first._id.toHexString(), leadId: 7 });
  });

  it('change nothing of a decision that creates none', () => {
    const decision = decisionOf('update', leadWith());
    expect(withNumbers([decision], [])[0]).toBe(decision);
  });
});
