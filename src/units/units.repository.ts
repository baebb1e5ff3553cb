import { Injectable } from '@nestjs/common';
import { BSON } from 'mongodb';
import { Types } from 'mongoose';
import { newestFirst } from '../core/database/documents/keyset.js';
import { parseObjectId, notDeleted } from '../core/database/documents/tenant-document.js';
import {
  InjectCollection,
  type TenantCollection,
} from '../core/database/documents/tenant-collection.js';
import { buildWrite, type DocumentChange } from '../core/database/documents/document-diff.js';
import type { BatchOptions, TenantFilter } from '../core/database/documents/tenant-queries.js';
import type { UnitDocument } from '../catalogue/collections/unit-document.js';
import { FreshCache } from '../core/cache/fresh-cache.js';
import { countIndexFor } from '../catalogue/collections/unit.schema.js';

export type UnitBatches = AsyncGenerator<UnitDocument[], void>;

export function havingOneOf(
  field: 'slug' | 'recordSystemId' | 'unitId',
  names: readonly string[],
): TenantFilter<UnitDocument>[] {
  return names.length === 0 ? [] : [{ [field]: { $in: [...new Set(names)] } }];
}

@Injectable()
export class UnitsRepository {
  constructor(
    @InjectCollection('Unit') private readonly units: TenantCollection<UnitDocument>,
    private readonly cache: FreshCache,
  ) {}

  /** Deleted units too. */
  async findByIds(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
  ): Promise<UnitDocument[]> {
    return ids.length === 0 ? [] : this.units.find(organizationId, { _id: { $in: ids } });
  }

  /** One query per filter: the server never caches the plan of an `$or`. */
  async findAny(
    organizationId: Types.ObjectId,
    filters: readonly TenantFilter<UnitDocument>[],
  ): Promise<UnitDocument[]> {
    const found = new Map<string, UnitDocument>();
    for (const filter of filters) {
      const units = await this.units.find(organizationId, { ...filter, ...notDeleted });
      for (const unit of units) found.set(unit._id.toHexString(), unit);
    }
    return [...found.values()];
  }

  async findBySlug(organizationId: Types.ObjectId, slug: string): Promise<UnitDocument | null> {
    return this.units.findOne(organizationId, { slug, ...notDeleted });
  }

  /** By own id, deleted units too. */
  async findReferenced(
    organizationIds: readonly Types.ObjectId[],
    reference: string,
    limit: number,
  ): Promise<UnitDocument[]> {
    const _id = parseObjectId(reference);
    const found = await Promise.all([
      ...(['slug', 'recordSystemId', 'unitId'] as const).map((name) =>
        this.units.find(organizationIds, { [name]: reference, ...notDeleted }, { limit }),
      ),
      _id === null ? [] : this.units.find(organizationIds, { _id }),
    ]);
    return [...new Map(found.flat().map((unit) => [unit._id.toHexString(), unit])).values()];
  }

  async usedSlugs(organizationId: Types.ObjectId, slugs: readonly string[]): Promise<string[]> {
    if (slugs.length === 0) return [];
    const filter = { slug: { $in: slugs }, ...notDeleted };
    const units = await this.units.find(organizationId, filter, { fields: ['slug'] });
    return units.flatMap(({ slug }) => slug ?? []);
  }

  async write(
    organizationId: Types.ObjectId,
    changes: readonly DocumentChange<UnitDocument>[],
  ): Promise<void> {
    await this.units.write(organizationId, changes.map(buildWrite));
  }

  batchesOfCompound(organizationId: Types.ObjectId, compoundId: Types.ObjectId): UnitBatches {
    return this.units.batches(organizationId, { compoundId, ...notDeleted }, { sort: newestFirst });
  }

  batches(
    organizationId: Types.ObjectId,
    filter: TenantFilter<UnitDocument>,
    options: BatchOptions<UnitDocument>,
  ): UnitBatches {
    return this.units.batches(organizationId, filter, options);
  }

  async count(organizationId: Types.ObjectId, filter: TenantFilter<UnitDocument>): Promise<number> {
    return this.cache.get(organizationId, `count units ${BSON.EJSON.stringify(filter)}`, () =>
      this.units.count(organizationId, filter, countIndexFor(filter)),
    );
  }

  /** Of deleted units too. */
  async textsOf(
    organizationId: Types.ObjectId,
    field: 'status' | 'rentalStatus' | 'saleType',
  ): Promise<string[]> {
    const values = await this.units.distinct(organizationId, field);
    return values.filter((value) => typeof value === 'string');
  }

  /** Writes units even without changed fields, so that concurrent transactions conflict. */
  async writeLocking(
    organizationId: Types.ObjectId,
    updates: readonly { readonly _id: Types.ObjectId; readonly fields: Partial<UnitDocument> }[],
  ): Promise<void> {
    const locking = updates.map(({ _id, fields }) => ({
      _id,
      fields: { ...fields, availabilityLock: new Types.ObjectId() },
    }));
    await this.units.write(organizationId, locking);
  }
}
