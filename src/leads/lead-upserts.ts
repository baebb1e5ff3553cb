import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { Caller } from '../authentication/caller.js';
import { ClientsService } from '../clients/clients.service.js';
import { CompoundsService } from '../compounds/compounds.service.js';
import { contactOf, contentionKeys } from '../contacts/contact.js';
import { phonesOf } from '../contacts/phone-number.js';
import { TransactionLocksRepository } from '../database/transactions/transaction-locks.repository.js';
import { leadChanges, LeadChangePublisher } from './lead-change-publisher.js';
import { assertNoReference, type LeadPayload, mergeLead, requestData } from './lead-merge.js';
import { scalarText } from '../values/scalar.js';
import { assertLeadSize } from './lead-size.js';
import type { LeadData, LeadDocument } from './lead.schema.js';
import { type LeadFields, LeadsRepository } from './leads.repository.js';
import { DuplicatePhones } from './phones/duplicate-phones.js';
import { derivedPhones } from './phones/lead-phones.js';

export interface LeadUpsert {
  readonly operation: 'create' | 'update';
  readonly lead: LeadDocument;
}

/** The steps of an upsert, inside its transaction (rules LEAD-3 to LEAD-11). */
@Injectable()
export class LeadUpserts {
  constructor(
    private readonly leads: LeadsRepository,
    private readonly locks: TransactionLocksRepository,
    private readonly duplicatePhones: DuplicatePhones,
    private readonly compounds: CompoundsService,
    private readonly clients: ClientsService,
    private readonly publisher: LeadChangePublisher,
  ) {}

  /**
   * Creates the lead, or merges the request into the active lead with its `recordSystemId`.
   *
   * @param nextNumber gives the number of a new lead
   * @throws DomainError 400 for a phone that another lead has, or a merged lead that cannot be stored
   */
  async save(
    caller: Caller,
    payload: LeadPayload,
    nextNumber: () => Promise<number>,
  ): Promise<LeadUpsert> {
    const { organizationId, organization } = caller;
    const { recordSystemId } = payload;
    const stored =
      recordSystemId === undefined
        ? null
        : await this.leads.findActive(organizationId, recordSystemId);
    const requested = requestData(payload);
    const merged = mergeLead(stored, payload);
    assertNoReference(merged);
    assertLeadSize(merged);
    const contact = contactOf(stored?.clientId ? requested : merged.data);
    await this.locks.take(organizationId, contentionKeys(contact, organization.phoneCountry));
    await this.duplicatePhones.assertNone(organization, phonesOf(requested), stored);
    const fields = {
      ...merged,
      ...derivedPhones(merged.data, organization.phoneCountry),
      compoundsIds: await this.linkCompounds(caller, stored?.compoundsIds ?? [], requested),
      clientId: await this.clients.link(organization, contact, stored?.clientId),
    };
    if (stored !== null) return this.update(stored, fields);
    const id = recordSystemId === undefined ? {} : { recordSystemId };
    return this.create(organizationId, { leadId: await nextNumber(), ...fields, ...id });
  }

  /** Adds the compounds that have the name of the requested project (rule LEAD-8). */
  private async linkCompounds(
    { organizationId, language }: Caller,
    linked: Types.ObjectId[],
    data: LeadData,
  ): Promise<Types.ObjectId[]> {
    const project = scalarText(data['project']);
    if (project === '') return linked;
    const named = await this.compounds.idsNamed(organizationId, project, language);
    return [...linked, ...named.filter((id) => !linked.some((other) => other.equals(id)))];
  }

  private async create(organizationId: Types.ObjectId, fields: LeadFields): Promise<LeadUpsert> {
    const lead = await this.leads.create(organizationId, fields);
    await this.publisher.publish('create', lead, leadChanges(null, lead));
    return { operation: 'create', lead };
  }

  private async update(stored: LeadDocument, fields: LeadFields): Promise<LeadUpsert> {
    const changes = leadChanges(stored, { ...stored, ...fields });
    const lead = changes.length === 0 ? stored : await this.leads.update(stored, fields);
    await this.publisher.publish('update', lead, changes);
    return { operation: 'update', lead };
  }
}
