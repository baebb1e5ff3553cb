import { Injectable, Logger } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { CountryCode } from 'libphonenumber-js';
import type { Types } from 'mongoose';
import { CountersRepository } from './counters.repository.js';
import { notDeleted } from '../core/database/documents/tenant-document.js';
import { writeAll } from '../core/database/models/bulk-writes.js';
import type { TenantModel } from '../core/database/models/tenant-model.js';
import type { TenantFilter, TenantWrite } from '../core/database/documents/tenant-queries.js';
import { allPhoneKeys, phoneFormats, phoneKeys } from '../tenants/contacts/phone-number.js';
import type { LeadDocument } from './lead.schema.js';
import { currentPhoneKeys } from './phones/lead-phones.js';

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

const counter = 'leadId';
/** One query counts this many numbers in about a second. */
const maxStep = 2 ** 20;

@Injectable()
export class LeadsRepository {
  private readonly logger = new Logger(LeadsRepository.name);
  /** Running searches for free numbers, by organization. Requests wait for them before they reserve numbers. */
  private readonly searches = new Map<string, Promise<void>>();

  constructor(
    @InjectModel('Lead') private readonly leads: TenantModel<LeadDocument>,
    private readonly counters: CountersRepository,
  ) {}

  async findActive(
    organizationId: Types.ObjectId,
    recordSystemId: string,
  ): Promise<LeadDocument | null> {
    return this.leads.findOne({ organizationId, recordSystemId, ...notDeleted }).lean();
  }

  async idOf(
    organizationId: Types.ObjectId,
    recordSystemId: string,
  ): Promise<Types.ObjectId | undefined> {
    const filter = { organizationId, recordSystemId, ...notDeleted };
    const lead = await this.leads.findOne(filter, ['_id']).lean();
    return lead?._id;
  }

  async findAllActive(
    organizationId: Types.ObjectId,
    recordSystemIds: readonly string[],
  ): Promise<LeadDocument[]> {
    if (recordSystemIds.length === 0) return [];
    const filter = { organizationId, recordSystemId: { $in: recordSystemIds }, ...notDeleted };
    return this.leads.find(filter).lean();
  }

  /** Returns the size in bytes of the active leads with these external ids. */
  async sizeOfActive(
    organizationId: Types.ObjectId,
    recordSystemIds: readonly string[],
  ): Promise<number> {
    const filter = { organizationId, recordSystemId: { $in: recordSystemIds }, ...notDeleted };
    const [total] = await this.leads.aggregate<{ bytes: number }>([
      { $match: filter },
      { $group: { _id: null, bytes: { $sum: { $bsonSize: '$$ROOT' } } } },
    ]);
    return total?.bytes ?? 0;
  }

  /** Returns leads that may have one of the phones, always including each phone's lowest-numbered owner. */
  async findOwners(
    organizationId: Types.ObjectId,
    phones: readonly string[],
    country: CountryCode,
    excluded: readonly Types.ObjectId[],
  ): Promise<PhoneOwner[]> {
    if (phones.length === 0) return [];
    const others = excluded.length === 0 ? {} : { _id: { $nin: excluded } };
    // Most phones have one lead. A placeholder may have thousands, of which only the first are read.
    const limit = 2 * allPhoneKeys(phones, country).length + 16;
    const $or = phoneConditions(phones, country);
    const filter = { organizationId, ...notDeleted, ...others, $or };
    const found = await this.leads.find<PhoneOwner>(filter, ownerFields, { limit }).lean();
    if (found.length < limit) return found;
    const lowest: PhoneOwner[] = [];
    const keyed = phones.flatMap((phone) =>
      phoneKeys(phone, country).map((key) => ({ key, phone })),
    );
    for (const [key, phonesOfKey] of Map.groupBy(keyed, ({ key: phoneKey }) => phoneKey)) {
      const spellings = phonesOfKey.map(({ phone }) => phone);
      for (const condition of phoneConditions(spellings, country)) {
        const filterOfKey = { ...condition, ...others } as TenantFilter<LeadDocument>;
        lowest.push(...(await this.findLowest(organizationId, filterOfKey, key, country)));
      }
    }
    return lowest;
  }

  /** Reads more than one lead only if another program has just changed the first. */
  private async findLowest(
    organizationId: Types.ObjectId,
    filter: TenantFilter<LeadDocument>,
    key: string,
    country: CountryCode,
  ): Promise<PhoneOwner[]> {
    const sort = { leadId: 1, _id: 1 } as const;
    for (let skip = 0, limit = 1; ; skip += limit, limit *= 8) {
      const scoped = { ...filter, organizationId };
      const found = await this.leads.find(scoped, ownerFields, { sort, skip, limit }).lean();
      const owner = found.find((lead) => currentPhoneKeys(lead, country).phoneKeys.includes(key));
      if (owner !== undefined) return [owner];
      if (found.length < limit) return [];
    }
  }

  async write(
    organizationId: Types.ObjectId,
    writes: readonly TenantWrite<LeadDocument>[],
  ): Promise<void> {
    await writeAll(this.leads, organizationId, writes);
  }

  /** Numbers of failed creations are not reused, so the sequence may have gaps (rule LEAD-6). */
  async reserveNumbers(organizationId: Types.ObjectId, count: number): Promise<number[]> {
    if (count === 0) return [];
    await this.searches.get(organizationId.toHexString());
    return this.counters.next(organizationId, counter, count);
  }

  /** Skips numbers that another program has used. Concurrent requests share one search. */
  async skipTakenNumbers(organizationId: Types.ObjectId): Promise<void> {
    const id = organizationId.toHexString();
    const running = this.searches.get(id);
    if (running !== undefined) return running;
    const search = this.findFreeNumber(organizationId).finally(() => this.searches.delete(id));
    this.searches.set(id, search);
    return search;
  }

  /** Exponential search, then binary search. Stores each step, so that an aborted search can continue. */
  private async findFreeNumber(organizationId: Types.ObjectId): Promise<void> {
    const first = await this.counters.skipTo(organizationId, counter, 0);
    let last = first;
    const skipIfTaken = async (size: number) => {
      const leadId = { $gt: last, $lte: last + size };
      if ((await this.leads.countDocuments({ organizationId, leadId })) < size) return false;
      last = await this.counters.skipTo(organizationId, counter, last + size);
      return true;
    };
    let size = 1;
    while (await skipIfTaken(size)) size = Math.min(2 * size, maxStep);
    for (size /= 2; size >= 1; size /= 2) await skipIfTaken(size);
    const details = { organization: organizationId.toHexString(), after: first, next: last + 1 };
    this.logger.log(details, 'Skipped lead numbers that another program has used');
  }
}

/** Returns one condition per index. Each repeats `notDeleted`, without which a partial index cannot be used. */
/** Matches phones as they are read in any of the countries. */
export function phoneConditions(phones: readonly string[], ...countries: readonly CountryCode[]) {
  const keys = countries.flatMap((country) => allPhoneKeys(phones, country));
  const spellings = countries.flatMap((country) =>
    phones.flatMap((phone) => phoneFormats(phone, country)),
  );
  return [
    { phoneKeys: { $in: keys }, ...notDeleted },
    { 'data.phoneNumber': { $in: spellings }, ...notDeleted },
    { 'data.phoneNumber2': { $in: spellings }, ...notDeleted },
  ];
}
