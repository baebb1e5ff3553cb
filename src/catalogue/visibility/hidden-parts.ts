import type { Types } from 'mongoose';
import { asHexId, asId, asList, asTime } from '../../core/database/documents/stored-values.js';
import type { TenantFilter } from '../../core/database/documents/tenant-queries.js';
import type { CatalogueDocument } from '../collections/catalogue-document.js';
import type { CompoundDocument } from '../collections/compound.schema.js';
import type { UnitDocument } from '../collections/unit-document.js';
import type { PhaseDocument, UnitDesignDocument } from '../collections/unit-references.schema.js';
import type { ReferenceKind } from '../references.js';

type Ids = readonly Types.ObjectId[];

/** Shows that an item must leave a copy; names nothing else of it (rule AUTH-9). */
export interface RemovedItem {
  readonly _id: string;
  readonly isDeleted: true;
  readonly updatedAt: string;
}

export const removedItemNote =
  'With updatedSince and includeDeleted, keys with public visibility get `_id`, `isDeleted` and ' +
  '`updatedAt` alone of an item that is not public.';

/** A missing flag counts as false, as responses show it (rule AUTH-9). */
export const publicCompounds = {
  isPublished: true,
  isPublic: true,
  isAdminOnly: { $ne: true },
} as const satisfies TenantFilter<CompoundDocument>;

export const hiddenCompounds = {
  $or: [{ isPublished: { $ne: true } }, { isPublic: { $ne: true } }, { isAdminOnly: true }],
} as const satisfies TenantFilter<CompoundDocument>;

export function isPublicCompound({
  isPublished,
  isPublic,
  isAdminOnly,
}: Pick<CompoundDocument, 'isPublished' | 'isPublic' | 'isAdminOnly'>): boolean {
  return isPublished === true && isPublic === true && isAdminOnly !== true;
}

export function removedItem({
  _id,
  updatedAt,
}: Pick<CatalogueDocument, '_id' | 'updatedAt'>): RemovedItem {
  return { _id: _id.toHexString(), isDeleted: true, updatedAt: asTime(updatedAt) };
}

/** Holds the parts of a catalogue that a key with public visibility must not see (rule AUTH-9). */
export class HiddenParts {
  private readonly compounds: ReadonlySet<string>;
  private readonly locations: ReadonlySet<string>;

  /**
   * @param compoundIds also of deleted compounds, because their units are not deleted with them
   * @param phaseIds phases of these compounds
   */
  constructor(
    readonly compoundIds: Ids,
    private readonly phaseIds: Ids,
  ) {
    this.compounds = new Set(compoundIds.map(asHexId));
    this.locations = new Set([...compoundIds, ...phaseIds].map(asHexId));
  }

  get visibleUnits(): TenantFilter<UnitDocument> {
    const isNotAdminOnly = { isAdminOnly: { $ne: true } };
    if (this.compoundIds.length === 0) return isNotAdminOnly;
    return { ...isNotAdminOnly, compoundId: { $nin: this.compoundIds } };
  }

  get hiddenUnits(): TenantFilter<UnitDocument> {
    const isAdminOnly = { isAdminOnly: true };
    if (this.compoundIds.length === 0) return isAdminOnly;
    return { $or: [isAdminOnly, { compoundId: { $in: this.compoundIds } }] };
  }

  /** Accepts a stored unit, or the data of an event. */
  hidesUnit(unit: { readonly isAdminOnly?: unknown; readonly compoundId?: unknown }): boolean {
    return unit.isAdminOnly === true || this.compounds.has(asId(unit.compoundId));
  }

  /** Selects the documents whose changes a public key may notice. */
  visible(kind: ReferenceKind | 'units'): TenantFilter<CatalogueDocument> {
    if (kind === 'units') return this.visibleUnits;
    if (kind === 'compounds') return publicCompounds;
    if (this.compoundIds.length === 0) return {};
    if (kind === 'phases') {
      const filter: TenantFilter<PhaseDocument> = { parentId: { $nin: this.compoundIds } };
      return filter;
    }
    if (kind !== 'unitDesigns') return {};
    const elsewhere = { $elemMatch: { $nin: [...this.compoundIds, ...this.phaseIds] } };
    const $or = [{ 'locationsIds.0': { $exists: false } }, { locationsIds: elsewhere }];
    return { $or };
  }

  /** Tells whether a name in a filter counts as unknown: a design that is used nowhere else belongs to its locations. */
  hides(kind: ReferenceKind, document: Pick<CatalogueDocument, '_id'>): boolean {
    if (kind === 'compounds') return this.compounds.has(asHexId(document._id));
    if (kind === 'phases') return this.hidesPhase(document as PhaseDocument);
    if (kind !== 'unitDesigns') return false;
    const locations = asList((document as UnitDesignDocument).locationsIds);
    return locations.length > 0 && locations.every((id) => this.locations.has(asId(id)));
  }

  /** Returns the part as units show it, or null. Accepts stored documents, and the parts in the data of an event. */
  partOf<T extends object>(kind: ReferenceKind, part: T): T | null {
    if (kind === 'phases') return this.hidesPhase(part) ? null : part;
    const { locationsIds } = part as { readonly locationsIds?: unknown };
    if (kind !== 'unitDesigns' || locationsIds === undefined) return part;
    const shown = asList(locationsIds).filter((id) => !this.locations.has(asId(id)));
    return { ...part, locationsIds: shown };
  }

  private hidesPhase(phase: { readonly parentId?: unknown }): boolean {
    return this.compounds.has(asId(phase.parentId));
  }
}
