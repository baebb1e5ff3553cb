import { type UpsertResponse, upsertResponse } from '../../core/http/api-documentation.js';
import { isPermitted } from '../../core/http/requests/request-caller.js';
import type { LeadUpsertResponseDto } from '../dto/lead.dto.js';
import { type LeadPayload, mergeFlatFields } from '../lead-merge.js';
import type { Caller } from '../../tenants/keys/caller.js';
import { decideLead } from './lead-decision.js';
import { presentUpserted } from './lead-presenter.js';
import type { LeadWorkingSet, LeadRequest } from './lead-working-set.js';

export interface LeadUpsertResult extends UpsertResponse<LeadUpsertResponseDto> {
  readonly isProjectUnmatched: boolean;
}

export type LeadOutcome = PromiseSettledResult<LeadUpsertResult>;

/** Decides requests in their order, until the changes exceed this size; each sees those before it as stored. */
export function decideAll(
  workingSet: LeadWorkingSet,
  requests: readonly LeadRequest[],
  maxBytes: number,
): LeadOutcome[] {
  const outcomes: LeadOutcome[] = [];
  for (const request of requests) {
    if (workingSet.bytes > maxBytes) break;
    outcomes.push(decideOne(workingSet, request));
  }
  return outcomes;
}

export function noteUnmatchedProject(
  { notices }: Caller,
  { isProjectUnmatched }: LeadUpsertResult,
): void {
  if (isProjectUnmatched) notices?.add('lead.project_unmatched');
}

export function leadRequest(caller: Caller, payload: LeadPayload): LeadRequest {
  return { caller, payload, data: mergeFlatFields(payload) };
}

function decideOne(workingSet: LeadWorkingSet, request: LeadRequest): LeadOutcome {
  try {
    if (request.refusal !== undefined) throw request.refusal;
    const decision = decideLead(workingSet, request);
    workingSet.put(decision);
    const { operation, isProjectUnmatched } = decision;
    const lead = presentUpserted(request, decision.lead);
    const response = upsertResponse(operation, { lead, newLead: lead });
    // Other keys must not learn which compounds exist (rule LEAD-8).
    const isShown = isProjectUnmatched && isPermitted(request.caller, 'catalogue.read');
    const headers = isShown ? { 'x-unmatched-project': 'true' } : {};
    return { status: 'fulfilled', value: { ...response, headers, isProjectUnmatched } };
  } catch (reason) {
    return { status: 'rejected', reason };
  }
}
