import type { Caller } from '../../tenants/keys/caller.js';
import type { FieldChange } from '../../tenants/change-log/field-changes.js';
import type { ClientLink } from '../../tenants/clients/client-link.js';
import { objectIdOf } from '../../events/outbox/message.js';
import type { PendingEvent } from '../../events/outbox/pending-event.js';
import type { ChangeRequest } from '../lead-changes.js';
import type { LeadPayload } from '../lead-merge.js';
import type { LeadData, LeadDocument } from '../lead.schema.js';

/** One `POST /leads`. */
export interface LeadRequest {
  readonly caller: Caller;
  readonly payload: LeadPayload;
  /** What the payload says of `data`. */
  readonly data: LeadData;
  /** Why the database does not store it, as a transaction that failed has shown. */
  readonly refusal?: unknown;
}

/** What one request does. */
export interface LeadDecision {
  readonly request: ChangeRequest;
  readonly operation: 'create' | 'update';
  /** The lead as the request leaves it; a new one has no number before {@link withNumbers}. */
  readonly lead: LeadDocument;
  readonly changes: readonly FieldChange[];
  readonly client: ClientLink;
  readonly events: readonly PendingEvent[];
  /** Contention keys of what nobody had before, as far as is known: two may not get it at once. */
  readonly claims: readonly string[];
  /** About how much is stored. */
  readonly bytes: number;
}

/** What became of a request: what it does, or why it is refused. */
export type LeadOutcome = PromiseSettledResult<LeadDecision>;

/** A lead that a group writes. */
export interface WrittenLead {
  readonly lead: LeadDocument;
  readonly isNew: boolean;
}

/** The last state of each lead that decisions change. */
export function writtenLeads(decisions: readonly LeadDecision[]): WrittenLead[] {
  const written = new Map<string, WrittenLead>();
  for (const { operation, lead, changes } of decisions) {
    const id = lead._id.toHexString();
    const isNew = operation === 'create' || written.get(id)?.isNew === true;
    if (isNew || changes.length > 0) written.set(id, { lead, isNew });
  }
  return [...written.values()];
}

/** How many leads decisions create. */
export function countCreated(decisions: readonly LeadDecision[]): number {
  return creations(decisions).length;
}

/** Gives the leads that decisions create their numbers, and whatever shows these leads. */
export function withNumbers(
  decisions: readonly LeadDecision[],
  numbers: readonly number[],
): LeadDecision[] {
  const numbered = new Map(
    creations(decisions).map(({ lead }, index) => [lead._id.toHexString(), numbers[index]]),
  );
  return decisions.map((decision) => {
    const id = decision.lead._id.toHexString();
    const leadId = numbered.get(id);
    if (leadId === undefined) return decision;
    const events = decision.events.map((event) =>
      objectIdOf(event) === id ? { ...event, data: { ...event.data, leadId } } : event,
    );
    return { ...decision, lead: { ...decision.lead, leadId }, events };
  });
}

function creations(decisions: readonly LeadDecision[]): LeadDecision[] {
  return decisions.filter(({ operation }) => operation === 'create');
}
