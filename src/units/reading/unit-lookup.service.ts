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
import type { Localized } from '../../core/localization/language.js';
import { havingOneOf, UnitsRepository } from '../units.repository.js';

/** By slug, external id, or the unit id of a compound. */
export type UnitReference =
  string | { readonly recordSystemId: string } | { readonly unitId: string };

export interface UnitSummary {
  readonly slug: string | null;
  readonly status: string | null;
  readonly isDeleted: boolean;
}

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

@Injectable()
export class UnitLookupService {
  constructor(
    private readonly units: UnitsRepository,
    private readonly catalogue: CatalogueRepository,
  ) {}

  /** Null if missing; deleted units too. */
  async summary(organizationId: Types.ObjectId, _id: Types.ObjectId): Promise<UnitSummary | null> {
    const [unit] = await this.units.findByIds(organizationId, [_id]);
    return unit === undefined ? null : summaryOf(unit);
  }

  /** By slug, external id, unit id or own id. */
  async search(
    organizationIds: readonly Types.ObjectId[],
    reference: string,
    limit: number,
  ): Promise<FoundUnit[]> {
    const found = await this.units.findReferenced(organizationIds, reference, limit);
    return this.withCompounds(organizationIds, found.slice(0, limit));
  }

  /** Null if missing; deleted units too. */
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

  /** @param own units that a reference may name even if they are deleted */
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

export class NamedUnits {
  private readonly all: ReadonlyMap<string, UnitDocument>;

  constructor(
    private readonly active: readonly UnitDocument[],
    own: readonly UnitDocument[],
  ) {
    this.all = new Map([...own, ...active].map((unit) => [unit._id.toHexString(), unit]));
  }

  /** Deleted units too. */
  isNamedBy(_id: Types.ObjectId, reference: UnitReference): boolean {
    const unit = this.all.get(_id.toHexString());
    return unit !== undefined && isNamed(unit, reference);
  }

  /** A unit id that two compounds use is ambiguous. */
  idOf(reference: UnitReference): Types.ObjectId | 'unknown' | 'ambiguous' {
    const [unit, ...others] = this.active.filter((one) => isNamed(one, reference));
    if (unit === undefined) return 'unknown';
    return others.length > 0 && typeof reference === 'object' && 'unitId' in reference
      ? 'ambiguous'
      : unit._id;
  }
}

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
