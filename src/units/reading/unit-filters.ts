import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { UnitDocument } from '../../catalogue/collections/unit.schema.js';
import { ReferencesRepository } from '../../catalogue/references/references.repository.js';
import { notDeleted } from '../../database/documents/tenant-document.js';
import type { TenantFilter } from '../../database/documents/tenant-filter.js';
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

  /** The filter that checked parameters mean; a name that nothing has matches nothing. */
  async filterOf(organizationId: Types.ObjectId, query: UnitFiltersQuery): Promise<UnitFilter> {
    const { updatedSince, includeDeleted } = query;
    const conditions = [
      anyOf('status', itemsOf(query.status)),
      anyOf('rentalStatus', itemsOf(query.rentalStatus)),
      anyOf('saleType', itemsOf(query.saleType)),
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
    const { references } = this;
    const [compounds, phases, propertyTypes, unitDesigns, amenities = []] = await Promise.all([
      whenSent(query.compound, (slugs) =>
        references.idsBySlugs('compounds', organizationId, slugs),
      ),
      whenSent(query.phase, (slugs) => references.idsBySlugs('phases', organizationId, slugs)),
      whenSent(query.propertyType, (names) =>
        references.propertyTypeIdsByNames(organizationId, names),
      ),
      whenSent(query.unitDesign, (slugs) =>
        references.idsBySlugs('unitDesigns', organizationId, slugs),
      ),
      whenSent(query.amenities, (names) => references.amenityIdsByNames(organizationId, names)),
    ]);
    return [
      anyOf('compoundId', compounds),
      anyOf('locationId', phases),
      anyOf('propertyTypeId', propertyTypes?.flat()),
      anyOf('unitDesignId', unitDesigns),
      ...amenities.map((ids) => anyOf('amenitiesIds', ids)),
    ];
  }
}

function itemsOf(list: string | undefined): readonly string[] | undefined {
  return list?.split(',');
}

async function whenSent<T>(
  list: string | undefined,
  find: (items: readonly string[]) => Promise<T>,
): Promise<T | undefined> {
  return list === undefined ? undefined : find(list.split(','));
}

function anyOf(field: Field, values: readonly (string | Types.ObjectId)[] | undefined): UnitFilter {
  return values === undefined ? {} : { [field]: { $in: values } };
}

function within(field: Field, from: string | undefined, to: string | undefined): UnitFilter {
  const range = {
    ...(from === undefined ? {} : { $gte: Number(from) }),
    ...(to === undefined ? {} : { $lte: Number(to) }),
  };
  return Object.keys(range).length === 0 ? {} : { [field]: range };
}
