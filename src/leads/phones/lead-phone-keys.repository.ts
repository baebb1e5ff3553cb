import { Injectable } from '@nestjs/common';
import type { FindCursor } from 'mongodb';
import type { Types } from 'mongoose';
import { InjectCollection } from '../../database/documents/inject-collection.js';
import type { TenantCollection } from '../../database/documents/tenant-collection.js';
import { notDeleted } from '../../database/documents/tenant-document.js';
import type { Organization } from '../../organizations/organization.js';
import type { LeadDocument } from '../lead.schema.js';
import type { DerivedPhones } from './lead-phones.js';

/** What the background pass reads of a lead. */
export type LeadPhones = Pick<
  LeadDocument,
  '_id' | 'organizationId' | 'data' | 'phoneKeysOf' | 'updatedAt'
>;

const projection = {
  organizationId: 1,
  'data.phoneNumber': 1,
  'data.phoneNumber2': 1,
  phoneKeysOf: 1,
  updatedAt: 1,
};

/** Queries of the background pass over the leads of all organizations. */
@Injectable()
export class LeadPhoneKeysRepository {
  constructor(@InjectCollection('Lead') private readonly leads: TenantCollection<LeadDocument>) {}

  /** Leads without derived phones, by id. */
  async findWithoutPhoneKeys(after: Types.ObjectId | null, limit: number): Promise<LeadPhones[]> {
    const following = after === null ? {} : { _id: { $gt: after } };
    return this.find({ phoneKeysOf: null, ...following })
      .sort({ _id: 1 })
      .limit(limit)
      .toArray();
  }

  /** Leads that any program has written since a time, oldest first. */
  findUpdatedSince(since: Date): AsyncIterable<LeadPhones> {
    return this.find({ updatedAt: { $gte: since } }).sort({ updatedAt: 1 });
  }

  /** Leads of an organization whose phones were derived for another country than its own. */
  findDerivedForOtherCountry({ _id, phoneCountry }: Organization): AsyncIterable<LeadPhones> {
    // `phoneKeysOf` is a list as text, and the country is its first item.
    const start = JSON.stringify([phoneCountry]).slice(0, -1);
    const $or = [{ phoneKeysOf: { $lt: start } }, { phoneKeysOf: { $gt: `${start}\uffff` } }];
    return this.find({ organizationId: _id, $or });
  }

  /** Stores derived phones, unless the lead has been written again meanwhile. */
  async setDerived({ _id, updatedAt }: LeadPhones, derived: DerivedPhones): Promise<void> {
    await this.leads.acrossTenants.updateOne({ _id, updatedAt }, { $set: derived });
  }

  private find(filter: object): FindCursor<LeadPhones> {
    return this.leads.acrossTenants.find<LeadPhones>({ ...notDeleted, ...filter }, { projection });
  }
}
