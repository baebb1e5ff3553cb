import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, Types } from 'mongoose';
import { TenantCollection } from '../../database/documents/tenant-collection.js';
import type { PhaseDocument } from '../collections/phase.schema.js';

const notDeleted = { isDeleted: false };

/** The queries on `phases`. */
@Injectable()
export class PhasesRepository {
  private readonly phases: TenantCollection<PhaseDocument>;

  constructor(@InjectModel('Phase') model: Model<PhaseDocument>) {
    this.phases = new TenantCollection(model);
  }

  async findByIds(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
  ): Promise<PhaseDocument[]> {
    return this.phases.find(organizationId, { _id: { $in: ids }, ...notDeleted });
  }

  async findBySlugs(
    organizationId: Types.ObjectId,
    slugs: readonly string[],
  ): Promise<PhaseDocument[]> {
    const filter = { slug: { $in: slugs }, ...notDeleted };
    return this.phases.find(organizationId, filter, { sort: { _id: 1 } });
  }
}
