import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Types } from 'mongoose';
import type { UnitDocument } from '../../catalogue/collections/unit-document.js';
import { notDeleted } from '../../core/database/documents/tenant-document.js';
import type { TenantModel } from '../../core/database/models/tenant-model.js';

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
}
