import { Injectable } from '@nestjs/common';
import type { CountryCode } from 'libphonenumber-js';
import type { Types } from 'mongoose';
import { InjectCollection } from '../../core/database/documents/inject-collection.js';
import type { TenantCollection } from '../../core/database/documents/tenant-collection.js';
import { notDeleted } from '../../core/database/documents/tenant-document.js';
import type { TenantFilter } from '../../core/database/documents/tenant-filter.js';
import type { Tenants } from '../../core/database/documents/tenant-operations.js';
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

/** What the duplicate check reads of a lead. */
export type PhoneOwner = Pick<
  LeadDocument,
  '_id' | 'leadId' | 'data' | 'phoneKeys' | 'phoneKeysOf' | 'assignedToId'
>;

/** Searches for leads by phones: by their comparison keys, and by spelling for what other programs wrote. */
@Injectable()
export class PhoneOwnersRepository {
  constructor(@InjectCollection('Lead') private readonly leads: TenantCollection<LeadDocument>) {}

  /**
   * Leads that may have one of the phones; of each phone the one with the lowest number that has it.
   *
   * @param excluded leads that are not looked for
   */
  async findOwners(
    organizationId: Types.ObjectId,
    phones: readonly string[],
    country: CountryCode,
    excluded: readonly Types.ObjectId[],
  ): Promise<PhoneOwner[]> {
    const others = excluded.length === 0 ? {} : { _id: { $nin: excluded } };
    const lowest: PhoneOwner[] = [];
    const keys = byKey(phones, country);
    while (keys.size > 0) {
      // Few phones have more than one lead; of one that has thousands only the first is read.
      const limit = 2 * keys.size + 16;
      const $or = havingPhones([...keys.values()].flat(), country);
      const filter = { ...notDeleted, ...others, $or };
      const found = await this.leads.find(organizationId, filter, { fields: ownerFields, limit });
      if (found.length < limit) return [...lowest, ...found];
      const key = mostShared(found, [...keys.keys()], country);
      for (const condition of havingPhones(keys.get(key) ?? [], country)) {
        const filterOfKey = { ...condition, ...others } as TenantFilter<LeadDocument>;
        lowest.push(...(await this.findLowest(organizationId, filterOfKey, key, country)));
      }
      keys.delete(key);
    }
    return lowest;
  }

  /** Leads that are not deleted and have one of the phones, in no order. */
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

  /** Along an index; most often the first lead has the phone, unless another program has just changed it. */
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

/** Phones by their comparison keys. */
function byKey(phones: readonly string[], country: CountryCode): Map<string, string[]> {
  return Map.groupBy(phones, (phone) => phoneKey(phone, country));
}

/** Which of some comparison keys most of the leads have. */
function mostShared(
  leads: readonly PhoneOwner[],
  keys: readonly string[],
  country: CountryCode,
): string {
  const counts = new Map(keys.map((key) => [key, 0]));
  for (const lead of leads) {
    // As stored, too: the index finds a lead by keys of phones that another program has changed since.
    const { phoneKeys } = storedPhones(lead, country);
    for (const key of new Set([...phoneKeys, ...(lead.phoneKeys ?? [])])) {
      const count = counts.get(key);
      if (count !== undefined) counts.set(key, count + 1);
    }
  }
  const [most] = [...counts].toSorted(([, one], [, other]) => other - one);
  return most?.[0] ?? '';
}

function havingPhones(phones: readonly string[], country: CountryCode) {
  const keys = phones.map((phone) => phoneKey(phone, country));
  const spellings = phones.flatMap((phone) => usualSpellings(phone, country));
  return [
    { phoneKeys: { $in: keys }, ...notDeleted },
    { 'data.phoneNumber': { $in: spellings }, ...notDeleted },
    { 'data.phoneNumber2': { $in: spellings }, ...notDeleted },
  ];
}
