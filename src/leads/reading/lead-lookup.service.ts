import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { CatalogueRepository } from '../../catalogue/catalogue.repository.js';
import { parseObjectId, objectIds } from '../../core/database/documents/tenant-document.js';
import { ClientsService } from '../clients/clients.service.js';
import { phonesOf } from '../../tenants/contacts/phone-number.js';
import type { Organization } from '../../tenants/organizations/organization.js';
import { UsersRepository } from '../../tenants/organizations/users.repository.js';
import type { LeadDto } from '../dto/lead.dto.js';
import { present } from '../../core/fields/declared-fields.js';
import { LeadDocument } from '../lead.schema.js';
import { type LeadName, LeadSearchRepository } from './lead-search.repository.js';

export type { LeadName };

export type FoundLead = LeadDto & { readonly organizationId: string };

export type LeadDetails = NonNullable<Awaited<ReturnType<LeadLookupService['inspect']>>>;

const isLeadNumber = (reference: string) => /^\d{1,15}$/.test(reference);

@Injectable()
export class LeadLookupService {
  constructor(
    private readonly leads: LeadSearchRepository,
    private readonly clients: ClientsService,
    private readonly catalogue: CatalogueRepository,
    private readonly users: UsersRepository,
  ) {}

  /** Searches by external id, then by own id or number. Active leads come first, then the newest deleted ones. */
  async find(organizationId: Types.ObjectId, reference: string): Promise<LeadDto[]> {
    const byIds = await this.findByIds(organizationId, reference);
    const found =
      byIds.length === 0 && isLeadNumber(reference)
        ? await this.leads.findById([organizationId], { leadId: Number(reference) })
        : byIds;
    return found.map((lead) => present(LeadDocument, lead));
  }

  /** Works like {@link find}, but not by number. */
  async findByIds(organizationId: Types.ObjectId, reference: string): Promise<LeadDocument[]> {
    const found = await this.leads.findByExternalId([organizationId], reference);
    const _id = parseObjectId(reference);
    if (found.length > 0 || _id === null) return found;
    return this.leads.findById([organizationId], { _id });
  }

  /** Returns what a person calls leads, by id. Includes deleted leads. */
  async namesOf(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
  ): Promise<Map<string, LeadName>> {
    const names = await this.leads.namesOf(organizationId, ids);
    return new Map(names.map((name) => [name._id.toHexString(), name]));
  }

  /** Matches ids, number, email or any spelling of a phone. Ids and numbers also find deleted leads. */
  async search(
    organizations: readonly Organization[],
    reference: string,
    limit: number,
  ): Promise<FoundLead[]> {
    const all = idsOf(organizations);
    const _id = parseObjectId(reference);
    const phones = phonesOf({ phoneNumber: reference });
    const ids = [
      ...(_id === null ? [] : [{ _id }]),
      ...(isLeadNumber(reference) ? [{ leadId: Number(reference) }] : []),
    ];
    const found = await Promise.all([
      this.leads.findNamed(all, reference, ids, limit),
      reference.includes('@') ? this.findByEmail(all, reference, limit) : [],
      this.leads.findByPhones(
        all,
        phones,
        new Set(organizations.map(({ phoneCountry }) => phoneCountry)),
        limit,
      ),
    ]);
    const leads = new Map(found.flat().map((lead) => [lead._id.toHexString(), lead]));
    return [...leads.values()].slice(0, limit).map((lead) => ({
      ...present(LeadDocument, lead),
      organizationId: lead.organizationId.toHexString(),
    }));
  }

  /** Adds the names of compounds, or ids of missing ones, and the assignee's name. */
  async inspect(organizationId: Types.ObjectId, id: Types.ObjectId) {
    const [lead] = await this.leads.findById([organizationId], { _id: id });
    if (lead === undefined) return null;
    const { assignedToId } = lead;
    const compoundsIds = objectIds(lead.compoundsIds);
    const [ownClientId] = objectIds(lead.clientId);
    const [names, users, client] = await Promise.all([
      this.catalogue.compoundNames(organizationId, compoundsIds),
      this.users.namesOf(organizationId, assignedToId ? [assignedToId] : []),
      ownClientId ? this.clients.find(organizationId, ownClientId) : null,
    ]);
    return {
      lead: present(LeadDocument, lead),
      isErased: Boolean(lead.erasedAt),
      compounds: compoundsIds.map((compound) => {
        const compoundId = compound.toHexString();
        return names.get(compoundId) ?? { 'en-us': compoundId };
      }),
      assignedTo: users.get(String(assignedToId)),
      client,
    };
  }

  private async findByEmail(
    organizationIds: readonly Types.ObjectId[],
    email: string,
    limit: number,
  ): Promise<LeadDocument[]> {
    const clientIds = await this.clients.idsByEmail(organizationIds, email);
    const [ofClients, own] = await Promise.all([
      this.leads.findByClients(organizationIds, clientIds, limit),
      this.leads.findByOwnEmail(organizationIds, email, limit),
    ]);
    return [...ofClients, ...own];
  }
}

function idsOf(organizations: readonly Organization[]): Types.ObjectId[] {
  return organizations.map(({ _id }) => _id);
}
