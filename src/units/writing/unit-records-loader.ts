import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { UnitDocument } from '../../catalogue/collections/unit-document.js';
import { CatalogueRepository } from '../../catalogue/catalogue.repository.js';
import { readOutsideTransaction } from '../../core/database/transactions/open-session.js';
import type { Loaded, LoadOptions } from '../../core/writes/write-kind.js';
import { UnitReservationsRepository } from '../../availability/unit-reservations.repository.js';
import { havingOneOf, UnitsRepository } from '../units.repository.js';
import { slugCandidates } from './slug.js';
import { slugTexts, type UnitRequest } from './unit-decision.js';
import { requestFields } from './unit-fields.js';
import { UnitRecords } from './unit-records.js';
import type { UpsertUnitDto } from '../unit.dto.js';

/** One query per kind, however many requests. */
@Injectable()
export class UnitRecordsLoader {
  constructor(
    private readonly units: UnitsRepository,
    private readonly catalogue: CatalogueRepository,
    private readonly reservations: UnitReservationsRepository,
  ) {}

  async load(
    requests: readonly UnitRequest[],
    { organizationId, now }: LoadOptions,
  ): Promise<Loaded<UnitRecords>> {
    const inputs = requests.map(({ input }) => input);
    // In parallel with the transaction: requests only need to know that these names exist.
    const named = readOutsideTransaction(() => this.named(organizationId, inputs));
    const slugs = sent(inputs, 'compound');
    const compounds = await this.catalogue.idsBySlugs('compounds', organizationId, slugs);
    const units = await this.candidates(organizationId, inputs, [...compounds.values()]);
    const parentIds = [...compounds.values(), ...units.flatMap((unit) => unit.compoundId ?? [])];
    const phaseSlugs = sent(inputs, 'phase');
    const phases = await this.catalogue.phasesBySlugs(organizationId, phaseSlugs, parentIds);
    const sendsStatus = inputs.some(({ status }) => status !== undefined);
    const reservations = sendsStatus
      ? await this.reservations.statusesByUnit(
          organizationId,
          units.map(({ _id }) => _id),
        )
      : new Map<string, string[]>();
    const usedSlugs = await this.usedSlugs(organizationId, requests, units);
    const loaded = { organizationId, now, units, compounds, phases, reservations, usedSlugs };
    return {
      records: new UnitRecords({ ...loaded, ...(await named) }),
      count: requests.length,
    };
  }

  private async named(organizationId: Types.ObjectId, inputs: readonly UpsertUnitDto[]) {
    const idsOf = async (kind: 'propertyTypes' | 'amenities', names: readonly string[]) => {
      const found = await this.catalogue.idsByNames(kind, organizationId, names);
      return new Map(names.map((name, index) => [name, found[index]?.[0]]));
    };
    const designs = sent(inputs, 'unitDesign');
    const [propertyTypes, amenities, unitDesigns] = await Promise.all([
      idsOf('propertyTypes', sent(inputs, 'propertyType')),
      idsOf('amenities', sent(inputs, 'amenities')),
      this.catalogue.idsBySlugs('unitDesigns', organizationId, designs),
    ]);
    return { propertyTypes, amenities, unitDesigns };
  }

  /** Units that requests may identify, or whose ids they may take. */
  private async candidates(
    organizationId: Types.ObjectId,
    inputs: readonly UpsertUnitDto[],
    compoundIds: readonly Types.ObjectId[],
  ): Promise<UnitDocument[]> {
    const recorded = await this.units.findAny(
      organizationId,
      havingOneOf('recordSystemId', sent(inputs, 'recordSystemId')),
    );
    const withoutCompound = inputs.filter(({ compound }) => compound === undefined);
    const unitIds = [...sent(inputs, 'unitId'), ...recorded.flatMap(({ unitId }) => unitId ?? [])];
    const parents = [...compoundIds, ...recorded.flatMap(({ compoundId }) => compoundId ?? [])];
    const others = await this.units.findAny(organizationId, [
      ...havingOneOf('unitId', unitIds).map((filter) => ({
        ...filter,
        compoundId: { $in: parents },
      })),
      ...havingOneOf('unitId', sent(withoutCompound, 'unitId')),
    ]);
    return [...recorded, ...others];
  }

  private async usedSlugs(
    organizationId: Types.ObjectId,
    requests: readonly UnitRequest[],
    units: readonly UnitDocument[],
  ): Promise<string[]> {
    // A single request updates the unit that it meets, or is refused.
    if (requests.length === 1 && units.length > 0) return [];
    const candidates = requests.flatMap(({ input, caller: { language } }) =>
      input.compound === undefined
        ? []
        : slugCandidates(slugTexts(requestFields(input, null, language)), ''),
    );
    return this.units.usedSlugs(organizationId, candidates);
  }
}

function sent(
  inputs: readonly UpsertUnitDto[],
  field:
    | 'recordSystemId'
    | 'unitId'
    | 'compound'
    | 'phase'
    | 'propertyType'
    | 'unitDesign'
    | 'amenities',
): string[] {
  return [...new Set(inputs.flatMap((input) => input[field] ?? []))];
}
