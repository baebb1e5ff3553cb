import { Injectable } from '@nestjs/common';
import type { CountryCode } from 'libphonenumber-js';
import type { Types } from 'mongoose';
import { CatalogueRepository } from '../catalogue/catalogue.repository.js';
import {
  InjectCollection,
  type TenantCollection,
} from '../core/database/documents/tenant-collection.js';
import { notDeleted, parseObjectId } from '../core/database/documents/tenant-document.js';
import type { TenantFilter, TenantIds } from '../core/database/documents/tenant-queries.js';
import { caseVariants, caseInsensitive } from '../core/localization/fold-case.js';
import { ClientsService } from '../tenants/clients/clients.service.js';
import { phonesOf } from '../tenants/contacts/phone-number.js';
import type { Organization } from '../tenants/organizations/organization.js';
import { UsersRepository } from '../tenants/organizations/users.repository.js';
import type { LeadDto } from './dto/lead.dto.js';
import { present } from '../core/fields/declared-fields.js';
import { LeadDocument } from './lead.schema.js';
import { phoneConditions } from './leads.repository.js';

export type FoundLead = LeadDto & { readonly organizationId: string };

export type LeadDetails = NonNullable<Awaited<ReturnType<LeadLookupService['inspect']>>>;

const sort = { isDeleted: 1, createdAt: -1 } as const;

const isLeadNumber = (reference: string) => /^\d{1,15}$/.test(reference);

@Injectable()
export class LeadLookupService {
  constructor(
    @InjectCollection('Lead') private readonly leads: TenantCollection<LeadDocument>,
    private readonly clients: ClientsService,
    private readonly catalogue: CatalogueRepository,
    private readonly users: UsersRepository,
  ) {}

  /** Searches by external id, then by own id or number. Active leads come first, then the newest deleted ones. */
  async find(organizationId: Types.ObjectId, reference: string): Promise<LeadDto[]> {
    const byIds = await this.findByIds(organizationId, reference);
    const found =
      byIds.length === 0 && isLeadNumber(reference)
        ? await this.findById(organizationId, { leadId: Number(reference) })
        : byIds;
    return found.map((lead) => present(LeadDocument, lead));
  }

  /** Works like {@link find}, but not by number. */
  async findByIds(organizationId: Types.ObjectId, reference: string): Promise<LeadDocument[]> {
    const found = await this.findByExternalId(organizationId, reference);
    const _id = parseObjectId(reference);
    return found.length > 0 || _id === null ? found : this.findById(organizationId, { _id });
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
    const byCountry = Map.groupBy(organizations, ({ phoneCountry }) => phoneCountry);
    const found = await Promise.all([
      this.findByExternalId(all, reference),
      _id === null ? [] : this.findById(all, { _id }),
      isLeadNumber(reference) ? this.findById(all, { leadId: Number(reference) }) : [],
      reference.includes('@') ? this.findByEmail(all, reference, limit) : [],
      ...[...byCountry].map(([country, some]) =>
        this.findByPhones(idsOf(some), phones, country, limit),
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
    const lead = await this.leads.findOne(organizationId, { _id: id });
    if (lead === null) return null;
    const { clientId, assignedToId } = lead;
    const compoundsIds = lead.compoundsIds ?? [];
    const [names, users, client] = await Promise.all([
      this.catalogue.compoundNames(organizationId, compoundsIds),
      this.users.namesOf(organizationId, assignedToId ? [assignedToId] : []),
      clientId ? this.clients.find(organizationId, clientId) : null,
    ]);
    return {
      lead: present(LeadDocument, lead),
      isErased: Boolean(lead.erasedAt),
      compounds: compoundsIds.map((compound) => {
        const compoundId = compound.toHexString();
        return names.get(compoundId) ?? { 'en-us': compoundId };
      }),
      assignedTo: users.get(assignedToId?.toHexString() ?? ''),
      client,
    };
  }

  private findById(organizationIds: TenantIds, id: TenantFilter<LeadDocument>) {
    return this.leads.find(organizationIds, id, { sort });
  }

  private async findByExternalId(organizationIds: TenantIds, recordSystemId: string) {
    // Separate queries use an index each; no index serves both conditions.
    const active = await this.leads.find(organizationIds, { recordSystemId, isDeleted: false });
    const deleted = { recordSystemId, isDeleted: true };
    return [...active, ...(await this.leads.find(organizationIds, deleted, { sort }))];
  }

  private async findByPhones(
    organizationIds: TenantIds,
    phones: readonly string[],
    country: CountryCode,
    limit: number,
  ): Promise<LeadDocument[]> {
    if (phones.length === 0) return [];
    const filter = { ...notDeleted, $or: phoneConditions(phones, country) };
    return this.leads.find(organizationIds, filter, { limit });
  }

  private async findByClients(
    organizationIds: TenantIds,
    clientIds: readonly Types.ObjectId[],
    limit: number,
  ): Promise<LeadDocument[]> {
    if (clientIds.length === 0) return [];
    return this.leads.find(organizationIds, { clientId: { $in: clientIds } }, { limit });
  }

  private async findByEmail(
    organizationIds: readonly Types.ObjectId[],
    email: string,
    limit: number,
  ): Promise<LeadDocument[]> {
    const clientIds = await this.clients.idsByEmail(organizationIds, email);
    const filter = { clientId: null, 'data.email': { $in: caseVariants(email) }, ...notDeleted };
    const [withClient, withoutClient] = await Promise.all([
      this.findByClients(organizationIds, clientIds, limit),
      this.leads.find(organizationIds, filter, { limit, collation: caseInsensitive }),
    ]);
    return [...withClient, ...withoutClient];
  }
}

function idsOf(organizations: readonly Organization[]): Types.ObjectId[] {
  return organizations.map(({ _id }) => _id);
}
