import { Injectable } from '@nestjs/common';
import { ChangeLogRepository } from '../change-log/change-log.repository.js';
import { type FieldChange, fieldChanges } from '../change-log/field-changes.js';
import { Outbox } from '../webhooks/outbox/outbox.js';
import { assertChangesSize } from './lead-size.js';
import { presentLead } from './lead.presenter.js';
import type { LeadDocument } from './lead.schema.js';

/** How each operation is named in the change log and in events. */
const names = {
  create: { context: 'External Lead Create', type: 'lead.created' },
  update: { context: 'External Lead Update', type: 'lead.updated' },
  delete: { context: 'External Lead Delete', type: 'lead.deleted' },
} as const;

/** Logs and publishes the changes of leads (rules LEAD-11 and LEAD-12). */
@Injectable()
export class LeadChangePublisher {
  constructor(
    private readonly changeLog: ChangeLogRepository,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Logs a change and emits its event, inside the transaction of the change; an update that changed
   * nothing is only logged.
   *
   * @throws DomainError 400 when the changes are too large for an event
   */
  async publish(
    operation: keyof typeof names,
    lead: LeadDocument,
    changes: readonly FieldChange[],
  ): Promise<void> {
    assertChangesSize(changes);
    const { context, type } = names[operation];
    const { organizationId, _id: entityId } = lead;
    await this.changeLog.addLeadChange(organizationId, { entityId, context, changes });
    if (operation === 'update' && changes.length === 0) return;
    const data = presentLead(lead);
    const event = operation === 'update' ? { type, data, changes } : { type, data };
    await this.outbox.publish(organizationId, event);
  }
}

/** The differences between two states of a lead; before its creation it has nothing. */
export function leadChanges(before: LeadDocument | null, after: LeadDocument): FieldChange[] {
  const nothing = { data: {}, additionalData: {}, compoundsIds: [], clientId: null };
  const fields = before === null ? nothing : auditedFields(before);
  return fieldChanges(fields, auditedFields(after), ['data', 'additionalData']);
}

/** The fields that a request can change. */
function auditedFields(lead: LeadDocument) {
  const { data, additionalData, compoundsIds, clientId } = presentLead(lead);
  return { data, additionalData, compoundsIds, clientId };
}
