import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { DomainError } from '../core/http/errors/domain-error.js';
import type { LeadDto, LeadResponseDto } from './dto/lead.dto.js';
import { leadErrors } from './lead-errors.js';
import { presentLead } from './lead.presenter.js';
import { LeadsRepository } from './leads.repository.js';

/** Finds leads by the ids that outside systems, other features and the operator know. */
@Injectable()
export class LeadLookupService {
  constructor(private readonly leads: LeadsRepository) {}

  /**
   * The active lead with an external id, as the API shows it.
   *
   * @throws DomainError 404 when there is none
   */
  async read(organizationId: Types.ObjectId, recordSystemId: string): Promise<LeadResponseDto> {
    const [lead] = await this.leads.findActive(organizationId, [recordSystemId]);
    if (lead === undefined) throw new DomainError(leadErrors.notFound);
    return { ok: true, lead: presentLead(lead) };
  }

  /** The ids of the active leads with external ids, by these. */
  async idsOf(
    organizationId: Types.ObjectId,
    recordSystemIds: readonly string[],
  ): Promise<ReadonlyMap<string, Types.ObjectId>> {
    const found = await this.leads.findActiveIds(organizationId, recordSystemIds);
    return new Map(found.map(({ recordSystemId = '', _id }) => [recordSystemId, _id]));
  }

  /**
   * The leads of an organization that a reference names, deleted ones included: by an external id,
   * otherwise by an id or number of the service's own. The active one comes first, then the newest.
   */
  async find(organizationId: Types.ObjectId, reference: string): Promise<LeadDto[]> {
    const named = await this.leads.findNamed(organizationId, reference);
    const isNumber = named.length === 0 && /^\d{1,15}$/.test(reference);
    const leadId = Number(reference);
    const found = isNumber ? await this.leads.findAll(organizationId, { leadId }) : named;
    return found.map(presentLead);
  }
}
