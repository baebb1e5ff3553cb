import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { UnitDocument } from '../../catalogue/collections/unit.schema.js';
import {
  type ReferenceKind,
  ReferencesRepository,
} from '../../catalogue/references/references.repository.js';
import { notDeleted } from '../../database/documents/tenant-document.js';
import type { TenantFilter } from '../../database/documents/tenant-filter.js';
import { DomainError } from '../../http/errors/domain-error.js';
import type { Message } from '../../localization/messages.js';
import { listItems } from '../../values/list.js';
import { unitErrors, unknownName } from '../unit-errors.js';
import { UnitChanges } from './unit-changes.js';
import type { UnitFiltersQuery } from './units.query.js';

type UnitFilter = TenantFilter<UnitDocument>;
type Field = keyof UnitDocument;

/** Turns the parameters of a request into a filter: names and slugs become ids (rule UNIT-5). */
@Injectable()
export class UnitFilters {
  constructor(
    private readonly references: ReferencesRepository,
    private readonly changes: UnitChanges,
  ) {}

  /**
   * The filter that checked parameters mean; an amenity that does not exist matches nothing.
   *
   * @throws DomainError 400 that names each compound, phase, type or design that does not exist
   */
  async filterOf(organizationId: Types.ObjectId, query: UnitFiltersQuery): Promise<UnitFilter> {
    const { updatedSince, includeDeleted } = query;
    const conditions = [
      anyOf('status', inAnyCase(query.status)),
      anyOf('rentalStatus', inAnyCase(query.rentalStatus)),
      anyOf('saleType', inAnyCase(query.saleType)),
      anyOf('unitId', itemsOf(query.unitId)),
      anyOf('recordSystemId', itemsOf(query.recordSystemId)),
      ...(await this.referenceConditions(organizationId, query)),
      within('price', query.minPrice, query.maxPrice),
      within('bua', query.minBua, query.maxBua),
      within('beds', query.minBeds, query.maxBeds),
      updatedSince === undefined ? {} : await this.changes.since(organizationId, updatedSince),
      includeDeleted === '1' ? {} : notDeleted,
    ].filter((condition) => Object.keys(condition).length > 0);
    return conditions.length === 0 ? {} : { $and: conditions };
  }

  private async referenceConditions(
    organizationId: Types.ObjectId,
    query: UnitFiltersQuery,
  ): Promise<UnitFilter[]> {
    const bySlug = (kind: ReferenceKind) => (slugs: readonly string[]) =>
      this.references.idsOfSlugs(kind, organizationId, slugs);
    const byType = (names: readonly string[]) =>
      this.references.propertyTypeIdsByNames(organizationId, names);
    const named = await Promise.all([
      lookUp('compound', 'compoundId', query.compound, bySlug('compounds')),
      lookUp('phase', 'locationId', query.phase, bySlug('phases')),
      lookUp('propertyType', 'propertyTypeId', query.propertyType, byType),
      lookUp('unitDesign', 'unitDesignId', query.unitDesign, bySlug('unitDesigns')),
    ]);
    const unknown = named.flatMap((lookup) => lookup.unknown);
    if (unknown.length > 0) throw new DomainError(unitErrors.unknownName, unknown);
    const amenities = itemsOf(query.amenities);
    const amenityIds =
      amenities && (await this.references.amenityIdsByNames(organizationId, amenities));
    return [
      ...named.map(({ condition }) => condition),
      ...(amenityIds ?? []).map((ids) => anyOf('amenitiesIds', ids)),
    ];
  }
}

function itemsOf(list: string | undefined): readonly string[] | undefined {
  return list === undefined ? undefined : listItems(list);
}

/** The documents that a parameter names: the condition that they make, and which do not exist. */
async function lookUp(
  parameter: string,
  field: Field,
  list: string | undefined,
  find: (names: readonly string[]) => Promise<readonly (readonly Types.ObjectId[])[]>,
): Promise<{ condition: UnitFilter; unknown: Message[] }> {
  const names = itemsOf(list);
  if (names === undefined) return { condition: {}, unknown: [] };
  const found = await find(names);
  const missing = names.filter((_name, index) => found[index]?.length === 0);
  return {
    condition: anyOf(field, found.flat()),
    unknown: missing.map((name) => unknownName(parameter, name)),
  };
}

/** The texts of a list as patterns that match nothing but them, in any case. */
function inAnyCase(list: string | undefined): RegExp[] | undefined {
  return itemsOf(list)?.map((text) => {
    const literal = text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
    return new RegExp(`^${literal}(?![\\s\\S])`, 'i');
  });
}

function anyOf(
  field: Field,
  values: readonly (string | RegExp | Types.ObjectId)[] | undefined,
): UnitFilter {
  return values === undefined ? {} : { [field]: { $in: values } };
}

/** A number that is missing counts as the 0 that it is shown as. */
function within(field: Field, from: string | undefined, to: string | undefined): UnitFilter {
  const range = {
    ...(from === undefined ? {} : { $gte: Number(from) }),
    ...(to === undefined ? {} : { $lte: Number(to) }),
  };
  if (Object.keys(range).length === 0) return {};
  const condition = { [field]: range };
  return Number(from ?? 0) > 0
    ? condition
    : { $or: [condition, { [field]: { $in: [null, NaN] } }] };
}
