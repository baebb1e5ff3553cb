import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { UnitDocument } from '../../catalogue/collections/unit-document.js';
import type { ReferenceKind } from '../../catalogue/fields/declared-fields.js';
import { ReferencesRepository } from '../../catalogue/references/references.repository.js';
import { FreshCache } from '../../core/cache/fresh-cache.js';
import { deletedOrNot, notDeleted } from '../../core/database/documents/tenant-document.js';
import type { TenantFilter } from '../../core/database/documents/tenant-filter.js';
import { DomainError } from '../../core/http/errors/domain-error.js';
import type { Message } from '../../core/localization/messages.service.js';
import { listItems } from '../../core/values/text.js';
import { unitErrors, unknownName } from '../unit-errors.js';
import { UnitsRepository } from '../units.repository.js';
import { UnitChanges } from './unit-changes.js';
import type { UnitFiltersQuery } from './units.query.js';

type UnitFilter = TenantFilter<UnitDocument>;
type Field = keyof UnitDocument;
type Ids = readonly Types.ObjectId[];

/** Turns the parameters of a request into a filter: names and slugs become ids (rule UNIT-5). */
@Injectable()
export class UnitFilters {
  constructor(
    private readonly units: UnitsRepository,
    private readonly references: ReferencesRepository,
    private readonly changes: UnitChanges,
    private readonly cache: FreshCache,
  ) {}

  /**
   * The filter that checked parameters mean; an amenity that does not exist matches nothing.
   *
   * @throws DomainError 400 that names each compound, phase, type or design that does not exist
   */
  async filterOf(organizationId: Types.ObjectId, query: UnitFiltersQuery): Promise<UnitFilter> {
    const { updatedSince, includeDeleted } = query;
    const conditions = [
      await this.inAnyCase(organizationId, 'status', query.status),
      await this.inAnyCase(organizationId, 'rentalStatus', query.rentalStatus),
      await this.inAnyCase(organizationId, 'saleType', query.saleType),
      anyOf('unitId', itemsOf(query.unitId)),
      anyOf('recordSystemId', itemsOf(query.recordSystemId)),
      ...(await this.referenceConditions(organizationId, query)),
      within('price', query.minPrice, query.maxPrice),
      within('bua', query.minBua, query.maxBua),
      within('beds', query.minBeds, query.maxBeds),
      updatedSince === undefined ? {} : await this.changes.since(organizationId, updatedSince),
      includeDeleted === '1' ? deletedOrNot : notDeleted,
    ].filter((condition) => Object.keys(condition).length > 0);
    return { $and: conditions };
  }

  /** Compared here with the few texts that there are, because no index finds a text in any case. */
  private async inAnyCase(
    organizationId: Types.ObjectId,
    field: 'status' | 'rentalStatus' | 'saleType',
    list: string | undefined,
  ): Promise<UnitFilter> {
    const patterns = itemsOf(list)?.map(patternOf);
    if (patterns === undefined) return {};
    const texts = await this.cache.get(organizationId, `texts ${field}`, () =>
      this.units.textsOf(organizationId, field),
    );
    return anyOf(
      field,
      texts.filter((text) => patterns.some((pattern) => pattern.test(text))),
    );
  }

  private async referenceConditions(
    organizationId: Types.ObjectId,
    query: UnitFiltersQuery,
  ): Promise<UnitFilter[]> {
    const cached = (kind: string, names: readonly string[], find: () => Promise<Ids[]>) =>
      this.cache.get(organizationId, JSON.stringify([kind, ...names]), find);
    const bySlug = (kind: ReferenceKind) => (slugs: readonly string[]) =>
      cached(kind, slugs, () => this.references.idsOfSlugs(kind, organizationId, slugs));
    const byType = (names: readonly string[]) =>
      cached('types', names, () => this.references.propertyTypeIdsByNames(organizationId, names));
    const byAmenity = (names: readonly string[]) =>
      cached('amenityNames', names, () => this.references.amenityIdsByNames(organizationId, names));
    const named = await Promise.all([
      lookUp('compound', 'compoundId', query.compound, bySlug('compounds')),
      lookUp('phase', 'locationId', query.phase, bySlug('phases')),
      lookUp('propertyType', 'propertyTypeId', query.propertyType, byType),
      lookUp('unitDesign', 'unitDesignId', query.unitDesign, bySlug('unitDesigns')),
    ]);
    const unknown = named.flatMap((lookup) => lookup.unknown);
    if (unknown.length > 0) throw new DomainError(unitErrors.unknownName, unknown);
    const amenities = itemsOf(query.amenities);
    const amenityIds = amenities && (await byAmenity(amenities));
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

/** A pattern that matches nothing but a text, in any case. */
function patternOf(text: string): RegExp {
  return new RegExp(`^${text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)}$`, 'iu');
}

function anyOf(field: Field, values: readonly (string | Types.ObjectId)[] | undefined): UnitFilter {
  return values === undefined ? {} : { [field]: { $in: values } };
}

/** A number that is missing counts as the 0 that it is shown as: it is in what is not out of the range. */
function within(field: Field, from: string | undefined, to: string | undefined): UnitFilter {
  const least = Number(from ?? 0);
  const isMost = to === undefined ? {} : { $lte: Number(to) };
  if (least > 0) return { [field]: { $gte: least, ...isMost } };
  const conditions = [
    ...(from === undefined ? [] : [{ [field]: { $not: { $lt: 0 } } }]),
    ...(to === undefined ? [] : [{ [field]: { $not: { $gt: Number(to) } } }]),
  ];
  return conditions.length === 0 ? {} : { $and: conditions };
}
