import { Injectable } from '@nestjs/common';
import { ChangeLog } from '../change-log/change-log.js';
import { type FieldChange, fieldChanges } from '../change-log/field-changes.js';
import { Outbox } from '../webhooks/outbox/outbox.js';
import { refuseLargeChanges } from './lead-size.js';
import { presentLead, type PresentedLead } from './lead.presenter.js';
import type { LeadDocument } from './lead.schema.js';

/** Fields whose changes are told key by key. */
const nestedFields: readonly string[] = ['data', 'additionalData'];

/** Fields of a lead that a request can change. */
type ToldField = 'data' | 'additionalData' | 'compoundsIds' | 'clientId';

/** Tells the change log and the subscribers what happened to a lead, inside its transaction. */
@Injectable()
export class LeadHistory {
  constructor(
    private readonly changeLog: ChangeLog,
    private readonly outbox: Outbox,
  ) {}

  /** A lead that is new. */
  async created(lead: LeadDocument): Promise<void> {
    const changes = fieldChanges({}, toldPart(lead), nestedFields);
    await this.log('External Lead Create', lead, changes);
    await this.outbox.publish(lead.organizationId, {
      type: 'lead.created',
      data: presentLead(lead),
    });
  }

  /** A lead that a request changed; one that changed nothing is logged but not told ("Leads" 10). */
  async updated(lead: LeadDocument, changes: readonly FieldChange[]): Promise<void> {
    await this.log('External Lead Update', lead, changes);
    if (changes.length === 0) return;
    const data = presentLead(lead);
    await this.outbox.publish(lead.organizationId, { type: 'lead.updated', data, changes });
  }

  /** A lead that is gone, as it was. */
  async deleted(lead: LeadDocument): Promise<void> {
    await this.log('External Lead Delete', lead, [{ field: 'isDeleted', from: false, to: true }]);
    await this.outbox.publish(lead.organizationId, {
      type: 'lead.deleted',
      data: presentLead(lead),
    });
  }

  private async log(
    context: Parameters<ChangeLog['recordLeadChange']>[1]['context'],
    { organizationId, _id }: LeadDocument,
    changes: readonly FieldChange[],
  ): Promise<void> {
    refuseLargeChanges(changes);
    await this.changeLog.recordLeadChange(organizationId, { leadId: _id, context, changes });
  }
}

/** The told differences between two states of a lead. */
export function leadChanges(before: LeadDocument, after: LeadDocument): FieldChange[] {
  return fieldChanges(toldPart(before), toldPart(after), nestedFields);
}

function toldPart(lead: LeadDocument): Pick<PresentedLead, ToldField> {
  const { data, additionalData, compoundsIds, clientId } = presentLead(lead);
  return { data, additionalData, compoundsIds, clientId };
}
