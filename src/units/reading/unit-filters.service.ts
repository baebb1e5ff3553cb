import type { ListableUnitField } from '../../catalogue/collections/unit.schema.js';
import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { statusKey } from '../unit-status.js';
import { CatalogueRepository } from '../../catalogue/catalogue.repository.js';
import type { UnitDocument } from '../../catalogue/collections/unit-document.js';
import { unitReferences } from '../../catalogue/references.js';
import type { HiddenParts } from '../../catalogue/visibility/hidden-parts.js';
import { includingDeleted, notDeleted } from '../../core/database/documents/tenant-document.js';
import type { TenantFilter } from '../../core/database/documents/tenant-queries.js';
import { DomainError } from '../../core/errors/domain-error.js';
import { foldCase } from '../../core/localization/fold-case.js';
import { splitList, asTexts } from '../../core/values/text.js';
import { UnitsRepository } from '../units.repository.js';
import { unitErrors, unknownNameMessage } from '../unit-errors.js';
import type { UnitFiltersQuery } from './units.query.js';

type UnitFilter = TenantFilter<UnitDocument>;
type Field = keyof UnitDocument;
type Ids = readonly Types.ObjectId[];

/** Units whose field has one of the ids count as changed. */
interface ChangedReferences {
  readonly field: Field;
  readonly ids: Ids;
}

/** Beyond this number of changed documents of one kind, every unit counts as changed. */
const maxChangedReferences = 1_000;

@Injectable()
export class UnitFiltersService {
  constructor(
    private readonly units: UnitsRepository,
    private readonly catalogue: CatalogueRepository,
  ) {}

  /**
   * An unknown amenity matches nothing.
   *
   * @throws DomainError 400 for each unknown compound, phase, type or design
   */
  async filterOf(
    organizationId: Types.ObjectId,
    query: UnitFiltersQuery,
    hidden: HiddenParts | null,
  ): Promise<UnitFilter> {
    const { updatedSince, includeDeleted } = query;
    const conditions = [
      await this.matchIgnoringCase(organizationId, 'status', query.status),
      await this.matchIgnoringCase(organizationId, 'rentalStatus', query.rentalStatus),
      await this.matchIgnoringCase(organizationId, 'saleType', query.saleType),
      anyOf('unitId', itemsOf(query.unitId)),
      anyOf('recordSystemId', itemsOf(query.recordSystemId)),
      ...(await this.referenceConditions(organizationId, query, hidden)),
      inRange('price', query.minPrice, query.maxPrice),
      inRange('bua', query.minBua, query.maxBua),
      inRange('beds', query.minBeds, query.maxBeds),
      updatedSince === undefined
        ? {}
        : await this.changedSince(organizationId, updatedSince, hidden),
      includeDeleted === '1' ? includingDeleted : notDeleted,
    ].filter((condition) => Object.keys(condition).length > 0);
    const matching = { $and: conditions };
    if (hidden === null) return matching;
    const visible = { ...matching, ...hidden.visibleUnits };
    if (updatedSince === undefined || !showsRemovals(query)) return visible;
    return { $or: [visible, await this.removedSince(organizationId, updatedSince, hidden)] };
  }

  /** Ignores the filters of the request, because a match would reveal values of hidden units (rule AUTH-9). */
  private async removedSince(
    organizationId: Types.ObjectId,
    since: Date,
    hidden: HiddenParts,
  ): Promise<UnitFilter> {
    const limit = maxChangedReferences + 1;
    const ids = await this.catalogue.idsChangedSince('compounds', organizationId, since, limit);
    const isPart = ids.length <= maxChangedReferences;
    const changed = isPart
      ? ids.filter((_id) => hidden.hides('compounds', { _id }))
      : hidden.compoundIds;
    const alternatives = changed.length === 0 ? [] : [anyOf('compoundId', changed)];
    const { catalogue } = this;
    const isChanged = await catalogue.changedSince<UnitDocument>(
      'units',
      organizationId,
      since,
      alternatives,
    );
    return { $and: [hidden.hiddenUnits, isChanged, includingDeleted] };
  }

  /** No index ignores the case of these fields, so their few distinct values are compared here. */
  private async matchIgnoringCase(
    organizationId: Types.ObjectId,
    field: ListableUnitField,
    list: string | undefined,
  ): Promise<UnitFilter> {
    const keyOf = field === 'status' ? statusKey : foldCase;
    const wanted = itemsOf(list)?.map(keyOf);
    if (wanted === undefined) return {};
    const texts = await this.units.valuesOf(organizationId, field);
    return anyOf(
      field,
      asTexts(texts).filter((text) => wanted.includes(keyOf(text))),
    );
  }

