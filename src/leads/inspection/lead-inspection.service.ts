import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import {
  type ChangeLogEntry,
  ChangeLogRepository,
} from '../../tenants/change-log/change-log.repository.js';
import { ClientsService, type FoundClient } from '../../tenants/clients/clients.service.js';
import { phonesOf } from '../../tenants/contacts/phone-number.js';
import { parseObjectId } from '../../core/database/documents/object-id.js';
import type { KeysetPage, KeysetRequest } from '../../core/database/documents/keyset.js';
import type { Organization } from '../../tenants/organizations/organization.js';
import type { LeadDto } from '../dto/lead.dto.js';
import { presentLead } from '../lead.presenter.js';
import type { LeadDocument } from '../lead.schema.js';
import { LeadsRepository } from '../leads.repository.js';
import { PhoneOwnersRepository } from '../phones/phone-owners.repository.js';

/** A lead of any organization. */
export type FoundLead = LeadDto & { readonly organizationId: string };

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
    private readonly leads: LeadsRepository,
    private readonly phoneOwners: PhoneOwnersRepository,
    private readonly clients: ClientsService,
    private readonly changeLog: ChangeLogRepository,
  ) {}

  /**
   * The leads of organizations that a reference may name: by an id of an outside system or of the service, by a
   * number, by a phone in any spelling, or by an email. Deleted ones are found by ids and numbers only.
   */
  async search(
    organizations: readonly Organization[],
    reference: string,
    limit: number,
  ): Promise<FoundLead[]> {
    const all = idsOf(organizations);
    const _id = parseObjectId(reference);
    const phones = phonesOf({ phoneNumber: reference });
    const byCountry = Map.groupBy(organizations, ({ phoneCountry }) => phoneCountry);
    const found = await Promise.all([
      this.leads.findAll(all, { recordSystemId: reference }),
      _id === null ? [] : this.leads.findAll(all, { _id }),
      /^\d{1,15}$/.test(reference) ? this.leads.findAll(all, { leadId: Number(reference) }) : [],
      ...(reference.includes('@') ? [this.withEmail(all, reference, limit)] : []),
      ...[...byCountry].map(([country, those]) =>
        this.phoneOwners.findWithPhones(idsOf(those), phones, country, limit),
      ),
    ]);
    const leads = new Map(found.flat().map((lead) => [lead._id.toHexString(), lead]));
    return [...leads.values()].slice(0, limit).map((lead) => ({
      ...presentLead(lead),
      organizationId: lead.organizationId.toHexString(),
    }));
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

  /** The leads of clients with an email, and those without a client that have it themselves. */
  private async withEmail(
    organizationIds: readonly Types.ObjectId[],
    email: string,
    limit: number,
  ): Promise<LeadDocument[]> {
    const clientIds = await this.clients.idsByEmail(organizationIds, email);
    const [ofClients, others] = await Promise.all([
      this.leads.findOfClients(organizationIds, clientIds, limit),
      this.leads.findByEmail(organizationIds, email, limit),
    ]);
    return [...ofClients, ...others];
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

function idsOf(organizations: readonly Organization[]): Types.ObjectId[] {
  return organizations.map(({ _id }) => _id);
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
