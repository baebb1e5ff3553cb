import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import {
  type ChangeLogEntry,
  ChangeLogRepository,
} from '../../tenants/change-log/change-log.repository.js';
import { ClientsService, type FoundClient } from '../../tenants/clients/clients.service.js';
import { phonesOf } from '../../tenants/contacts/phone-number.js';
import type { KeysetPage, KeysetRequest } from '../../core/database/documents/keyset.js';
import type { Organization } from '../../tenants/organizations/organization.js';
import type { LeadDto } from '../dto/lead.dto.js';
import { presentLead } from '../lead.presenter.js';
import type { LeadDocument } from '../lead.schema.js';
import { LeadsRepository } from '../leads.repository.js';
import { LeadLookupService } from '../lead-lookup.service.js';
import { PhoneOwnersRepository } from '../phones/phone-owners.repository.js';

/** What a reference was taken for. */
export type LeadReferenceKind = 'id' | 'phone' | 'email';

/** The leads that a reference names; `by` is null when there are none. */
export interface FoundLeads {
  readonly by: LeadReferenceKind | null;
  readonly leads: readonly LeadDto[];
  readonly hasMore: boolean;
}

/** A lead with what belongs to it. */
export interface InspectedLead {
  readonly lead: LeadDto;
  readonly isErased: boolean;
  readonly client: FoundClient | null;
  /** Other leads with one of its phones or its client, newest first. */
  readonly others: readonly RelatedLead[];
  readonly hasMoreOthers: boolean;
}

/** Another lead, and what it has in common with the first one. */
export interface RelatedLead {
  readonly lead: LeadDto;
  readonly shares: readonly ('phone' | 'client')[];
}

/** Leads as the operator looks at them. */
@Injectable()
export class LeadInspectionService {
  constructor(
    private readonly service: LeadLookupService,
    private readonly leads: LeadsRepository,
    private readonly phoneOwners: PhoneOwnersRepository,
    private readonly clients: ClientsService,
    private readonly changeLog: ChangeLogRepository,
  ) {}

  /**
   * The leads that a reference names: by an external id, id or number; else by a phone in any spelling,
   * which deleted leads are not found by; else by the email of their client.
   */
  async find(organization: Organization, reference: string, limit: number): Promise<FoundLeads> {
    const named = await this.service.find(organization._id, reference);
    if (named.length > 0) return found('id', named, limit);
    const { _id, phoneCountry } = organization;
    if (reference.includes('@')) {
      const clientIds = await this.clients.idsByContact(organization, {
        email: reference,
        phones: [],
      });
      const ofClients = await this.leads.findOfClients(_id, clientIds, limit + 1);
      return found('email', ofClients.map(presentLead), limit);
    }
    const phones = phonesOf({ phoneNumber: reference });
    const withPhone = await this.phoneOwners.findWithPhones(_id, phones, phoneCountry, limit + 1);
    return found('phone', withPhone.map(presentLead), limit);
  }

  /** A lead by its id, deleted or not, with what belongs to it; null when there is none. */
  async inspect(
    { _id: organizationId, phoneCountry }: Organization,
    id: Types.ObjectId,
    limit: number,
  ): Promise<InspectedLead | null> {
    const [lead] = await this.leads.findAll(organizationId, { _id: id });
    if (lead === undefined) return null;
    const { clientId, data } = lead;
    const phones = phonesOf(data);
    const [client, withPhone, ofClient] = await Promise.all([
      clientId ? this.clients.find(organizationId, clientId) : null,
      this.phoneOwners.findWithPhones(organizationId, phones, phoneCountry, limit + 2),
      this.leads.findOfClients(organizationId, clientId ? [clientId] : [], limit + 2),
    ]);
    const others = relatedLeads(lead, withPhone, ofClient);
    return {
      lead: presentLead(lead),
      isErased: Boolean(lead.erasedAt),
      client,
      others: others.slice(0, limit),
      hasMoreOthers: others.length > limit,
    };
  }

  /** What requests changed of a lead, newest first. */
  async history(
    organizationId: Types.ObjectId,
    id: Types.ObjectId,
    part: KeysetRequest,
  ): Promise<KeysetPage<ChangeLogEntry>> {
    return this.changeLog.historyOf(organizationId, id, part);
  }
}

function found(by: LeadReferenceKind, leads: readonly LeadDto[], limit: number): FoundLeads {
  return {
    by: leads.length === 0 ? null : by,
    leads: leads.slice(0, limit),
    hasMore: leads.length > limit,
  };
}

function relatedLeads(
  { _id }: LeadDocument,
  withPhone: readonly LeadDocument[],
  ofClient: readonly LeadDocument[],
): RelatedLead[] {
  const related = new Map<string, RelatedLead>();
  const add = (document: LeadDocument, share: RelatedLead['shares'][number]) => {
    const lead = presentLead(document);
    const { shares = [] } = related.get(lead._id) ?? {};
    related.set(lead._id, { lead, shares: [...shares, share] });
  };
  for (const lead of withPhone) add(lead, 'phone');
  for (const lead of ofClient) add(lead, 'client');
  related.delete(_id.toHexString());
  return [...related.values()].toSorted((a, b) => b.lead.createdAt.localeCompare(a.lead.createdAt));
}
