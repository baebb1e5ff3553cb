import type { Types } from 'mongoose';
import type { UnitDocument } from '../../catalogue/collections/unit-document.js';
import type { PhaseDocument } from '../../catalogue/collections/unit-references.schema.js';

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
  /** Slugs that the request may assign but that units already use. */
  readonly usedSlugs: readonly string[];
}

/** Contains what the decision about a unit reads. */
export class UnitWorkingSet {
  constructor(readonly loaded: LoadedUnits) {}

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
    return phases.find((phase) => phase.slug === slug && compoundId.equals(phase.parentId))?._id;
  }

  statusesOf({ _id }: Pick<UnitDocument, '_id'>): readonly string[] {
    // Stryker disable next-line ArrayDeclaration: any string that is not a status holds no unit.
    return this.loaded.reservations.get(_id.toHexString()) ?? [];
  }

  isSlugUsed(slug: string): boolean {
    return this.loaded.usedSlugs.includes(slug);
  }

  private active(): UnitDocument[] {
    return this.loaded.units.filter(({ isDeleted }) => !isDeleted);
  }
}
