import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import type { UnitDocument } from '../../catalogue/collections/unit-document.js';
import { unitCountIndex } from '../../catalogue/collections/unit.schema.js';
import { notDeleted } from '../../core/database/documents/tenant-document.js';
import { withIndexHint } from '../../core/database/documents/tenant-queries.js';
import type { TenantModel } from '../../core/database/models/tenant-model.js';

interface UnitCount {
  readonly compoundId: Types.ObjectId;
  readonly status: string;
  readonly count: number;
}

const lowestId = new Types.ObjectId('0'.repeat(24));

@Injectable()
export class CatalogueImportsRepository {
  constructor(@InjectModel('Unit') private readonly units: TenantModel<UnitDocument>) {}

  async findUnitsWithIds(
    organizationId: Types.ObjectId,
    field: 'recordSystemId' | 'unitId',
    ids: readonly string[],
  ): Promise<Pick<UnitDocument, 'slug' | 'compoundId' | typeof field>[]> {
    const filter = { organizationId, [field]: { $in: ids }, ...notDeleted };
    return this.units.find(filter, ['slug', 'compoundId', field]).lean();
  }

  /** Counts units by compound and status. */
  async countUnits(organizationId: Types.ObjectId): Promise<UnitCount[]> {
    // `$exists` would read each unit; comparisons with values use the index.
    const counted = { ...notDeleted, compoundId: { $gte: lowestId }, status: { $gte: '' } };
    const _id = { compoundId: '$compoundId', status: '$status' };
    return withIndexHint(unitCountIndex, (options) =>
      this.units.aggregate<UnitCount>(
        [
          { $match: { organizationId, ...counted } },
          { $group: { _id, count: { $sum: 1 } } },
          { $replaceWith: { $mergeObjects: ['$_id', { count: '$count' }] } },
        ],
        options,
      ),
    );
  }
}