  private async referenceConditions(
    organizationId: Types.ObjectId,
    query: UnitFiltersQuery,
    hidden: HiddenParts | null,
  ): Promise<UnitFilter[]> {
    const named = await Promise.all(
      unitReferences.map(async ({ field: parameter, kind, storedAs: field }) => {
        const names = itemsOf(query[parameter]) ?? [];
        const found =
          names.length === 0
            ? []
            : await this.catalogue.idsByNames(kind, organizationId, names, hidden);
        return { parameter, field, names, found };
      }),
    );
    const unknown = named.flatMap(({ parameter, names, found }) =>
      names
        .filter((_name, index) => parameter !== 'amenities' && found[index]?.length === 0)
        .map((name) => unknownNameMessage(parameter, name)),
    );
    if (unknown.length > 0) throw new DomainError(unitErrors.unknownName, unknown);
    return named.flatMap(({ field, names, found }) => {
      // A unit needs all amenities of the filter; for other parameters one match is enough.
      if (field === 'amenitiesIds') return found.map((ids) => anyOf(field, ids));
      return names.length === 0 ? [] : anyOf(field, found.flat());
    });
  }

  /** A public key sees another phase or design when its compound becomes public or hidden. */
  private async dependentParts(
    organizationId: Types.ObjectId,
    changed: readonly ChangedReferences[],
  ): Promise<ChangedReferences[]> {
    const limit = maxChangedReferences + 1;
    const idsIn = (name: Field) => changed.find(({ field }) => field === name)?.ids ?? [];
    const phases = await this.catalogue.phaseIdsOf(organizationId, idsIn('compoundId'), limit);
    const locations = [...idsIn('compoundId'), ...idsIn('locationId'), ...phases];
    const designs = await this.catalogue.designIdsIn(organizationId, locations, limit);
    return [
      { field: 'locationId', ids: phases },
      { field: 'unitDesignId', ids: designs },
    ];
  }

  /** Includes units that refer to changed documents (rule COMP-3). */
  private async changedSince(
    organizationId: Types.ObjectId,
    since: Date,
    hidden: HiddenParts | null,
  ): Promise<UnitFilter> {
    const own = await Promise.all(
      unitReferences.map(async ({ kind, storedAs: field }) => {
        const limit = maxChangedReferences + 1;
        const ids = await this.catalogue.idsChangedSince(kind, organizationId, since, limit);
        return { field, ids };
      }),
    );
    const further = hidden === null ? [] : await this.dependentParts(organizationId, own);
    const changed: readonly ChangedReferences[] = [...own, ...further];
    if (changed.some(({ ids }) => ids.length > maxChangedReferences)) return {};
    const referring = changed.filter(({ ids }) => ids.length > 0);
    return this.catalogue.changedSince<UnitDocument>(
      'units',
      organizationId,
      since,
      referring.map(({ field, ids }) => anyOf(field, ids)),
    );
  }
}

/** Tells whether the response contains items that are not public any more (rule AUTH-9). */
export function showsRemovals({
  updatedSince,
  includeDeleted,
}: Pick<UnitFiltersQuery, 'updatedSince' | 'includeDeleted'>): boolean {
  return updatedSince !== undefined && includeDeleted === '1';
}

function itemsOf(list: string | undefined): readonly string[] | undefined {
  return list === undefined ? undefined : splitList(list);
}

function anyOf(field: Field, values: readonly string[] | Ids | undefined): UnitFilter {
  return values === undefined ? {} : { [field]: { $in: values } };
}

/** A missing number counts as 0, as responses show it. */
function inRange(field: Field, from: string | undefined, to: string | undefined): UnitFilter {
  const least = Number(from ?? 0);
  const isMost = to === undefined ? {} : { $lte: Number(to) };
  if (least > 0) return { [field]: { $gte: least, ...isMost } };
  const conditions = [
    ...(from === undefined ? [] : [{ [field]: { $not: { $lt: 0 } } }]),
    ...(to === undefined ? [] : [{ [field]: { $not: { $gt: Number(to) } } }]),
  ];
  return conditions.length === 0 ? {} : { $and: conditions };
}
