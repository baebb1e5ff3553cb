import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { CompoundsService } from '../../compounds/compounds.service.js';
import { PhasesService } from '../../catalogue/references/phases.service.js';
import type { UnitFiltersQuery } from './units.query.js';
import { UnitNamesService } from '../writing/unit-names.service.js';
import type { NumberRange, UnitSearch } from './unit-search.js';

/** Turns the parameters of a request into a search: names and slugs become ids. */
@Injectable()
export class UnitFiltersService {
  constructor(
    private readonly compounds: CompoundsService,
    private readonly phases: PhasesService,
    private readonly names: UnitNamesService,
  ) {}

  /** The search that checked parameters mean; a name that nothing bears matches nothing. */
  async searchOf(organizationId: Types.ObjectId, query: UnitFiltersQuery): Promise<UnitSearch> {
    return {
      ...listed('statuses', query.status),
      ...listed('rentalStatuses', query.rentalStatus),
      ...listed('saleTypes', query.saleType),
      ...listed('unitIds', query.unitId),
      ...listed('recordSystemIds', query.recordSystemId),
      ...(await this.references(organizationId, query)),
      price: range(query.minPrice, query.maxPrice),
      bua: range(query.minBua, query.maxBua),
      beds: range(query.minBeds, query.maxBeds),
      ...(query.updatedSince === undefined ? {} : { updatedSince: query.updatedSince }),
      includesDeleted: query.includeDeleted === '1',
    };
  }

  private async references(
    organizationId: Types.ObjectId,
    { compound, phase, propertyType, unitDesign, amenities }: UnitFiltersQuery,
  ): Promise<Partial<UnitSearch>> {
    const { compounds, phases, names } = this;
    const [compoundIds, phaseIds, propertyTypeIds, unitDesignIds, amenityIds] = await Promise.all([
      ifSent(compound, (slugs) => compounds.idsBySlugs(organizationId, slugs)),
      ifSent(phase, (slugs) => phases.idsBySlugs(organizationId, slugs)),
      ifSent(propertyType, (sent) => names.propertyTypes(organizationId, sent)),
      ifSent(unitDesign, (slugs) => names.unitDesigns(organizationId, slugs)),
      ifSent(amenities, (sent) => names.amenities(organizationId, sent)),
    ]);
    return {
      ...(compoundIds && { compoundIds }),
      ...(phaseIds && { phaseIds }),
      ...(propertyTypeIds && { propertyTypeIds: propertyTypeIds.flat() }),
      ...(unitDesignIds && { unitDesignIds }),
      ...(amenityIds && { amenities: amenityIds }),
    };
  }
}

/** The order that a request asks for: what changed is listed in the order of its changes. */
export function sortOf({ sort, updatedSince }: UnitFiltersQuery): string[] {
  const fallback = updatedSince === undefined ? '-createdAt' : 'updatedAt';
  return (sort ?? fallback).split(',');
}

async function ifSent<T>(
  text: string | undefined,
  find: (items: readonly string[]) => Promise<T>,
): Promise<T | undefined> {
  return text === undefined ? undefined : find(text.split(','));
}

function listed(field: keyof UnitSearch, text: string | undefined): Partial<UnitSearch> {
  return text === undefined ? {} : { [field]: text.split(',') };
}

function range(from: string | undefined, to: string | undefined): NumberRange {
  return {
    ...(from === undefined ? {} : { from: Number(from) }),
    ...(to === undefined ? {} : { to: Number(to) }),
  };
}
