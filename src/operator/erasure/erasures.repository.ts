import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Types } from 'mongoose';
import { acrossTenants } from '../../core/database/models/across-tenants.js';
import type { CrossTenantModel } from '../../core/database/models/tenant-model.js';
import type { ErasureCounts, ErasureDocument } from './erasure.schema.js';

type Ids = readonly Types.ObjectId[];

@Injectable()
export class ErasuresRepository {
  constructor(
    @InjectModel('Erasure') private readonly erasures: CrossTenantModel<ErasureDocument>,
  ) {}

  async findByLeads(organizationId: Types.ObjectId, leadIds: Ids): Promise<ErasureDocument[]> {
    return this.erasures.find({ organizationId, leadIds: { $in: [...leadIds] } }).lean();
  }

  async findUnfinished(organizationId: Types.ObjectId): Promise<ErasureDocument[]> {
    return this.erasures.find({ organizationId, completedAt: null }).lean();
  }

  /** Returns the oldest erasures of all organizations first. */
  async list(): Promise<ErasureDocument[]> {
    return this.erasures.find({}, null, { sort: { _id: 1 }, ...acrossTenants }).lean();
  }

  async insert(erasure: ErasureDocument): Promise<void> {
    await this.erasures.insertMany([erasure], { lean: true });
  }

  async addCounts(
    { organizationId, _id }: ErasureDocument,
    counts: Partial<ErasureCounts>,
  ): Promise<void> {
    const entries = Object.entries(counts).map(([kind, count]) => [`counts.${kind}`, count]);
    const $inc = Object.fromEntries(entries) as Record<string, number>;
    await this.erasures.updateOne({ organizationId, _id }, { $inc });
  }

  async complete({ organizationId, _id }: ErasureDocument, completedAt: Date): Promise<void> {
    const $set = { completedAt, updatedAt: completedAt };
    await this.erasures.updateOne({ organizationId, _id }, { $set });
  }
}
