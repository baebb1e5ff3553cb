import { present } from '../../core/fields/declared-fields.js';
import { isPermitted } from '../../core/http/requests/request-caller.js';
import type { UpsertedLeadDto } from '../dto/lead.dto.js';
import { LeadDocument } from '../lead.schema.js';
import type { LeadRequest } from './lead-working-set.js';

/** An upsert of a known id must not show what others stored to a key without `leads.read` (rule LEAD-18). */
export function presentUpserted(
  { caller, payload, data: sent }: LeadRequest,
  document: LeadDocument,
): UpsertedLeadDto {
  if (isPermitted(caller, 'leads.read')) return present(LeadDocument, document);
  const asSent = { ...document, data: sent, additionalData: payload.additionalData };
  const lead = present(LeadDocument, asSent);
  const { _id, leadId, recordSystemId, compoundsIds, data, additionalData } = lead;
  return { _id, leadId, recordSystemId, compoundsIds, data, additionalData };
}
