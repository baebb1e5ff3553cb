import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { CatalogueRepository } from '../../catalogue/catalogue.repository.js';
import { UnitDocument } from '../../catalogue/collections/unit-document.js';
import {
  InjectCollection,
  type TenantCollection,
} from '../../core/database/documents/tenant-collection.js';
import { notDeleted, parseObjectId } from '../../core/database/documents/tenant-document.js';
import type { TenantFilter, Tenants } from '../../core/database/documents/tenant-queries.js';
import { present, type Presented } from '../../core/fields/declared-fields.js';
import { defaultLanguage, type Localized } from '../../core/localization/language.js';

/** Names a unit by its slug, external id, or unit id. */
export type UnitReference =
  string | { readonly recordSystemId: string } | { readonly unitId: string };

/** Texts are empty where nothing is stored. */
export type FoundUnit = Presented<UnitDocument> & { readonly compound: Partial<Localized> | null };

export function havingOneOf(
  field: 'slug' | 'recordSystemId' | 'unitId',
  names: readonly string[],
): TenantFilter<UnitDocument>[] {
  return names.length === 0 ? [] : [{ [field]: { $in: [...new Set(names)] } }];
}

/** Finds units for other features and the operator. */
@Injectable()
export class UnitLookupService {
  constructor(
    @InjectCollection('Unit') private readonly units: TenantCollection<UnitDocument>,
    private readonly catalogue: CatalogueRepository,
  ) {}

  /** One query per filter: the server never caches the plan of an `$or`. */
  async findAny(
    organizationId: Types.ObjectId,
    filters: readonly TenantFilter<UnitDocument>[],
  ): Promise<UnitDocument[]> {
    const found: UnitDocument[] = [];
    for (const filter of filters) {
      found.push(...(await this.units.find(organizationId, { ...filter, ...notDeleted })));
    }
    return distinct(found);
  }

  /** Finds deleted units only by their own id. */
  async search(
    organizationIds: readonly Types.ObjectId[],
    reference: string,
    limit: number,
  ): Promise<FoundUnit[]> {
    const _id = parseObjectId(reference);
    const found = await Promise.all([
      ...(['slug', 'recordSystemId', 'unitId'] as const).map((name) =>
        this.units.find(organizationIds, { [name]: reference, ...notDeleted }, { limit }),
      ),
      _id === null ? [] : this.units.find(organizationIds, { _id }),
    ]);
    return this.withCompounds(organizationIds, distinct(found.flat()).slice(0, limit));
  }

  /** Null if missing; deleted units too. */
  async inspect(organizationId: Types.ObjectId, _id: Types.ObjectId): Promise<FoundUnit | null> {
    const units = await this.units.find(organizationId, { _id });
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
    return units.map((unit) => {
      const shown = present(UnitDocument, unit, defaultLanguage);
      return { ...shown, compound: names.get(shown.compoundId ?? '') ?? null };
    });
  }

  /** @param own units that a reference may name even if they are deleted */
  async named(
    organizationId: Types.ObjectId,
    references: readonly UnitReference[],
    own: readonly Types.ObjectId[],
  ): Promise<NamedUnits> {
    const byField = Map.groupBy(references.map(fieldOf), ([field]) => field);
    const filters = [...byField].flatMap(([field, ofField]) => {
      const names = ofField.map(([, name]) => name);
      return havingOneOf(field, names);
    });
    const named = await this.findAny(organizationId, filters);
    const ofOwn = own.length === 0 ? [] : this.units.find(organizationId, { _id: { $in: own } });
    return new NamedUnits(named, await ofOwn);
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

function distinct(units: readonly UnitDocument[]): UnitDocument[] {
  return [...new Map(units.map((unit) => [unit._id.toHexString(), unit])).values()];
}
