import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Types } from 'mongoose';
import type { CompoundDocument } from '../catalogue/collections/compound.schema.js';
import type { BatchOptions, TenantFilter } from '../core/database/documents/tenant-queries.js';
import { batchesOf } from '../core/database/models/batches.js';
import type { TenantModel } from '../core/database/models/tenant-model.js';

@Injectable()
export class CompoundsRepository {
  constructor(@InjectModel('Compound') private readonly compounds: TenantModel<CompoundDocument>) {}

  async count(
    organizationId: Types.ObjectId,
    filter: TenantFilter<CompoundDocument>,
  ): Promise<number> {
    return this.compounds.countDocuments({ ...filter, organizationId });
  }

  batches(
    organizationId: Types.ObjectId,
    filter: TenantFilter<CompoundDocument>,
    options: BatchOptions<CompoundDocument>,
  ): AsyncGenerator<CompoundDocument[], void> {
    return batchesOf(this.compounds, { ...filter, organizationId }, options);
  }
}
