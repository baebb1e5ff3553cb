import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { TenantCollection } from '../../database/documents/tenant-collection.js';
import { InjectCollection } from '../../database/documents/inject-collection.js';
import { notDeleted } from '../../database/documents/tenant-document.js';
import type { PhaseDocument } from '../collections/phase.schema.js';

/** The queries on `phases`. */
@Injectable()
export class PhasesRepository {
  constructor(
    @InjectCollection('Phase') private readonly phases: TenantCollection<PhaseDocument>,
  ) {}

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
