import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { Caller } from '../authentication/caller.js';
import { Clock } from '../configuration/clock.js';
import { contactOf, contentionKeys } from '../contacts/contact.js';
import { Transactions } from '../database/transactions/transactions.js';
import { DomainError } from '../http/errors/domain-error.js';
import { leadErrors } from './lead-errors.js';
import { LeadHistory } from './lead-history.js';
import { type LeadPayload, sentData } from './lead-merge.js';
import { LeadNumbers } from './lead-numbers.js';
import { LeadUpserts } from './lead-upserts.js';
import { presentLead, type PresentedLead } from './lead.presenter.js';
import type { LeadDocument } from './lead.schema.js';
import { LeadsRepository } from './leads.repository.js';

/** The answer to an upsert; `newLead` repeats `lead` for earlier clients (section 4.1). */
export interface LeadUpsertAnswer {
  readonly ok: true;
  readonly operation: 'create' | 'update';
  readonly lead: PresentedLead;
  readonly newLead: PresentedLead;
}

/** The answer to a deletion: the lead as it was ("Leads" 2). */
export interface LeadDeletionAnswer {
  readonly ok: true;
  readonly operation: 'delete';
  readonly lead: PresentedLead;
}

/** The answer to a read ("Leads" 2). */
export interface LeadAnswer {
  readonly ok: true;
  readonly lead: PresentedLead;
}

/** Leads of outside systems (sections 3 and 4.1). */
@Injectable()
export class LeadsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly leads: LeadsRepository,
    private readonly upserts: LeadUpserts,
    private readonly numbers: LeadNumbers,
    private readonly history: LeadHistory,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a lead or updates the active one with the same `recordSystemId`, in one transaction
   * with its client, change-log entry and events.
   *
   * @throws DomainError 400 for a phone that another lead has, or a lead that becomes too large
   */
  async upsert(caller: Caller, payload: LeadPayload): Promise<LeadUpsertAnswer> {
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
          await this.numbers.stepOver(organizationId, await number);
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
  async read(caller: Caller, recordSystemId: string): Promise<LeadAnswer> {
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
  async delete(caller: Caller, recordSystemId: string): Promise<LeadDeletionAnswer> {
    const lead = await this.transactions.run(() => this.softDelete(caller, recordSystemId), {
      queueKeys: queueKeys(caller, { recordSystemId }),
    });
    return { ok: true, operation: 'delete', lead: presentLead(lead) };
  }

  private async softDelete(caller: Caller, recordSystemId: string): Promise<LeadDocument> {
    const lead = await this.findActive(caller, recordSystemId);
    const now = this.clock.now();
    await this.leads.setFields(lead, { isDeleted: true, deletedAt: now, updatedAt: now });
    await this.history.deleted(lead);
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

/** What simultaneous requests would contend for: the lead's id, its phones and its email. */
function queueKeys({ organization }: Caller, payload: LeadPayload): string[] {
  const { recordSystemId } = payload;
  const contact = contentionKeys(contactOf(sentData(payload)), organization.phoneCountry);
  const lead = recordSystemId === undefined ? [] : [`lead:${recordSystemId}`];
  return [...lead, ...contact].map((key) => `${organization._id.toHexString()}:${key}`);
}
