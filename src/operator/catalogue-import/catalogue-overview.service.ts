import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { ImportsRepository } from '../../tenants/imports/imports.repository.js';
import { CatalogueRepository } from '../../catalogue/catalogue.repository.js';
import { CatalogueImportsRepository } from './catalogue-imports.repository.js';

export type CatalogueOverview = Awaited<ReturnType<CatalogueOverviewService['read']>>;

@Injectable()
export class CatalogueOverviewService {
  constructor(
    private readonly importRecords: ImportsRepository,
    private readonly repository: CatalogueImportsRepository,
    private readonly catalogue: CatalogueRepository,
  ) {}

  async read(
    organizationId: Types.ObjectId,
    { maxImports, maxCompounds }: Record<'maxImports' | 'maxCompounds', number>,
  ) {
    const [imports, counts] = await Promise.all([
      this.importRecords.findNewest(organizationId, 'catalogue', maxImports),
      this.repository.countUnits(organizationId),
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
}
