import { Injectable } from '@nestjs/common';
import type { CountryCode } from 'libphonenumber-js';
import type { Types } from 'mongoose';
import {
  InjectCollection,
  type TenantCollection,
} from '../../core/database/documents/tenant-collection.js';
import { notDeleted } from '../../core/database/documents/tenant-document.js';
import type { TenantFilter, Tenants } from '../../core/database/documents/tenant-queries.js';
import { phoneKey, usualSpellings } from '../../tenants/contacts/phone-number.js';
import type { LeadDocument } from '../lead.schema.js';
import { storedPhones } from './lead-phones.js';

const ownerFields = [
  'leadId',
  'assignedToId',
  'data.phoneNumber',
  'data.phoneNumber2',
  'phoneKeys',
  'phoneKeysOf',
] as const;

export type PhoneOwner = Pick<
  LeadDocument,
  '_id' | 'leadId' | 'data' | 'phoneKeys' | 'phoneKeysOf' | 'assignedToId'
>;

/** Finds leads by comparison keys of phones, and by spelling where another program wrote them. */
@Injectable()
export class PhoneOwnersRepository {
  constructor(@InjectCollection('Lead') private readonly leads: TenantCollection<LeadDocument>) {}

  /**
   * Finds leads that may have one of the phones. Of each phone the lowest-numbered owner is among them.
   *
   * @param excluded leads that are not searched
   */
  async findOwners(
    organizationId: Types.ObjectId,
    phones: readonly string[],
    country: CountryCode,
    excluded: readonly Types.ObjectId[],
  ): Promise<PhoneOwner[]> {
    if (phones.length === 0) return [];
    const others = excluded.length === 0 ? {} : { _id: { $nin: excluded } };
    const byKey = Map.groupBy(phones, (phone) => phoneKey(phone, country));
    // Few phones have more than one lead. Where one has thousands, only the first owners are read.
    const limit = 2 * byKey.size + 16;
    const filter = { ...notDeleted, ...others, $or: havingPhones(phones, country) };
    const found = await this.leads.find(organizationId, filter, { fields: ownerFields, limit });
    if (found.length < limit) return found;
    const lowest: PhoneOwner[] = [];
    for (const [key, spellings] of byKey) {
      for (const condition of havingPhones(spellings, country)) {
        const filterOfKey = { ...condition, ...others } as TenantFilter<LeadDocument>;
        lowest.push(...(await this.findLowest(organizationId, filterOfKey, key, country)));
      }
    }
    return lowest;
  }

  async findWithPhones(
    organizationId: Tenants,
    phones: readonly string[],
    country: CountryCode,
    limit: number,
  ): Promise<LeadDocument[]> {
    if (phones.length === 0) return [];
    const $or = havingPhones(phones, country);
    return this.leads.find(organizationId, { ...notDeleted, $or }, { limit });
  }

  /** Follows an index; more than one lead is read only if another program has just changed the first. */
  private async findLowest(
    organizationId: Types.ObjectId,
    filter: TenantFilter<LeadDocument>,
    key: string,
    country: CountryCode,
  ): Promise<PhoneOwner[]> {
    const sort = { leadId: 1, _id: 1 } as const;
    for (let skip = 0, limit = 1; ; skip += limit, limit *= 8) {
      const options = { fields: ownerFields, sort, skip, limit };
      const found = await this.leads.find(organizationId, filter, options);
      const owner = found.find((lead) => storedPhones(lead, country).phoneKeys.includes(key));
      if (owner !== undefined) return [owner];
      if (found.length < limit) return [];
    }
  }
}

/** One condition per index; these indexes exclude deleted leads. */
function havingPhones(phones: readonly string[], country: CountryCode) {
  const keys = phones.map((phone) => phoneKey(phone, country));
  const spellings = phones.flatMap((phone) => usualSpellings(phone, country));
  return [
    { phoneKeys: { $in: keys }, ...notDeleted },
    { 'data.phoneNumber': { $in: spellings }, ...notDeleted },
    { 'data.phoneNumber2': { $in: spellings }, ...notDeleted },
  ];
}
