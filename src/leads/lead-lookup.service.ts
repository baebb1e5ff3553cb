import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { CompoundLookupService } from '../compounds/compound-lookup.service.js';
import type { KeysetPage, KeysetRequest } from '../core/database/documents/keyset.js';
import { parseObjectId } from '../core/database/documents/tenant-document.js';
import type { Localized } from '../core/localization/language.js';
import {
  type ChangeLogDocument,
  ChangeLogRepository,
} from '../tenants/change-log/change-log.repository.js';
import { ClientsService, type FoundClient } from '../tenants/clients/clients.service.js';
import { phonesOf } from '../tenants/contacts/phone-number.js';
import type { Organization } from '../tenants/organizations/organization.js';
import { UsersRepository } from '../tenants/organizations/users.repository.js';
import { type LeadDto, presentLead } from './dto/lead.dto.js';
import type { LeadDocument } from './lead.schema.js';
import { LeadsRepository } from './leads.repository.js';
import { PhoneOwnersRepository } from './phones/phone-owners.repository.js';

export type FoundLead = LeadDto & { readonly organizationId: string };

export interface InspectedLead {
  readonly lead: LeadDto;
  readonly isErased: boolean;
  /** The names of its compounds; the id of a missing one. */
  readonly compounds: readonly Partial<Localized>[];
  /** The name of its assignee. */
  readonly assignedTo: string | undefined;
  readonly client: FoundClient | null;
  /** Newest first. */
  readonly others: readonly RelatedLead[];
  readonly hasMoreOthers: boolean;
}

/** Another lead with the same phone or client. */
export interface RelatedLead {
  readonly lead: LeadDto;
  readonly shares: readonly ('phone' | 'client')[];
}

const isLeadNumber = (reference: string) => /^\d{1,15}$/.test(reference);

/** Finds leads for the operator and other features. */
@Injectable()
export class LeadLookupService {
  constructor(
    private readonly leads: LeadsRepository,
    private readonly phoneOwners: PhoneOwnersRepository,
    private readonly clients: ClientsService,
    private readonly changeLog: ChangeLogRepository,
    private readonly compounds: CompoundLookupService,
    private readonly users: UsersRepository,
  ) {}

  /**
   * Finds by external id, otherwise by own id or number, including deleted leads: the active one first,
   * then the newest.
   */
  async find(organizationId: Types.ObjectId, reference: string): Promise<LeadDto[]> {
    const named = await this.leads.findNamed(organizationId, reference);
    const leadId = Number(reference);
    const found =
      named.length === 0 && isLeadNumber(reference)
        ? await this.leads.findAll(organizationId, { leadId })
        : named;
    return found.map(presentLead);
  }

  /**
   * Searches organizations by external id, own id, number, phone in any spelling, or email. Only ids and
   * numbers find deleted leads.
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
      isLeadNumber(reference) ? this.leads.findAll(all, { leadId: Number(reference) }) : [],
      reference.includes('@') ? this.withEmail(all, reference, limit) : [],
      ...[...byCountry].map(([country, some]) =>
        this.phoneOwners.findWithPhones(idsOf(some), phones, country, limit),
      ),
    ]);
    const leads = new Map(found.flat().map((lead) => [lead._id.toHexString(), lead]));
    return [...leads.values()].slice(0, limit).map((lead) => ({
      ...presentLead(lead),
      organizationId: lead.organizationId.toHexString(),
    }));
  }

  async inspect(
    { _id: organizationId, phoneCountry }: Organization,
    id: Types.ObjectId,
    limit: number,
  ): Promise<InspectedLead | null> {
    const [lead] = await this.leads.findAll(organizationId, { _id: id });
    if (lead === undefined) return null;
    const { clientId, data, assignedToId } = lead;
    const compoundsIds = lead.compoundsIds ?? [];
    // The lead itself is among both, and one more shows that there are more.
    const most = limit + 2;
    const [names, users, client, withPhone, ofClient] = await Promise.all([
      this.compounds.namesOf(organizationId, compoundsIds),
      this.users.namesOf(organizationId, assignedToId ? [assignedToId] : []),
      clientId ? this.clients.find(organizationId, clientId) : null,
      this.phoneOwners.findWithPhones(organizationId, phonesOf(data), phoneCountry, most),
      this.leads.findOfClients(organizationId, clientId ? [clientId] : [], most),
    ]);
    const others = relatedLeads(lead, withPhone, ofClient);
    return {
      lead: presentLead(lead),
      isErased: Boolean(lead.erasedAt),
      compounds: compoundsIds.map((compound) => {
        const compoundId = compound.toHexString();
        return names.get(compoundId) ?? { 'en-us': compoundId };
      }),
      assignedTo: users.get(assignedToId?.toHexString() ?? ''),
      client,
      others: others.slice(0, limit),
      hasMoreOthers: others.length > limit,
    };
  }

  history(
    organizationId: Types.ObjectId,
    id: Types.ObjectId,
    page: KeysetRequest,
  ): Promise<KeysetPage<ChangeLogDocument>> {
    return this.changeLog.historyOf(organizationId, id, page);
  }

  private async withEmail(
    organizationIds: readonly Types.ObjectId[],
    email: string,
    limit: number,
  ): Promise<LeadDocument[]> {
    const clientIds = await this.clients.idsByEmail(organizationIds, email);
    const [ofClients, withoutClient] = await Promise.all([
      this.leads.findOfClients(organizationIds, clientIds, limit),
      this.leads.findByEmail(organizationIds, email, limit),
    ]);
    return [...ofClients, ...withoutClient];
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
