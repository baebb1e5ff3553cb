import { Injectable } from '@nestjs/common';
import {
  type RefusedWrite,
  refusedWrites,
} from '../../core/database/connection/database-errors.js';
import {
  type CollectionAcrossTenants,
  InjectAcrossTenants,
} from '../../core/database/documents/across-tenants.js';
import { bufferedBatches } from '../../core/database/documents/tenant-queries.js';
import { notDeleted } from '../../core/database/documents/tenant-document.js';
import type { Organization } from '../../tenants/organizations/organization.js';
import { changedElsewhereIndex, type LeadDocument } from '../lead.schema.js';
import type { DerivedPhones } from './lead-phones.js';

export type LeadPhones = Pick<
  LeadDocument,
  '_id' | 'organizationId' | 'data' | 'phoneKeysOf' | 'updatedAt'
>;

/** A lead with new keys; without any if the stored ones are right. */
export interface DerivedLead {
  readonly lead: LeadPhones;
  readonly derived: DerivedPhones | Record<string, never>;
}

const projection = {
  organizationId: 1,
  'data.phoneNumber': 1,
  'data.phoneNumber2': 1,
  phoneKeysOf: 1,
  updatedAt: 1,
};

@Injectable()
export class LeadPhoneKeysRepository {
  constructor(
    @InjectAcrossTenants('Lead') private readonly leads: CollectionAcrossTenants<LeadDocument>,
  ) {}

  /**
   * Finds leads without keys, leads that another program has written since a time, and leads of some
   * organizations whose keys are of another country, in batches.
   */
  async *outdated(
    since: Date,
    organizations: readonly Organization[],
    limit: number,
  ): AsyncGenerator<LeadPhones[], void> {
    const { acrossTenants } = this.leads;
    const andThose = (filter: object) => {
      const pipeline = [{ $match: { ...notDeleted, ...filter } }, { $project: { _id: 1 } }];
      return { $unionWith: { coll: acrossTenants.collectionName, pipeline } };
    };
    const byCountry = Map.groupBy(organizations, ({ phoneCountry }) => phoneCountry);
    const found = acrossTenants.aggregate<Pick<LeadDocument, '_id'>>(
      [
        { $match: { ...notDeleted, updatedAt: { $gte: since } } },
        // Computed, so that the index alone decides: a comparison in the filter would read every lead.
        { $project: { isOwn: { $eq: ['$updatedAt', '$phoneKeysAt'] } } },
        { $match: { isOwn: false } },
        { $project: { _id: 1 } },
        andThose({ phoneKeysOf: null }),
        // One stage for each country: a pipeline has at most a thousand.
        ...[...byCountry].map(([country, some]) => {
          // `phoneKeysOf` is a list as text, and the country is its first item.
          const start = JSON.stringify([country]).slice(0, -1);
          const $or = [{ phoneKeysOf: { $lt: start } }, { phoneKeysOf: { $gt: `${start}\uffff` } }];
          return andThose({ organizationId: { $in: some.map(({ _id }) => _id) }, $or });
        }),
      ],
      { hint: changedElsewhereIndex, batchSize: limit },
    );
    for await (const some of bufferedBatches(found, limit)) {
      const filter = { _id: { $in: some.map(({ _id }) => _id) }, ...notDeleted };
      const options = { projection, hint: { _id: 1 } } as const;
      yield await acrossTenants.find<LeadPhones>(filter, options).toArray();
    }
  }

  /**
   * Skips leads that were written meanwhile.
   *
   * @returns leads that the database refuses as they are; the others were stored
   */
  async setDerived(leads: readonly DerivedLead[]): Promise<RefusedWrite[]> {
    if (leads.length === 0) return [];
    const operations = leads.map(({ lead: { _id, updatedAt }, derived }) => ({
      updateOne: {
        filter: { _id, updatedAt },
        update: { $set: { ...derived, phoneKeysAt: updatedAt } },
      },
    }));
    return refusedWrites(this.leads.acrossTenants.bulkWrite(operations, { ordered: false }));
  }
}
