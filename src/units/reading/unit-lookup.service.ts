import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { CatalogueRepository } from '../../catalogue/catalogue.repository.js';
import { UnitDocument } from '../../catalogue/collections/unit-document.js';
import { parseObjectId } from '../../core/database/documents/tenant-document.js';
import type { TenantFilter } from '../../core/database/documents/tenant-queries.js';
import type { OrganizationIds } from '../../core/database/models/tenant-model.js';
import { present, type Presented } from '../../core/fields/declared-fields.js';
import { defaultLanguage, type Localized } from '../../core/localization/language.js';
import { type UnitName, UnitsRepository } from '../units.repository.js';

export type { UnitName };

export type UnitReference =
  string | { readonly recordSystemId: string } | { readonly unitId: string };

/** Strings that the database does not contain are empty. */
export type FoundUnit = Presented<UnitDocument> & { readonly compound: Partial<Localized> | null };

export function fieldInFilters(
  field: 'slug' | 'recordSystemId' | 'unitId',
  names: readonly string[],
): TenantFilter<UnitDocument>[] {
  return names.length === 0 ? [] : [{ [field]: { $in: [...new Set(names)] } }];
}

@Injectable()
export class UnitLookupService {
  constructor(
    private readonly units: UnitsRepository,
    private readonly catalogue: CatalogueRepository,
  ) {}

  /** Runs one query per filter, because the server never caches the plan of an `$or`. */
  async findAny(
    organizationId: Types.ObjectId,
    filters: readonly TenantFilter<UnitDocument>[],
  ): Promise<UnitDocument[]> {
    const found: UnitDocument[] = [];
    for (const filter of filters) {
      found.push(...(await this.units.findActive(organizationId, filter)));
    }
    return distinct(found);
  }

  /** Returns the ids of units with this id, slug, external id or `unitId`; the first may be a deleted unit's. */
  async idsNamed(organizationId: Types.ObjectId, reference: string): Promise<Types.ObjectId[]> {
    const named = (['slug', 'recordSystemId', 'unitId'] as const).map((name) =>
      this.units.idsOf(organizationId, { [name]: reference }),
    );
    return [parseObjectId(reference) ?? [], ...(await Promise.all(named))].flat();
  }

  /** Returns what a person calls units, by id. Includes deleted units. */
  async namesOf(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
  ): Promise<Map<string, UnitName>> {
    const names = await this.units.namesOf(organizationId, ids);
    return new Map(names.map((name) => [name._id.toHexString(), name]));
  }

  /** Finds deleted units only by their own id. */
  async search(
    organizationIds: readonly Types.ObjectId[],
    reference: string,
    limit: number,
  ): Promise<FoundUnit[]> {
    const _id = parseObjectId(reference);
    const organizationId = { $in: organizationIds };
    const found = await this.units.findNamed(organizationId, reference, _id, limit);
    return this.withCompounds(organizationId, found);
  }

  /** Returns the unit even if it is deleted, or null if it does not exist. */
  async inspect(organizationId: Types.ObjectId, _id: Types.ObjectId): Promise<FoundUnit | null> {
    const units = await this.units.findByIds(organizationId, [_id]);
    const [found = null] = await this.withCompounds(organizationId, units);
    return found;
  }

  private async withCompounds(
    organizationId: OrganizationIds,
    units: readonly UnitDocument[],
  ): Promise<FoundUnit[]> {
    const ids = units.flatMap(({ compoundId }) =>
      compoundId instanceof Types.ObjectId ? compoundId : [],
    );
    const names = await this.catalogue.compoundNames(organizationId, ids);
    return units.map((unit) => {
      const shown = present(UnitDocument, unit, defaultLanguage);
      return { ...shown, compound: names.get(shown.compoundId ?? '') ?? null };
    });
  }

  /**
   * A unit id that several compounds use is ambiguous unless it names the unit `own`.
   *
   * @param own unit of the stored reservation, which the reference may name even if deleted
   */
  async resolve(
    organizationId: Types.ObjectId,
    reference: UnitReference,
    own: Types.ObjectId | null | undefined,
  ): Promise<Types.ObjectId | 'unknown' | 'ambiguous'> {
    const [field, name] = fieldOf(reference);
    const isNamed = (unit: UnitDocument) => unit[field] === name;
    const ofOwn = await this.units.findByIds(organizationId, own ? [own] : []);
    const same = ofOwn.find(isNamed);
    if (same !== undefined) return same._id;
    const active = await this.findAny(organizationId, fieldInFilters(field, [name]));
    const [unit, ...others] = active.filter(isNamed);
    if (unit === undefined) return 'unknown';
    return others.length > 0 && field === 'unitId' ? 'ambiguous' : unit._id;
  }
}

function fieldOf(reference: UnitReference): ['slug' | 'recordSystemId' | 'unitId', string] {
  if (typeof reference === 'string') return ['slug', reference];
  return 'unitId' in reference
    ? ['unitId', reference.unitId]
    : ['recordSystemId', reference.recordSystemId];
}

function distinct(units: readonly UnitDocument[]): UnitDocument[] {
  return [...new Map(units.map((unit) => [unit._id.toHexString(), unit])).values()];
}
