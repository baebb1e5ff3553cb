import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { CountryCode } from 'libphonenumber-js';
import type { Types } from 'mongoose';
import { notDeleted } from '../../core/database/documents/tenant-document.js';
import { eachWithin } from '../../core/database/models/each-within.js';
import type { TenantModel } from '../../core/database/models/tenant-model.js';
import { foldCase } from '../../core/localization/fold-case.js';
import type { LeadDocument } from '../lead.schema.js';
import { phoneConditions } from '../leads.repository.js';

export type LeadName = Pick<LeadDocument, '_id' | 'leadId' | 'recordSystemId'>;

const sort = { isDeleted: 1, createdAt: -1 } as const;

/** Active leads come first, then the newest deleted ones. */
@Injectable()
export class LeadSearchRepository {
  constructor(@InjectModel('Lead') private readonly leads: TenantModel<LeadDocument>) {}

  async findById(
    organizationIds: readonly Types.ObjectId[],
    id: { readonly _id: Types.ObjectId } | { readonly leadId: number },
  ): Promise<LeadDocument[]> {
    const organizationId = { $in: organizationIds };
    return this.leads.find({ ...id, organizationId }, null, { sort }).lean();
  }

  /** Includes deleted leads. */
  async namesOf(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
  ): Promise<LeadName[]> {
    if (ids.length === 0) return [];
    const filter = { organizationId, _id: { $in: [...ids] } };
    return this.leads.find<LeadName>(filter, ['leadId', 'recordSystemId']).lean();
  }

  /** Finds leads that any of the references names, also deleted ones. Each condition has an index of its own. */
  async findNamed(
    organizationIds: readonly Types.ObjectId[],
    recordSystemId: string,
    ids: readonly ({ readonly _id: Types.ObjectId } | { readonly leadId: number })[],
    limit: number,
  ): Promise<LeadDocument[]> {
    const organizationId = { $in: organizationIds };
    const named = [{ recordSystemId, ...notDeleted }, { recordSystemId, isDeleted: true }, ...ids];
    const $or = eachWithin(organizationId, named);
    const options = { sort, limit, batchSize: limit + 1 };
    return this.leads.find({ organizationId, $or }, null, options).lean();
  }

  async findByExternalId(
    organizationIds: readonly Types.ObjectId[],
    recordSystemId: string,
  ): Promise<LeadDocument[]> {
    const filter = { organizationId: { $in: organizationIds }, recordSystemId };
    // Separate queries use an index each; no index serves both conditions.
    const active = await this.leads.find({ ...filter, ...notDeleted }).lean();
    const deleted = await this.leads.find({ ...filter, isDeleted: true }, null, { sort }).lean();
    return [...active, ...deleted];
  }

  /** Reads phones as in each of the countries, so that one query serves all organizations. Omits deleted leads. */
  async findByPhones(
    organizationIds: readonly Types.ObjectId[],
    phones: readonly string[],
    countries: ReadonlySet<CountryCode>,
    limit: number,
  ): Promise<LeadDocument[]> {
    if (phones.length === 0) return [];
    const $or = phoneConditions(phones, ...countries);
    const filter = { organizationId: { $in: organizationIds }, ...notDeleted, $or };
    return this.leads.find(filter, null, { limit, batchSize: limit + 1 }).lean();
  }

  async findByClients(
    organizationIds: readonly Types.ObjectId[],
    clientIds: readonly Types.ObjectId[],
    limit: number,
  ): Promise<LeadDocument[]> {
    if (clientIds.length === 0) return [];
    const filter = { organizationId: { $in: organizationIds }, clientId: { $in: clientIds } };
    return this.leads.find(filter, null, { limit }).lean();
  }

  /** Omits deleted leads. */
  async findByOwnEmail(
    organizationIds: readonly Types.ObjectId[],
    email: string,
    limit: number,
  ): Promise<LeadDocument[]> {
    const emailKey = foldCase(email);
    const filter = { organizationId: { $in: organizationIds }, emailKey, ...notDeleted };
    return this.leads.find(filter, null, { limit }).lean();
  }
}
