import { idsOf } from '../core/database/documents/stored-values.js';
import type { LeadDto } from './dto/lead.dto.js';
import type { LeadDocument } from './lead.schema.js';

/** A lead as the API returns it (rule LEAD-2). */
export function presentLead(lead: LeadDocument): LeadDto {
  return {
    _id: lead._id.toHexString(),
    leadId: lead.leadId ?? 0,
    ...(lead.recordSystemId === undefined ? {} : { recordSystemId: lead.recordSystemId }),
    ...presentDecided(lead),
    assignedToId: lead.assignedToId?.toHexString() ?? null,
    parentId: lead.parentId?.toHexString() ?? null,
    isActive: lead.isActive ?? false,
    isDeleted: lead.isDeleted,
    createdAt: lead.createdAt.toISOString(),
    updatedAt: lead.updatedAt.toISOString(),
  };
}

/** The fields that requests decide, as the API returns them and the change log compares them. */
export function presentDecided({ compoundsIds, data, additionalData, clientId }: LeadDocument) {
  return {
    compoundsIds: idsOf(compoundsIds),
    data: data ?? {},
    additionalData: additionalData ?? {},
    clientId: clientId?.toHexString() ?? null,
  };
}
