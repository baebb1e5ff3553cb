import { BSON } from 'mongodb';
import type { Types } from 'mongoose';
import type { UnitDocument } from '../../catalogue/collections/unit-document.js';
import type { PhaseDocument } from '../../catalogue/collections/unit-references.schema.js';
import type { PendingWrites } from '../../core/writes/write-handler.js';
import type { UnitChange } from './unit-writes.service.js';

export type IdsByName = ReadonlyMap<string, Types.ObjectId | undefined>;

export interface LoadedUnits {
  readonly organizationId: Types.ObjectId;
  readonly now: Date;
  readonly units: readonly UnitDocument[];
  readonly compounds: IdsByName;
  readonly phases: readonly Pick<PhaseDocument, '_id' | 'parentId' | 'slug'>[];
  readonly propertyTypes: IdsByName;
  readonly unitDesigns: IdsByName;
  readonly amenities: IdsByName;
  /** Maps hexadecimal unit ids to the statuses of their reservations. */
  readonly reservations: ReadonlyMap<string, readonly string[]>;
  /** Slugs that the requests may assign but that units already use. */
  readonly usedSlugs: readonly string[];
}

/** Applies decisions as they are made, so that each request sees those before it. */
export class UnitRecords implements PendingWrites {
  /** No keys are needed: unique indexes make concurrent requests about one unit conflict. */
  readonly lockKeys = [];
  bytes = 0;
  readonly changes: UnitChange[] = [];
  private readonly units: Map<string, UnitDocument>;
  private readonly usedSlugs: Set<string | undefined>;

  constructor(readonly loaded: LoadedUnits) {
    this.units = new Map(loaded.units.map((unit) => [unit._id.toHexString(), unit]));
    this.usedSlugs = new Set(loaded.usedSlugs);
  }

  findByRecordSystemId(recordSystemId: string): UnitDocument | undefined {
    return this.active().find((unit) => unit.recordSystemId === recordSystemId);
  }

  /** Searches all compounds by default; a unit id is unique only within a compound. */
  findByUnitId(unitId: string, compoundId?: Types.ObjectId): UnitDocument[] {
    return this.active().filter(
      (unit) =>
        unit.unitId === unitId && (compoundId === undefined || compoundId.equals(unit.compoundId)),
    );
  }

  /** If several phases have the slug, the oldest is used. */
  findPhase(compoundId: Types.ObjectId, slug: string): Types.ObjectId | undefined {
    const { phases } = this.loaded;
    return phases.find((one) => one.slug === slug && compoundId.equals(one.parentId))?._id;
  }

  statusesOf({ _id }: Pick<UnitDocument, '_id'>): readonly string[] {
    // Stryker disable next-line ArrayDeclaration: any string that is not a status holds no unit.
    return this.loaded.reservations.get(_id.toHexString()) ?? [];
  }

  isSlugUsed(slug: string): boolean {
    return this.usedSlugs.has(slug);
  }

  record(change: UnitChange): void {
    const { after } = change;
    this.changes.push(change);
    this.units.set(after._id.toHexString(), after);
    this.bytes += BSON.calculateObjectSize(after);
    if (after.isDeleted) this.usedSlugs.delete(after.slug);
    else this.usedSlugs.add(after.slug);
  }

  private active(): UnitDocument[] {
    return [...this.units.values()].filter(({ isDeleted }) => !isDeleted);
  }
}
