import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { UnitDocument } from '../../catalogue/collections/unit-document.js';
import type { ReferenceKind } from '../../catalogue/fields/declared-fields.js';
import { ReferencesRepository } from '../../catalogue/references/references.repository.js';
import { FreshCache } from '../../core/cache/fresh-cache.js';
import type { TenantFilter } from '../../core/database/documents/tenant-filter.js';
import { UnitsRepository } from '../units.repository.js';

/** The fields of units that refer to a kind of part. */
const referringFields = {
  compounds: 'compoundId',
  phases: 'locationId',
  propertyTypes: 'propertyTypeId',
  unitDesigns: 'unitDesignId',
  amenities: 'amenitiesIds',
} as const satisfies Record<ReferenceKind, keyof UnitDocument>;

/** Beyond so many changed parts of a kind every unit counts as changed. */
const mostChangedParts = 1_000;

/** Finds the units that changed, themselves or in what they refer to (rule COMP-3). */
@Injectable()
export class UnitChanges {
  constructor(
    private readonly units: UnitsRepository,
    private readonly references: ReferencesRepository,
    private readonly cache: FreshCache,
  ) {}

  /** When a unit, or a part of one, changed last. */
  async newest(organizationId: Types.ObjectId): Promise<Date> {
    return this.cache.get(organizationId, 'newest change', async () => {
      const newest = await Promise.all([
        this.units.newestChange(organizationId),
        this.references.newestChange(organizationId),
      ]);
      return new Date(Math.max(...newest.map((time) => time.getTime())));
    });
  }

  /**
   * The filter on what changed since a time. Mostly it is a range of `updatedAt` alone; only where
   * a part changed, or a unit was deleted without it, older units have to be looked at, too.
   */
  async since(organizationId: Types.ObjectId, since: Date): Promise<TenantFilter<UnitDocument>> {
    const kinds = Object.entries(referringFields) as [ReferenceKind, keyof UnitDocument][];
    const changedParts = await Promise.all(
      kinds.map(async ([kind, field]) => {
        const limit = mostChangedParts + 1;
        const ids = await this.references.idsChangedSince(kind, organizationId, since, limit);
        return { field, ids };
      }),
    );
    if (changedParts.some(({ ids }) => ids.length > mostChangedParts)) return {};
    const referring = changedParts
      .filter(({ ids }) => ids.length > 0)
      .map(({ field, ids }) => ({ [field]: { $in: ids } }));
    const hasTombstones = await this.units.hasDeletedWithoutUpdate(organizationId, since);
    const updated = { updatedAt: { $gte: since } };
    if (referring.length === 0 && !hasTombstones) return updated;
    return { $or: [updated, { deletedAt: { $gte: since } }, ...referring] };
  }
}
