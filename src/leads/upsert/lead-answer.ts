import type { Answer } from '../../core/idempotency/idempotency-claim.js';
import { upsertStatus } from '../../core/http/server/upsert-status.js';
import type { LeadUpsertResponseDto } from '../dto/lead.dto.js';
import { presentLead } from '../lead.presenter.js';
import type { LeadDecision } from './lead-decision.js';

/** What a decided request is answered (rule LEAD-1). */
export function leadUpsertAnswer({
  operation,
  lead,
}: LeadDecision): Required<Answer<LeadUpsertResponseDto>> {
  const presented = presentLead(lead);
  return {
    status: upsertStatus(operation),
    headers: {},
    body: { ok: true, operation, lead: presented, newLead: presented },
  };
}
