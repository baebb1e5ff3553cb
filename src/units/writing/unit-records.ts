import { BSON } from 'mongodb';
import type { Types } from 'mongoose';
import type { UnitDocument } from '../../catalogue/collections/unit-document.js';
import type { PhaseDocument } from '../../catalogue/collections/phase.schema.js';
import type { PendingWrites } from '../../core/writes/write-kind.js';
import type { UnitChange } from './unit-writes.service.js';

/** Documents by the names that requests give them. */
export type Named = ReadonlyMap<string, Types.ObjectId | undefined>;

/** What was loaded for requests about units. */
export interface LoadedUnits {
  readonly organizationId: Types.ObjectId;
  /** The time of the transaction. */
  readonly now: Date;
  /** Active units with the ids of the requests. */
  readonly units: readonly UnitDocument[];
  readonly compounds: Named;
  readonly phases: readonly Pick<PhaseDocument, '_id' | 'parentId' | 'slug'>[];
  readonly propertyTypes: Named;
  readonly unitDesigns: Named;
  readonly amenities: Named;
  /** The statuses of the reservations of units, by the units' ids. */
  readonly reservations: ReadonlyMap<string, readonly string[]>;
  /** The slugs of active units, among those that the requests may give. */
  readonly usedSlugs: readonly string[];
}

/** The units of a group of requests, as the database has them and as the requests decided so far leave them. */
export class UnitRecords implements PendingWrites {
  /** Unique indexes keep apart requests about one unit. */
  readonly locks = [];
  bytes = 0;
  /** In the order of the requests. */
  readonly changes: UnitChange[] = [];
  private readonly units: Map<string, UnitDocument>;
  private readonly usedSlugs: Set<string>;

  constructor(readonly loaded: LoadedUnits) {
    this.units = new Map(loaded.units.map((unit) => [unit._id.toHexString(), unit]));
    this.usedSlugs = new Set(loaded.usedSlugs);
  }

  findByRecordSystemId(recordSystemId: string): UnitDocument | undefined {
    return this.active().find((unit) => unit.recordSystemId === recordSystemId);
  }

  /** Units with an id, which is unique within a compound only, in one compound or in all. */
  findByUnitId(unitId: string, compoundId?: Types.ObjectId | null): UnitDocument[] {
    return this.active().filter(
      (unit) =>
        unit.unitId === unitId && (compoundId === undefined || isSame(unit.compoundId, compoundId)),
    );
  }

  /** The phase of a compound with a slug; the oldest one. */
  findPhase(compoundId: Types.ObjectId, slug: string): Types.ObjectId | undefined {
    const { phases } = this.loaded;
    return phases.find((one) => one.slug === slug && isSame(one.parentId, compoundId))?._id;
  }

  statusesOf({ _id }: Pick<UnitDocument, '_id'>): readonly string[] {
    return this.loaded.reservations.get(_id.toHexString()) ?? [];
  }

  isSlugUsed(slug: string): boolean {
    return this.usedSlugs.has(slug);
  }

  /** Takes over a new unit or a change of one. */
  put(change: UnitChange): void {
    const { before, after } = change;
    this.changes.push(change);
    this.units.set(after._id.toHexString(), after);
    this.bytes += BSON.calculateObjectSize(after);
    if (after.isDeleted) this.usedSlugs.delete(before?.slug ?? '');
    else this.usedSlugs.add(after.slug ?? '');
  }

  private active(): UnitDocument[] {
    return [...this.units.values()].filter(({ isDeleted }) => !isDeleted);
  }
}

function isSame(a: Types.ObjectId | null | undefined, b: Types.ObjectId | null): boolean {
  return a && b ? b.equals(a) : false;
}
