import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { ImportsService } from '../../tenants/imports/imports.service.js';
import { CatalogueRepository } from '../../catalogue/catalogue.repository.js';
import type { UnitDocument } from '../../catalogue/collections/unit-document.js';
import { unitCountIndex } from '../../catalogue/collections/unit.schema.js';
import {
  InjectCollection,
  type TenantCollection,
} from '../../core/database/documents/tenant-collection.js';
import { notDeleted } from '../../core/database/documents/tenant-document.js';

const lowestId = new Types.ObjectId('0'.repeat(24));

export type CatalogueOverview = Awaited<ReturnType<CatalogueOverviewService['read']>>;

@Injectable()
export class CatalogueOverviewService {
  constructor(
    private readonly importRecords: ImportsService,
    @InjectCollection('Unit') private readonly units: TenantCollection<UnitDocument>,
    private readonly catalogue: CatalogueRepository,
  ) {}

  async read(
    organizationId: Types.ObjectId,
    { maxImports, maxCompounds }: Record<'maxImports' | 'maxCompounds', number>,
  ) {
    const [imports, counts] = await Promise.all([
      this.importRecords.findNewest(organizationId, 'catalogue', maxImports),
      this.countUnits(organizationId),
    ]);
    const byCompound = Map.groupBy(counts, ({ compoundId }) => compoundId.toHexString());
    const all = [...byCompound]
      .map(([id, compoundCounts]) => ({
        _id: new Types.ObjectId(id),
        total: compoundCounts.reduce((sum, { count }) => sum + count, 0),
        byStatus: new Map(compoundCounts.map(({ status, count }) => [status, count])),
      }))
      .toSorted((a, b) => b.total - a.total);
    const largest = all.slice(0, maxCompounds);
    const ids = largest.map(({ _id }) => _id);
    const names = await this.catalogue.compoundNames(organizationId, ids);
    return {
      imports,
      compounds: largest.map((compound) => ({
        ...compound,
        name: names.get(compound._id.toHexString()) ?? null,
      })),
      compoundCount: all.length,
      unitCount: all.reduce((sum, { total }) => sum + total, 0),
    };
  }

  private countUnits(organizationId: Types.ObjectId) {
    // `$exists` would read each unit; comparisons with values use the index.
    const filter = { ...notDeleted, compoundId: { $gte: lowestId }, status: { $gte: '' } };
    return this.units.countBy<{ compoundId: Types.ObjectId; status: string }>(
      organizationId,
      filter,
      ['compoundId', 'status'],
      unitCountIndex,
    );
  }
}
