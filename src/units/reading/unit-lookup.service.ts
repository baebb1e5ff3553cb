import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import type { UnitDocument } from '../../catalogue/collections/unit-document.js';
import {
  idOrNull,
  numberOf,
  textOf,
  timeOrNull,
} from '../../core/database/documents/stored-values.js';
import { CatalogueRepository } from '../../catalogue/catalogue.repository.js';
import type { Tenants } from '../../core/database/documents/tenant-queries.js';
import type { Localized } from '../../core/localization/localized.js';
import { havingOneOf, UnitsRepository } from '../units.repository.js';

/** How an outside system names a unit: by slug, by its own id, or by the compound's unit id. */
export type UnitReference =
  string | { readonly recordSystemId: string } | { readonly unitId: string };

/** What the operator has to know of a unit. */
export interface UnitSummary {
  readonly slug: string | null;
  readonly status: string | null;
  readonly isDeleted: boolean;
}

/** A unit as the operator looks at it. */
export interface FoundUnit extends UnitSummary {
  readonly _id: string;
  readonly organizationId: string;
  readonly recordSystemId: string | null;
  readonly unitId: string | null;
  readonly compoundId: string | null;
  readonly compound: Partial<Localized> | null;
  readonly price: number | null;
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
}

/** Finds the units that requests name. */
@Injectable()
export class UnitLookupService {
  constructor(
    private readonly units: UnitsRepository,
    private readonly catalogue: CatalogueRepository,
  ) {}

  /** A unit in short, null when it is missing altogether. */
  async summary(organizationId: Types.ObjectId, _id: Types.ObjectId): Promise<UnitSummary | null> {
    const [unit] = await this.units.findByIds(organizationId, [_id]);
    return unit === undefined ? null : summaryOf(unit);
  }

  /**
   * The units of organizations that a reference may mean: by slug, or by an id of an outside system, of the
   * compound, or of the service.
   */
  async search(
    organizationIds: readonly Types.ObjectId[],
    reference: string,
    limit: number,
  ): Promise<FoundUnit[]> {
    const found = await this.units.findReferenced(organizationIds, reference, limit);
    return this.withCompounds(organizationIds, found.slice(0, limit));
  }

  /** A unit, deleted or not; null when it is missing altogether. */
  async inspect(organizationId: Types.ObjectId, _id: Types.ObjectId): Promise<FoundUnit | null> {
    const units = await this.units.findByIds(organizationId, [_id]);
    const [found = null] = await this.withCompounds(organizationId, units);
    return found;
  }

  private async withCompounds(
    organizationIds: Tenants,
    units: readonly UnitDocument[],
  ): Promise<FoundUnit[]> {
    const ids = units.flatMap(({ compoundId }) =>
      compoundId instanceof Types.ObjectId ? compoundId : [],
    );
    const names = await this.catalogue.compoundNames(organizationIds, ids);
    return units.map((unit) => foundUnit(unit, names));
  }

  /**
   * The units that references name.
   *
   * @param own units that a reference may name although they are deleted
   */
  async named(
    organizationId: Types.ObjectId,
    references: readonly UnitReference[],
    own: readonly Types.ObjectId[],
  ): Promise<NamedUnits> {
    const byField = Map.groupBy(references.map(fieldOf), ([field]) => field);
    const named = await this.units.findAny(
      organizationId,
      [...byField].flatMap(([field, ofField]) =>
        havingOneOf(
          field,
          ofField.map(([, name]) => name),
        ),
      ),
    );
    return new NamedUnits(named, await this.units.findByIds(organizationId, own));
  }
}

/** Units by the names that requests give them. */
export class NamedUnits {
  private readonly all: ReadonlyMap<string, UnitDocument>;

  constructor(
    private readonly active: readonly UnitDocument[],
    own: readonly UnitDocument[],
  ) {
    this.all = new Map([...own, ...active].map((unit) => [unit._id.toHexString(), unit]));
  }

  /** Whether a reference names this unit, deleted or not. */
  isNamedBy(_id: Types.ObjectId, reference: UnitReference): boolean {
    const unit = this.all.get(_id.toHexString());
    return unit !== undefined && isNamed(unit, reference);
  }

  /** The id of the unit that a reference means; a unit id that two compounds use is ambiguous. */
  idOf(reference: UnitReference): Types.ObjectId | 'unknown' | 'ambiguous' {
    const [unit, ...others] = this.active.filter((one) => isNamed(one, reference));
    if (unit === undefined) return 'unknown';
    return others.length > 0 && typeof reference === 'object' && 'unitId' in reference
      ? 'ambiguous'
      : unit._id;
  }
}

/** The field that a reference is about, and its value. */
function fieldOf(reference: UnitReference): ['slug' | 'recordSystemId' | 'unitId', string] {
  if (typeof reference === 'string') return ['slug', reference];
  return 'unitId' in reference
    ? ['unitId', reference.unitId]
    : ['recordSystemId', reference.recordSystemId];
}

function isNamed(unit: UnitDocument, reference: UnitReference): boolean {
  const [field, name] = fieldOf(reference);
  return unit[field] === name;
}

function summaryOf(unit: UnitDocument): UnitSummary {
  const { slug, status, isDeleted } = unit as Partial<typeof unit>;
  return { slug: slug ?? null, status: status ?? null, isDeleted: isDeleted === true };
}

/** Other programs may have stored values of any type. */
function foundUnit(
  unit: UnitDocument,
  compounds: ReadonlyMap<string, Partial<Localized>>,
): FoundUnit {
  const compoundId = idOrNull(unit.compoundId);
  const price = numberOf(unit.price);
  return {
    ...summaryOf(unit),
    _id: unit._id.toHexString(),
    organizationId: unit.organizationId.toHexString(),
    recordSystemId: textOf(unit.recordSystemId) || null,
    unitId: textOf(unit.unitId) || null,
    compoundId,
    compound: compounds.get(compoundId ?? '') ?? null,
    price: price === 0 ? null : price,
    createdAt: timeOrNull(unit.createdAt),
    updatedAt: timeOrNull(unit.updatedAt),
  };
}
