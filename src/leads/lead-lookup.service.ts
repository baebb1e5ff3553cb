import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { parseObjectId } from '../database/documents/object-id.js';
import { parseInteger } from '../values/numbers.js';
import { presentLead, type PresentedLead } from './lead.presenter.js';
import { LeadsRepository } from './leads.repository.js';

export type { PresentedLead };

/** The operator's way to a lead. */
@Injectable()
export class LeadLookupService {
  constructor(private readonly leads: LeadsRepository) {}

  /**
   * The leads of an organization that a reference stands for, deleted ones included: an external id,
   * otherwise an id or number of the service's own. The active one comes first, then the newest.
   */
  async find(organizationId: Types.ObjectId, reference: string): Promise<PresentedLead[]> {
    const byExternalId = await this.leads.findAll(organizationId, { recordSystemId: reference });
    const found =
      byExternalId.length > 0 ? byExternalId : await this.findByOwnId(organizationId, reference);
    return found.map(presentLead);
  }

  private async findByOwnId(organizationId: Types.ObjectId, reference: string) {
    const _id = parseObjectId(reference);
    if (_id !== null) return this.leads.findAll(organizationId, { _id });
    const leadId = parseInteger(reference, 0);
    return leadId === null ? [] : this.leads.findAll(organizationId, { leadId });
  }
}
