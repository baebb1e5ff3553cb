import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { Caller } from '../authentication/caller.js';
import { Clock } from '../configuration/clock.js';
import { contactOf, contentionKeys } from '../contacts/contact.js';
import { parseObjectId } from '../database/documents/object-id.js';
import { Transactions } from '../database/transactions/transactions.js';
import { DomainError } from '../http/errors/domain-error.js';
import type {
  LeadDeletionResponseDto,
  LeadDto,
  LeadResponseDto,
  LeadUpsertResponseDto,
} from './dto/lead.dto.js';
import { LeadChangePublisher } from './lead-change-publisher.js';
import { type LeadPayload, requestData } from './lead-merge.js';
import { leadErrors } from './lead-errors.js';
import { LeadNumbers } from './lead-numbers.js';
import { LeadUpserts } from './lead-upserts.js';
import { presentLead } from './lead.presenter.js';
import type { LeadDocument } from './lead.schema.js';
import { LeadsRepository } from './leads.repository.js';

/** Leads of outside systems (rules LEAD-1 and LEAD-3). */
@Injectable()
export class LeadsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly leads: LeadsRepository,
    private readonly upserts: LeadUpserts,
    private readonly numbers: LeadNumbers,
    private readonly publisher: LeadChangePublisher,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a lead or updates the active one with the same `recordSystemId`, in one transaction
   * with its client, change-log entry and events.
   *
   * @throws DomainError 400 for a phone that another lead has, or a merged lead that cannot be stored
   */
  async upsert(caller: Caller, payload: LeadPayload): Promise<LeadUpsertResponseDto> {
    const { organizationId } = caller;
    // The number outlives the attempts of the transaction, so that a lost race wastes none.
    let number: Promise<number> | undefined;
    const { operation, lead } = await this.transactions.run(
      () =>
        this.upserts.save(caller, payload, () => (number ??= this.numbers.next(organizationId))),
      {
        queueKeys: queueKeys(caller, payload),
        onDuplicateKey: async (index) => {
          if (index !== 'leadId' || number === undefined) return;
          await this.numbers.skipTaken(organizationId, await number);
          number = undefined;
        },
      },
    );
    const presented = presentLead(lead);
    return { ok: true, operation, lead: presented, newLead: presented };
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
    return (await this.leads.findActive(organizationId, recordSystemId))?._id ?? null;
  }

  /**
   * Soft-deletes the active lead with an external id.
   *
   * @throws DomainError 404 when there is none
   */
  async delete(caller: Caller, recordSystemId: string): Promise<LeadDeletionResponseDto> {
    const lead = await this.transactions.run(() => this.softDelete(caller, recordSystemId), {
      queueKeys: queueKeys(caller, { recordSystemId }),
    });
    return { ok: true, operation: 'delete', lead: presentLead(lead) };
  }

  /**
   * The leads of an organization that a reference names, deleted ones included: by an external id,
   * otherwise by an id or number of the service's own. The active one comes first, then the newest.
   */
  async find(organizationId: Types.ObjectId, reference: string): Promise<LeadDto[]> {
    const named = await this.leads.findAll(organizationId, { recordSystemId: reference });
    if (named.length > 0) return named.map(presentLead);
    const _id = parseObjectId(reference);
    if (_id === null && !/^\d{1,15}$/.test(reference)) return [];
    const ownId = _id === null ? { leadId: Number(reference) } : { _id };
    return (await this.leads.findAll(organizationId, ownId)).map(presentLead);
  }

  private async softDelete(caller: Caller, recordSystemId: string): Promise<LeadDocument> {
    const lead = await this.findActive(caller, recordSystemId);
    await this.leads.update(lead, { isDeleted: true, deletedAt: this.clock.now() });
    await this.publisher.publish('delete', lead, [{ field: 'isDeleted', from: false, to: true }]);
    return lead;
  }

  private async findActive(
    { organizationId }: Caller,
    recordSystemId: string,
  ): Promise<LeadDocument> {
    const lead = await this.leads.findActive(organizationId, recordSystemId);
    if (lead === null) throw new DomainError(leadErrors.notFound);
    return lead;
  }
}

/** What concurrent requests would contend for: the lead's id, its phones and its email. */
function queueKeys({ organization }: Caller, payload: LeadPayload): string[] {
  const { recordSystemId } = payload;
  const contact = contentionKeys(contactOf(requestData(payload)), organization.phoneCountry);
  const lead = recordSystemId === undefined ? [] : [`lead:${recordSystemId}`];
  return [...lead, ...contact].map((key) => `${organization._id.toHexString()}:${key}`);
}
