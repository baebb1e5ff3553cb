import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, Types } from 'mongoose';
import type { Organization } from '../../organizations/organization.js';
import type { DerivedPhones } from './lead-phones.js';
import type { LeadDocument } from '../lead.schema.js';

/** What the pass needs of a lead. */
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

/** Queries of the pass over all organizations' leads; they serve no request. */
@Injectable()
export class LeadPhoneKeysRepository {
  constructor(@InjectModel('Lead') private readonly model: Model<LeadDocument>) {}

  /** Leads without derived phones, by id. */
  async findUnderived(after: Types.ObjectId | null, limit: number): Promise<LeadPhones[]> {
    const following = after === null ? {} : { _id: { $gt: after } };
    return this.model.collection
      .find<LeadPhones>({ phoneKeysOf: null, isDeleted: false, ...following }, { projection })
      .sort({ _id: 1 })
      .limit(limit)
      .toArray();
  }

  /** Leads that were written since a time, by anybody, oldest first. */
  async *findUpdatedSince(since: Date): AsyncGenerator<LeadPhones> {
    yield* this.model.collection
      .find<LeadPhones>({ updatedAt: { $gte: since }, isDeleted: false }, { projection })
      .sort({ updatedAt: 1 });
  }

  /** Leads of an organization whose phones were derived for another country than its own. */
  async *findOfOtherCountry({ _id, phoneCountry }: Organization): AsyncGenerator<LeadPhones> {
    // `phoneKeysOf` is a list as text, and the country is its first item.
    const start = JSON.stringify([phoneCountry]).slice(0, -1);
    const $or = [{ phoneKeysOf: { $lt: start } }, { phoneKeysOf: { $gt: `${start}\uffff` } }];
    const filter = { organizationId: _id, isDeleted: false, $or };
    yield* this.model.collection.find<LeadPhones>(filter, { projection });
  }

  /** Stores derived phones, unless the lead has been written again meanwhile. */
  async setDerived({ _id, updatedAt }: LeadPhones, derived: DerivedPhones): Promise<void> {
    await this.model.collection.updateOne({ _id, updatedAt }, { $set: derived });
  }
}
