import type { Caller } from '../tenants/keys/caller.js';
import type { LeadChange } from '../tenants/change-log/change-log.repository.js';
import { type FieldChange, fieldChanges } from '../tenants/change-log/field-changes.js';
import type { OutboundEvent } from '../events/outbox/outbox.js';
import { withoutUndefined } from '../core/values/json.js';
import { present } from '../core/fields/declared-fields.js';
import { LeadDocument } from './lead.schema.js';

const contexts = {
  create: 'External Lead Create',
  update: 'External Lead Update',
  delete: 'External Lead Delete',
} as const;

const freeForm: ReadonlySet<string> = new Set(['data', 'additionalData']);

export function leadLogEntry(
  operation: keyof typeof contexts,
  { _id: entityId }: LeadDocument,
  changes: readonly FieldChange[],
  { requestId, apiKeyId }: Pick<Caller, 'requestId' | 'apiKeyId'>,
): LeadChange {
  return { entityId, context: contexts[operation], requestId, apiKeyId, changes };
}

export function leadEvent(
  operation: keyof typeof contexts,
  lead: LeadDocument,
  changes: readonly FieldChange[],
  requestId: string,
): OutboundEvent {
  const event = {
    type: `lead.${operation}d` as const,
    data: present(LeadDocument, lead),
    requestId,
  };
  return operation === 'update' ? { ...event, changes } : event;
}

/** Contains only ids (rule LEAD-15). */
export function leadErasedEvent(lead: LeadDocument, erasedAt: Date): OutboundEvent {
  const { _id, leadId, recordSystemId, clientId } = present(LeadDocument, lead);
  const data = withoutUndefined({ _id, leadId, recordSystemId, clientId });
  // `erasedAt` prevents storing receivers' responses, which might contain erased values.
  return { type: 'lead.erased', data, erasedAt };
}

/** @param before null for a new lead */
export function leadFieldChanges(before: LeadDocument | null, after: LeadDocument): FieldChange[] {
  const nothing = { data: {}, additionalData: {}, compoundsIds: [], clientId: null };
  const fields = before === null ? nothing : comparedFields(before);
  return fieldChanges(fields, comparedFields(after), freeForm);
}

function comparedFields(lead: LeadDocument) {
  const { data, additionalData, compoundsIds, clientId } = present(LeadDocument, lead);
  return { data, additionalData, compoundsIds, clientId };
}
