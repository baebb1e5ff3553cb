import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Types } from 'mongoose';
import { countIndexFor, type ListableUnitField } from '../catalogue/collections/unit.schema.js';
import type { UnitDocument } from '../catalogue/collections/unit-document.js';
import { TenantCache } from '../core/cache/tenant-cache.js';
import { notDeleted } from '../core/database/documents/tenant-document.js';
import {
  type BatchOptions,
  type TenantFilter,
  type TenantWrite,
  withIndexHint,
} from '../core/database/documents/tenant-queries.js';
import { batchesOf } from '../core/database/models/batches.js';
import { writeAll } from '../core/database/models/bulk-writes.js';
import { eachWithin } from '../core/database/models/each-within.js';
import type { OrganizationIds, TenantModel } from '../core/database/models/tenant-model.js';

type UnitFilter = TenantFilter<UnitDocument>;

export type UnitName = Pick<UnitDocument, '_id' | 'slug' | 'recordSystemId'>;

@Injectable()
export class UnitsRepository {
  constructor(
    @InjectModel('Unit') private readonly units: TenantModel<UnitDocument>,
    private readonly cache: TenantCache,
  ) {}

  /** Includes deleted units. */
  async findByIds(
    organizationId: OrganizationIds,
    ids: readonly Types.ObjectId[],
  ): Promise<UnitDocument[]> {
    if (ids.length === 0) return [];
    return this.units.find({ organizationId, _id: { $in: ids } }).lean();
  }

  /** Includes deleted units. */
  async namesOf(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
  ): Promise<UnitName[]> {
    if (ids.length === 0) return [];
    const filter = { organizationId, _id: { $in: [...ids] } };
    return this.units.find<UnitName>(filter, ['slug', 'recordSystemId']).lean();
  }

  async findActive(
    organizationId: OrganizationIds,
    filter: UnitFilter,
    limit?: number,
  ): Promise<UnitDocument[]> {
    const options = limit === undefined ? {} : { limit };
    return this.units.find({ ...filter, ...notDeleted, organizationId }, null, options).lean();
  }

  /** Finds a deleted unit only by its own id. */
  async findNamed(
    organizationId: OrganizationIds,
    reference: string,
    _id: Types.ObjectId | null,
    limit: number,
  ): Promise<UnitDocument[]> {
    const named = [
      { slug: reference, ...notDeleted },
      { recordSystemId: reference, ...notDeleted },
      { unitId: reference, ...notDeleted },
      ...(_id === null ? [] : [{ _id }]),
    ];
    const $or = eachWithin(organizationId, named);
    return this.units.find({ organizationId, $or }, null, { limit }).lean();
  }

  async idsOf(organizationId: Types.ObjectId, filter: UnitFilter): Promise<Types.ObjectId[]> {
    const found = await this.units
      .find<{ _id: Types.ObjectId }>({ ...filter, ...notDeleted, organizationId }, ['_id'])
      .lean();
    return found.map(({ _id }) => _id);
  }

  async findBySlug(
    organizationId: Types.ObjectId,
    slug: string,
    filter: UnitFilter = {},
  ): Promise<UnitDocument | null> {
    return this.units.findOne({ ...filter, organizationId, slug, ...notDeleted }).lean();
  }

  /** Returns values of any type, because other programs store units, too. */
  async valuesOf(organizationId: Types.ObjectId, field: ListableUnitField): Promise<unknown[]> {
    return this.units.distinct(field, { organizationId });
  }

  async count(organizationId: Types.ObjectId, filter: UnitFilter): Promise<number> {
    return withIndexHint(countIndexFor(filter), (hint) =>
      this.units.countDocuments({ ...filter, organizationId }, hint),
    );
  }

  batches(
    organizationId: Types.ObjectId,
    filter: UnitFilter,
    options: BatchOptions<UnitDocument>,
  ): AsyncGenerator<UnitDocument[], void> {
    return batchesOf(this.units, { ...filter, organizationId }, options);
  }

  async write(
    organizationId: Types.ObjectId,
    writes: readonly TenantWrite<UnitDocument>[],
  ): Promise<void> {
    await this.cache.invalidatedBy(organizationId, () =>
      writeAll(this.units, organizationId, writes),
    );
  }
}
