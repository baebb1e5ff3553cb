import type { LeadData, LeadDocument } from './lead.schema.js';

/** A lead as the API shows it ("Leads" 3). */
export interface PresentedLead {
  readonly _id: string;
  readonly leadId: number;
  readonly recordSystemId?: string;
  readonly compoundsIds: readonly string[];
  readonly data: LeadData;
  readonly additionalData: LeadData;
  readonly clientId: string | null;
  readonly assignedToId: string | null;
  readonly parentId: string | null;
  readonly isActive: boolean;
  readonly isDeleted: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** What leaves the service of a stored lead; other programs may have left fields out. */
export function presentLead(lead: LeadDocument): PresentedLead {
  return {
    _id: lead._id.toHexString(),
    leadId: lead.leadId,
    ...(lead.recordSystemId === undefined ? {} : { recordSystemId: lead.recordSystemId }),
    compoundsIds: (lead.compoundsIds ?? []).map((id) => id.toHexString()),
    data: lead.data ?? {},
    additionalData: lead.additionalData ?? {},
    clientId: lead.clientId?.toHexString() ?? null,
    assignedToId: lead.assignedToId?.toHexString() ?? null,
    parentId: lead.parentId?.toHexString() ?? null,
    isActive: lead.isActive ?? false,
    isDeleted: lead.isDeleted,
    createdAt: lead.createdAt.toISOString(),
    updatedAt: lead.updatedAt.toISOString(),
  };
}
