import type { Caller } from '../../tenants/keys/caller.js';
import type { Answer } from '../../core/idempotency/idempotency-claim.js';
import { mebibyte } from '../../core/values/numbers.js';
import { type LeadPayload, requestData } from '../lead-merge.js';
import { leadUpsertAnswer } from './lead-answer.js';
import type { LeadOutcome, LeadRequest } from './lead-decision.js';

/** Of a batch, which its one response shows, no more is decided beyond so many MiB. */
export const batchLimit = 8;

/** Leads that a caller sends in one request. */
export interface LeadSubmission {
  readonly caller: Caller;
  readonly leads: readonly LeadRequest[];
  /** The response that is stored for an `Idempotency-Key`, undefined for one that changed nothing. */
  readonly answerOf: (outcomes: readonly LeadOutcome[]) => Answer | undefined;
  /** Of a batch, which one transaction has to hold: how much it may change. */
  readonly bytesLimit?: number;
  /** What else the transaction of a batch stores. */
  readonly alsoStore?: (outcomes: readonly LeadOutcome[]) => Promise<void>;
}

/** Leads of a batch. */
export type LeadBatch = Required<Pick<LeadSubmission, 'caller' | 'leads' | 'bytesLimit'>>;

/** What became of the leads of a request. */
export interface SettledSubmission {
  readonly submission: LeadSubmission;
  readonly outcomes: readonly LeadOutcome[];
}

/** The lead of a request of its own. */
export function singleLead(caller: Caller, payload: LeadPayload): LeadSubmission {
  return { caller, leads: [leadRequest(caller, payload)], answerOf: answerOfFirst };
}

/** The leads of a batch. */
export function batchOf(caller: Caller, payloads: readonly LeadPayload[]): LeadBatch {
  const leads = payloads.map((payload) => leadRequest(caller, payload));
  return { caller, leads, bytesLimit: batchLimit * mebibyte };
}

/** The requests, from the first on, of which all leads have their outcomes. */
export function settle(
  submissions: readonly LeadSubmission[],
  outcomes: readonly LeadOutcome[],
): PromiseFulfilledResult<SettledSubmission>[] {
  let end = 0;
  return submissions.flatMap((submission) => {
    const start = end;
    end += submission.leads.length;
    if (end > outcomes.length) return [];
    const value = { submission, outcomes: outcomes.slice(start, end) };
    return { status: 'fulfilled', value } as const;
  });
}

function leadRequest(caller: Caller, payload: LeadPayload): LeadRequest {
  return { caller, payload, data: requestData(payload) };
}

function answerOfFirst([outcome]: readonly LeadOutcome[]): Answer | undefined {
  return outcome?.status === 'fulfilled' ? leadUpsertAnswer(outcome.value) : undefined;
}
