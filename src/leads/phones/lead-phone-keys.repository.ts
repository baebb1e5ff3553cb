import { Injectable } from '@nestjs/common';
import type { FindCursor } from 'mongodb';
import type { Types } from 'mongoose';
import {
  type RefusedWrite,
  refusedWrites,
} from '../../core/database/connection/database-errors.js';
import {
  type CollectionAcrossTenants,
  InjectAcrossTenants,
} from '../../core/database/documents/across-tenants.js';
import { bufferedBatches, withIndexHint } from '../../core/database/documents/cursors.js';
import { notDeleted } from '../../core/database/documents/tenant-document.js';
import type { Organization } from '../../tenants/organizations/organization.js';
import { changedElsewhereIndex, type LeadDocument, withoutPhoneKeysIndex } from '../lead.schema.js';
import type { DerivedPhones } from './lead-phones.js';

/** What the background pass reads of a lead. */
export type LeadPhones = Pick<
  LeadDocument,
  '_id' | 'organizationId' | 'data' | 'phoneKeysOf' | 'updatedAt'
>;

/** A lead whose phones are stored; without derived fields they are right as they are. */
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

/** Queries of the background pass over the leads of all organizations. */
@Injectable()
export class LeadPhoneKeysRepository {
  constructor(
    @InjectAcrossTenants('Lead') private readonly leads: CollectionAcrossTenants<LeadDocument>,
  ) {}

  /** Leads without derived phones, by id. */
  async findWithoutPhoneKeys(after: Types.ObjectId | null, limit: number): Promise<LeadPhones[]> {
    const following = after === null ? {} : { _id: { $gt: after } };
    // After many batches the server prefers to go through all leads by their ids.
    return withIndexHint(withoutPhoneKeysIndex, ({ hint }) =>
      this.find({ phoneKeysOf: null, ...following }, hint)
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    );
  }

  /**
   * Batches of the leads that other programs have written since a time, oldest first. Of those that
   * this service wrote itself only index entries are looked at.
   */
  async *changedElsewhere(since: Date, limit: number): AsyncGenerator<LeadPhones[], void> {
    const isOwn = { $eq: ['$updatedAt', '$phoneKeysAt'] };
    const found = this.leads.acrossTenants.aggregate<Pick<LeadDocument, '_id'>>(
      [
        { $match: { ...notDeleted, updatedAt: { $gte: since } } },
        { $sort: { updatedAt: 1 } },
        // Computed, so that the index alone decides: a comparison in the filter would read the lead.
        { $project: { isOwn } },
        { $match: { isOwn: false } },
        { $project: { _id: 1 } },
      ],
      { hint: changedElsewhereIndex, batchSize: limit },
    );
    for await (const some of bufferedBatches(found, limit)) {
      const changed = { _id: { $in: some.map(({ _id }) => _id) }, updatedAt: { $gte: since } };
      yield await this.find(changed).hint({ _id: 1 }).toArray();
    }
  }

  /** Batches of the leads of an organization whose phones were derived for another country. */
  async *derivedForOtherCountry(
    { _id, phoneCountry }: Organization,
    limit: number,
  ): AsyncGenerator<LeadPhones[], void> {
    // `phoneKeysOf` is a list as text, and the country is its first item.
    const start = JSON.stringify([phoneCountry]).slice(0, -1);
    const $or = [{ phoneKeysOf: { $lt: start } }, { phoneKeysOf: { $gt: `${start}\uffff` } }];
    yield* bufferedBatches(this.find({ organizationId: _id, $or }).batchSize(limit), limit);
  }

  /**
   * Stores derived phones, and that these leads need not be looked at again, unless one has been
   * written again meanwhile.
   *
   * @returns those that the database refuses as they are; the others were stored
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

  private find(filter: object, hint?: string): FindCursor<LeadPhones> {
    const options = { projection, ...(hint && { hint }) };
    return this.leads.acrossTenants.find<LeadPhones>({ ...notDeleted, ...filter }, options);
  }
}
