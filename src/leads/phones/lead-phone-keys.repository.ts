import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { AnyBulkWriteOperation, mongo, PipelineStage, Types } from 'mongoose';
import { notDeleted } from '../../core/database/documents/tenant-document.js';
import { acrossTenants } from '../../core/database/models/across-tenants.js';
import type { TenantModel } from '../../core/database/models/tenant-model.js';
import { olderRules, otherCountries } from '../../tenants/contacts/phone-rule.js';
import type { Organization } from '../../tenants/organizations/organization.js';
import { externallyChangedIndex, type LeadDocument } from '../lead.schema.js';

export type LeadPhones = Pick<
  LeadDocument,
  '_id' | 'organizationId' | 'data' | 'phoneKeysOf' | 'clientId' | 'updatedAt'
>;

const fields = {
  organizationId: 1,
  'data.phoneNumber': 1,
  'data.phoneNumber2': 1,
  'data.email': 1,
  phoneKeysOf: 1,
  clientId: 1,
  updatedAt: 1,
} as const;

const batchSize = 500;
/** Leads of an earlier version must not delay leads that other programs have just written. */
const maxLeadsPerPass = 20_000;

@Injectable()
export class LeadPhoneKeysRepository {
  constructor(@InjectModel('Lead') private readonly leads: TenantModel<LeadDocument>) {}

  /** Finds leads that another program has written, and leads without keys or with keys of an earlier rule or country. */
  async *findOutdated(
    since: Date,
    organizations: readonly Organization[],
  ): AsyncGenerator<LeadPhones[], void> {
    let ids: Types.ObjectId[] = [];
    const found = this.leads.aggregate(
      [
        { $match: { ...notDeleted, updatedAt: { $gte: since } } },
        // A computed field lets the index alone decide: a comparison in the filter would read every lead.
        { $project: { isOwn: { $eq: ['$updatedAt', '$phoneKeysAt'] } } },
        { $match: { isOwn: false } },
        { $project: { _id: 1 } },
        ...olderRules('phoneKeysOf').map((older) => unionWith(older, { $limit: maxLeadsPerPass })),
        // A pipeline has at most a thousand stages, and each country needs one.
        ...otherCountries('phoneKeysOf', organizations).map((other) => unionWith(other)),
      ],
      { ...acrossTenants, hint: externallyChangedIndex, batchSize },
    );
    const cursor = found.cursor<Pick<LeadDocument, '_id'>>();
    try {
      for await (const { _id } of cursor) {
        ids.push(_id);
        if (ids.length < batchSize) continue;
        yield await this.findPhones(ids);
        ids = [];
      }
      if (ids.length > 0) yield await this.findPhones(ids);
    } finally {
      await cursor.close();
    }
  }

  /** Stores every update that the database accepts. */
  async update(updates: AnyBulkWriteOperation<LeadDocument>[]): Promise<mongo.BulkWriteResult> {
    return this.leads.bulkWrite(updates, { ...acrossTenants, ordered: false });
  }

  private async findPhones(ids: readonly Types.ObjectId[]): Promise<LeadPhones[]> {
    const $match = { _id: { $in: ids }, ...notDeleted };
    const options = { ...acrossTenants, hint: { _id: 1 } } as const;
    return this.leads.aggregate<LeadPhones>([{ $match }, { $project: fields }], options);
  }
}

function unionWith(
  filter: object,
  ...steps: readonly PipelineStage.Limit[]
): PipelineStage.UnionWith {
  const $match = { ...notDeleted, ...filter };
  return {
    $unionWith: { coll: 'leads', pipeline: [{ $match }, { $project: { _id: 1 } }, ...steps] },
  };
}
