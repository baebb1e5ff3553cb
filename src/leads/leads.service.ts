import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { Caller } from '../tenants/keys/caller.js';
import { ChangeLogRepository } from '../tenants/change-log/change-log.repository.js';
import { Clock } from '../core/configuration/clock.js';
import { Transactions } from '../core/database/transactions/transactions.js';
import { DomainError } from '../core/http/errors/domain-error.js';
import { Outbox } from '../events/outbox/outbox.js';
import type {
  LeadDeletionResponseDto,
  LeadDto,
  LeadResponseDto,
  LeadUpsertResponseDto,
} from './dto/lead.dto.js';
import { leadChange, leadEvent } from './lead-changes.js';
import { leadErrors } from './lead-errors.js';
import type { LeadPayload } from './lead-merge.js';
import { presentLead } from './lead.presenter.js';
import type { LeadDocument } from './lead.schema.js';
import { LeadsRepository } from './leads.repository.js';
import { leadUpsertAnswer } from './upsert/lead-answer.js';
import { LeadGroupsService, leadQueueKey } from './upsert/lead-groups.service.js';

/** Leads of outside systems (rules LEAD-1 and LEAD-3). */
@Injectable()
export class LeadsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly leads: LeadsRepository,
    private readonly groups: LeadGroupsService,
    private readonly changeLog: ChangeLogRepository,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a lead or updates the active one with the same `recordSystemId`, in one transaction
   * with its client, change-log entry and events.
   *
   * @throws DomainError 400 for a phone that another lead has, or a merged lead that cannot be stored
   */
  async upsert(caller: Caller, payload: LeadPayload): Promise<LeadUpsertResponseDto> {
    return leadUpsertAnswer(await this.groups.upsert(caller, payload)).body;
  }

  /**
   * The active lead with an external id.
   *
   * @throws DomainError 404 when there is none
   */
  async read(caller: Caller, recordSystemId: string): Promise<LeadResponseDto> {
    return { ok: true, lead: presentLead(await this.findActive(caller, recordSystemId)) };
  }

  /** The id of the active lead with an external id, null when there is none. */
  async idOf(
    organizationId: Types.ObjectId,
    recordSystemId: string,
  ): Promise<Types.ObjectId | null> {
    return (await this.leads.findActive(organizationId, [recordSystemId]))[0]?._id ?? null;
  }

  /**
   * Soft-deletes the active lead with an external id.
   *
   * @throws DomainError 404 when there is none
   */
  async delete(caller: Caller, recordSystemId: string): Promise<LeadDeletionResponseDto> {
    const lead = await this.transactions.run(() => this.softDelete(caller, recordSystemId), {
      queueKeys: [leadQueueKey(caller.organizationId, recordSystemId)],
      expiresAt: caller.expiresAt,
    });
    return { ok: true, operation: 'delete', lead: presentLead(lead) };
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

  private async softDelete(caller: Caller, recordSystemId: string): Promise<LeadDocument> {
    const lead = await this.findActive(caller, recordSystemId);
    const { organizationId, requestId } = caller;
    await this.leads.softDelete(lead, this.clock.now());
    const changes = [{ field: 'isDeleted', from: false, to: true }];
    const entry = leadChange('delete', lead, changes, caller);
    await this.changeLog.addLeadChanges(organizationId, [entry]);
    await this.outbox.publish(organizationId, leadEvent('delete', lead, changes, requestId));
    return lead;
  }

  private async findActive(
    { organizationId }: Caller,
    recordSystemId: string,
  ): Promise<LeadDocument> {
    const [lead] = await this.leads.findActive(organizationId, [recordSystemId]);
    if (lead === undefined) throw new DomainError(leadErrors.notFound);
    return lead;
  }
}
