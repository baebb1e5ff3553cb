import { Injectable } from '@nestjs/common';
import { objectIds } from '../../core/database/documents/tenant-document.js';
import type { Types } from 'mongoose';
import { isMisspelledStatus } from '../unit-status.js';
import { UnitReservationsRepository } from '../../reservations/unit-reservations.repository.js';
import { CatalogueRepository } from '../../catalogue/catalogue.repository.js';
import type { UnitDocument } from '../../catalogue/collections/unit-document.js';
import { readOutsideTransaction } from '../../core/database/transactions/sessions.js';
import type { Caller } from '../../tenants/keys/caller.js';
import { fieldInFilters, UnitLookupService } from '../reading/unit-lookup.service.js';
import type { UpsertUnitDto } from '../unit.dto.js';
import { requestedUnitFields, slugCandidates, slugTexts } from './unit-fields.js';
import { type IdsByName, UnitWorkingSet } from './unit-working-set.js';

/** Reads what the decision about a unit needs (rule UNIT-1). */
@Injectable()
export class UnitWorkingSetLoader {
  constructor(
    private readonly units: UnitLookupService,
    private readonly catalogue: CatalogueRepository,
    private readonly reservations: UnitReservationsRepository,
  ) {}

  async load(caller: Caller, input: UpsertUnitDto, now: Date): Promise<UnitWorkingSet> {
    const { organizationId } = caller;
    // These reads run in parallel with the transaction: the request only needs to know that the names exist.
    const named = readOutsideTransaction(() => this.resolveNames(organizationId, input));
    const slugs = asList(input.compound);
    const compounds = await this.catalogue.idsBySlugs('compounds', organizationId, slugs);
    const units = await this.findCandidates(organizationId, input, compounds);
    const phases = await this.catalogue.phasesBySlugs(organizationId, asList(input.phase));
    const decidesStatus =
      input.status !== undefined || units.some(({ status }) => isMisspelledStatus(status));
    const reservations = await this.reservations.statusesByUnit(
      organizationId,
      decidesStatus ? units.map(({ _id }) => _id) : [],
    );
    const usedSlugs = await this.findUsedSlugs(caller, input, units);
    const loaded = { organizationId, now, units, compounds, phases, reservations, usedSlugs };
    return new UnitWorkingSet({ ...loaded, ...(await named) });
  }

  private async resolveNames(organizationId: Types.ObjectId, input: UpsertUnitDto) {
    const idsOf = async (kind: 'propertyTypes' | 'amenities', names: readonly string[]) => {
      const found = await this.catalogue.idsByNames(kind, organizationId, names);
      return new Map(names.map((name, index) => [name, found[index]?.[0]]));
    };
    const [propertyTypes, amenities, unitDesigns] = await Promise.all([
      idsOf('propertyTypes', asList(input.propertyType)),
      idsOf('amenities', asList(input.amenities)),
      this.catalogue.idsBySlugs('unitDesigns', organizationId, asList(input.unitDesign)),
    ]);
    return { propertyTypes, amenities, unitDesigns };
  }

  /** Includes units whose ids the request may take. */
  private async findCandidates(
    organizationId: Types.ObjectId,
    { recordSystemId, unitId, compound }: UpsertUnitDto,
    compounds: IdsByName,
  ): Promise<UnitDocument[]> {
    const recorded = await this.units.findAny(
      organizationId,
      fieldInFilters('recordSystemId', asList(recordSystemId)),
    );
    const unitIds = [...asList(unitId), ...recorded.flatMap((unit) => unit.unitId ?? [])];
    const parents = [
      ...[...compounds.values()].flatMap((id) => id ?? []),
      ...objectIds(recorded.map(({ compoundId }) => compoundId)),
    ];
    const others = await this.units.findAny(organizationId, [
      ...fieldInFilters('unitId', unitIds).map((filter) => ({
        ...filter,
        compoundId: { $in: parents },
      })),
      ...fieldInFilters('unitId', compound === undefined ? asList(unitId) : []),
    ]);
    return [...recorded, ...others];
  }

  private async findUsedSlugs(
    { organizationId, language }: Caller,
    input: UpsertUnitDto,
    units: readonly UnitDocument[],
  ): Promise<string[]> {
    // A request with a match creates no unit, so it needs no slug.
    if (units.length > 0 || input.compound === undefined) return [];
    const candidates = slugCandidates(slugTexts(requestedUnitFields(input, null, language)), '');
    const used = await this.catalogue.findBySlugs('units', organizationId, candidates, ['slug']);
    return used.flatMap(({ slug }) => slug ?? []);
  }
}

function asList(names: string | readonly string[] | null | undefined): string[] {
  return [...new Set([names ?? []].flat())];
}
