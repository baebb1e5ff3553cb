import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { UnitDocument } from '../../catalogue/collections/unit-document.js';
import { ReferencesRepository } from '../../catalogue/references/references.repository.js';
import { readOutsideTransaction } from '../../core/database/transactions/open-session.js';
import type { Loaded, LoadOptions } from '../../core/writes/write-kind.js';
import { UnitReservationsRepository } from '../../availability/unit-reservations.repository.js';
import { havingOneOf, UnitsRepository } from '../units.repository.js';
import { slugCandidates } from './slug.js';
import { slugTexts, type UnitRequest } from './unit-decision.js';
import { requestFields } from './unit-merge.js';
import { UnitRecords } from './unit-records.js';
import type { UpsertUnitDto } from './upsert-unit.dto.js';

/** Reads all that requests about units may touch, in one query of a kind. */
@Injectable()
export class UnitRecordsLoader {
  constructor(
    private readonly units: UnitsRepository,
    private readonly references: ReferencesRepository,
    private readonly reservations: UnitReservationsRepository,
  ) {}

  async load(
    requests: readonly UnitRequest[],
    { organizationId, now }: LoadOptions<UnitRecords>,
  ): Promise<Loaded<UnitRecords>> {
    const inputs = requests.map(({ input }) => input);
    // The catalogue is read beside the transaction, as by readers of lists.
    const catalogue = readOutsideTransaction(() => this.catalogue(organizationId, inputs));
    const compounds = await this.references.idsBySlugs(
      'compounds',
      organizationId,
      inputs.flatMap(({ compound }) => compound ?? []),
    );
    const units = await this.candidates(organizationId, inputs, [...compounds.values()]);
    const parentIds = [...compounds.values(), ...units.flatMap((unit) => unit.compoundId ?? [])];
    const phases = await this.references.phasesBySlugs(
      organizationId,
      parentIds,
      inputs.flatMap(({ phase }) => phase ?? []),
    );
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
      records: new UnitRecords({ ...loaded, ...(await catalogue) }),
      count: requests.length,
    };
  }

  /** What the names of types, designs and amenities mean. */
  private async catalogue(organizationId: Types.ObjectId, inputs: readonly UpsertUnitDto[]) {
    const { references } = this;
    const types = distinct(inputs.flatMap(({ propertyType }) => propertyType ?? []));
    const amenities = distinct(inputs.flatMap((input) => input.amenities ?? []));
    const designs = inputs.flatMap(({ unitDesign }) => unitDesign ?? []);
    const [typeIds, amenityIds, unitDesigns] = await Promise.all([
      types.length === 0 ? [] : references.propertyTypeIdsByNames(organizationId, types),
      amenities.length === 0 ? [] : references.amenityIdsByNames(organizationId, amenities),
      references.idsBySlugs('unitDesigns', organizationId, designs),
    ]);
    return {
      propertyTypes: firstIds(types, typeIds),
      amenities: firstIds(amenities, amenityIds),
      unitDesigns,
    };
  }

  /** Units that may be meant, or that may have an id that a request gives to another one. */
  private async candidates(
    organizationId: Types.ObjectId,
    inputs: readonly UpsertUnitDto[],
    compoundIds: readonly Types.ObjectId[],
  ): Promise<UnitDocument[]> {
    const recordSystemIds = inputs.flatMap((input) => input.recordSystemId ?? []);
    const recorded = await this.units.findAny(
      organizationId,
      havingOneOf('recordSystemId', recordSystemIds),
    );
    const sent = inputs.flatMap(({ unitId }) => unitId ?? []);
    const anywhere = inputs.flatMap(({ unitId, compound }) =>
      compound === undefined && unitId !== undefined ? unitId : [],
    );
    const unitIds = [...sent, ...recorded.flatMap(({ unitId }) => unitId ?? [])];
    const parents = [...compoundIds, ...recorded.flatMap(({ compoundId }) => compoundId ?? [])];
    const others = await this.units.findAny(organizationId, [
      ...havingOneOf('unitId', unitIds).map((filter) => ({
        ...filter,
        compoundId: { $in: parents },
      })),
      ...havingOneOf('unitId', anywhere),
    ]);
    return [...recorded, ...others];
  }

  /** The slugs of units among those that new units may get. */
  private async usedSlugs(
    organizationId: Types.ObjectId,
    requests: readonly UnitRequest[],
    units: readonly UnitDocument[],
  ): Promise<string[]> {
    // A request that is alone and meets a unit updates it, or is refused.
    if (requests.length === 1 && units.length > 0) return [];
    const candidates = requests.flatMap(({ input, caller: { language } }) =>
      input.compound === undefined
        ? []
        : slugCandidates(slugTexts(requestFields(input, null, language)), ''),
    );
    if (candidates.length === 0) return [];
    return this.units.usedSlugs(organizationId, distinct(candidates));
  }
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

/** For each name the first document that has it. */
function firstIds(
  names: readonly string[],
  found: readonly (readonly Types.ObjectId[])[],
): ReadonlyMap<string, Types.ObjectId> {
  return new Map(
    names.flatMap((name, index) => {
      const id = found[index]?.[0];
      return id === undefined ? [] : [[name, id] as const];
    }),
  );
}
