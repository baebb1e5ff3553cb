import { present } from '../core/fields/declared-fields.js';
import type { LeadDto } from './dto/lead.dto.js';
import { LeadDocument } from './lead.schema.js';

export function presentLead(lead: LeadDocument): LeadDto {
  return present(LeadDocument, lead);
}
