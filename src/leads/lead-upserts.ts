import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import type { Caller } from '../authentication/caller.js';
import { Clock } from '../configuration/clock.js';
import { contactOf, contentionKeys } from '../contacts/contact.js';
import { TransactionLocksRepository } from '../database/transactions/transaction-locks.repository.js';
import { DuplicatePhones } from './phones/duplicate-phones.js';
import { leadChanges, LeadHistory } from './lead-history.js';
import { LeadLinks } from './lead-links.js';
import { type LeadPayload, mergeLead, sentData } from './lead-merge.js';
import { derivedPhones, phonesOf } from './phones/lead-phones.js';
import { refuseLargeLead } from './lead-size.js';
import type { LeadDocument } from './lead.schema.js';
import { LeadsRepository } from './leads.repository.js';

/** The outcome of an upsert. */
export interface LeadUpsert {
  readonly operation: 'create' | 'update';
  readonly lead: LeadDocument;
}

/** Where a new lead's number comes from. */
export type NumberSource = () => Promise<number>;

/** The steps of an upsert, inside its transaction (section 4.1, "Leads" 10). */
@Injectable()
export class LeadUpserts {
  constructor(
    private readonly leads: LeadsRepository,
    private readonly locks: TransactionLocksRepository,
    private readonly duplicatePhones: DuplicatePhones,
    private readonly links: LeadLinks,
    private readonly history: LeadHistory,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates the lead, or merges the request into the active lead with its `recordSystemId`.
   *
   * @throws DomainError 400 for a phone that another lead has, or a lead that becomes too large
   */
  async save(caller: Caller, payload: LeadPayload, nextNumber: NumberSource): Promise<LeadUpsert> {
    const { organizationId, organization } = caller;
    const stored = await this.findStored(organizationId, payload.recordSystemId);
    const sent = sentData(payload);
    const merged = mergeLead(stored, payload);
    refuseLargeLead(merged);
    const contact = contactOf(stored?.clientId ? sent : merged.data);
    await this.locks.take(organizationId, contentionKeys(contact, organization.phoneCountry));
    await this.duplicatePhones.refuse(organization, phonesOf(sent), stored?._id);
    const fields = {
      ...merged,
      ...derivedPhones(merged.data, organization.phoneCountry),
      compoundsIds: await this.links.compoundsOf(caller, stored, sent),
      clientId: await this.links.clientOf(caller, stored, sent, merged.data),
    };
    return stored === null
      ? this.create(organizationId, { ...fields, ...pickId(payload) }, await nextNumber())
      : this.update(stored, fields);
  }

  private async findStored(
    organizationId: Types.ObjectId,
    recordSystemId: string | undefined,
  ): Promise<LeadDocument | null> {
    if (recordSystemId === undefined) return null;
    return this.leads.findActive(organizationId, recordSystemId);
  }

  private async create(
    organizationId: Types.ObjectId,
    fields: LeadFields,
    leadId: number,
  ): Promise<LeadUpsert> {
    const now = this.clock.now();
    const lead: LeadDocument = {
      _id: new Types.ObjectId(),
      organizationId,
      leadId,
      ...fields,
      assignedToId: null,
      parentId: null,
      isActive: true,
      isDeleted: false,
      createdAt: now,
      updatedAt: now,
    };
    await this.leads.insert(lead);
    await this.history.created(lead);
    return { operation: 'create', lead };
  }

  private async update(stored: LeadDocument, fields: LeadFields): Promise<LeadUpsert> {
    const changed = { ...stored, ...fields, updatedAt: this.clock.now() };
    const changes = leadChanges(stored, changed);
    const lead = changes.length === 0 ? stored : changed;
    if (changes.length > 0) {
      await this.leads.setFields(stored, { ...fields, updatedAt: changed.updatedAt });
    }
    await this.history.updated(lead, changes);
    return { operation: 'update', lead };
  }
}

/** What a request decides of a lead. */
type LeadFields = Pick<
  LeadDocument,
  | 'recordSystemId'
  | 'data'
  | 'additionalData'
  | 'compoundsIds'
  | 'clientId'
  | 'phoneKeys'
  | 'phoneKeysOf'
>;

function pickId({ recordSystemId }: LeadPayload): Pick<LeadFields, 'recordSystemId'> {
  return recordSystemId === undefined ? {} : { recordSystemId };
}
