import type { Caller } from '../tenants/keys/caller.js';
import type { LeadChange } from '../tenants/change-log/change-log.repository.js';
import { type FieldChange, fieldChanges } from '../tenants/change-log/field-changes.js';
import type { OutboundEvent } from '../events/outbox/pending-event.js';
import { type LeadErasureDto, presentDecided, presentLead } from './dto/lead.dto.js';
import type { LeadDocument } from './lead.schema.js';

export type ChangeRequest = Pick<Caller, 'requestId' | 'apiKeyId'>;

export type LeadOperation = 'create' | 'update' | 'delete';

const contexts = {
  create: 'External Lead Create',
  update: 'External Lead Update',
  delete: 'External Lead Delete',
} as const;

const freeForm: ReadonlySet<string> = new Set(['data', 'additionalData']);

export function leadChange(
  operation: LeadOperation,
  { _id: entityId }: LeadDocument,
  changes: readonly FieldChange[],
  { requestId, apiKeyId }: ChangeRequest,
): LeadChange {
  return { entityId, context: contexts[operation], requestId, apiKeyId, changes };
}

export function leadEvent(
  operation: LeadOperation,
  lead: LeadDocument,
  changes: readonly FieldChange[],
  requestId: string,
): OutboundEvent {
  const event = { type: `lead.${operation}d` as const, data: presentLead(lead), requestId };
  return operation === 'update' ? { ...event, changes } : event;
}

/** Contains ids only (rule LEAD-15). */
export function leadErasedEvent(
  { _id, leadId, recordSystemId, clientId }: ErasedLead,
  erasedAt: Date,
): OutboundEvent {
  const data: LeadErasureDto = {
    _id: _id.toHexString(),
    leadId: leadId ?? 0,
    ...(recordSystemId === undefined ? {} : { recordSystemId }),
    clientId: clientId?.toHexString() ?? null,
  };
  // With `erasedAt` no response of a receiver is stored, which might contain erased values.
  return { type: 'lead.erased', data, erasedAt };
}

type ErasedLead = Pick<LeadDocument, '_id' | 'leadId' | 'recordSystemId' | 'clientId'>;

/** @param before null for a new lead */
export function leadChanges(before: LeadDocument | null, after: LeadDocument): FieldChange[] {
  const nothing = { data: {}, additionalData: {}, compoundsIds: [], clientId: null };
  const fields = before === null ? nothing : auditedFields(before);
  return fieldChanges(fields, auditedFields(after), freeForm);
}

function auditedFields(lead: LeadDocument) {
  const { data, additionalData, compoundsIds, clientId } = presentDecided(lead);
  return { data, additionalData, compoundsIds, clientId };
}
