import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { UnitDocument } from '../../catalogue/collections/unit-document.js';
import { CatalogueRepository } from '../../catalogue/catalogue.repository.js';
import { readOutsideTransaction } from '../../core/database/transactions/sessions.js';
import type {
  DecidedRequest,
  LoadedRecords,
  LoadOptions,
} from '../../core/writes/write-handler.js';
import { isMisspelledStatus } from '../../availability/availability.js';
import { UnitReservationsRepository } from '../../availability/unit-reservations.repository.js';
import { fieldInFilters, UnitLookupService } from '../reading/unit-lookup.service.js';
import { requestedUnitFields, slugCandidates, slugTexts } from './unit-fields.js';
import { DomainError } from '../../core/http/errors/domain-error.js';
import { type UpsertResponse, upsertResponse } from '../../core/http/reference/endpoint.js';
import { GroupCommit } from '../../core/writes/group-commit.js';
import { WriteServices } from '../../core/writes/group-transaction.js';
import type { Caller } from '../../tenants/keys/caller.js';
import { unitErrors } from '../unit-errors.js';
import type { UnitDto, UnitUpsertResponseDto, UpsertUnitDto } from '../unit.dto.js';
import { UnitPresenter } from '../unit.presenter.js';
import { decideUnit, type UnitDecision, type UnitRequest } from './unit-decision.js';
import { UnitWritesService } from './unit-writes.service.js';
import { UnitRecords } from './unit-records.js';

type UnitResponse = UpsertResponse<UnitUpsertResponseDto>;

/** Concurrent requests of an organization share transactions: one each would limit the rate (rule UNIT-1). */
@Injectable()
export class UnitUpsertsService {
  private readonly commit: GroupCommit<UnitRequest, UnitRecords, UnitDecision, UnitResponse>;

  constructor(
    services: WriteServices,
    writes: UnitWritesService,
    private readonly presenter: UnitPresenter,
    private readonly units: UnitLookupService,
    private readonly catalogue: CatalogueRepository,
    private readonly reservations: UnitReservationsRepository,
  ) {
    this.commit = new GroupCommit(services, {
      name: 'unit',
      load: (requests, options) => this.load(requests, options),
      decide: decideUnit,
      store: ({ changes, loaded: { organizationId, now } }) =>
        writes.store(organizationId, changes, now),
      respond: (decided) => this.respond(decided),
    });
  }

  /** @throws DomainError 400 for an unknown name or ambiguous ids, 404 if there is no unit to retire */
  async upsert(caller: Caller, input: UpsertUnitDto): Promise<UnitResponse> {
    if (input.recordSystemId === undefined && input.unitId === undefined) {
      throw new DomainError(unitErrors.idRequired);
    }
    return this.commit.submit({ caller, input }, input);
  }

  /** Makes one query per kind, however many requests there are. */
  private async load(
    requests: readonly UnitRequest[],
    { organizationId, now }: LoadOptions,
  ): Promise<LoadedRecords<UnitRecords>> {
    const inputs = requests.map(({ input }) => input);
    // These reads run in parallel with the transaction: requests only need to know that the names exist.
    const named = readOutsideTransaction(() => this.resolveNames(organizationId, inputs));
    const slugs = distinctValues(inputs, 'compound');
    const compounds = await this.catalogue.idsBySlugs('compounds', organizationId, slugs);
    const units = await this.findCandidates(organizationId, inputs, [...compounds.values()]);
    const phaseSlugs = distinctValues(inputs, 'phase');
    const phases = await this.catalogue.phasesBySlugs(organizationId, phaseSlugs);
    const decidesStatus =
      inputs.some(({ status }) => status !== undefined) ||
      units.some(({ status }) => isMisspelledStatus(status));
    const reservations = decidesStatus
      ? await this.reservations.statusesByUnit(
          organizationId,
          units.map(({ _id }) => _id),
        )
      : new Map<string, string[]>();
    const usedSlugs = await this.findUsedSlugs(organizationId, requests, units);
    const loaded = { organizationId, now, units, compounds, phases, reservations, usedSlugs };
    return {
      records: new UnitRecords({ ...loaded, ...(await named) }),
      count: requests.length,
    };
  }

  private async resolveNames(organizationId: Types.ObjectId, inputs: readonly UpsertUnitDto[]) {
    const idsOf = async (kind: 'propertyTypes' | 'amenities', names: readonly string[]) => {
      const found = await this.catalogue.idsByNames(kind, organizationId, names);
      return new Map(names.map((name, index) => [name, found[index]?.[0]]));
    };
    const designs = distinctValues(inputs, 'unitDesign');
    const [propertyTypes, amenities, unitDesigns] = await Promise.all([
      idsOf('propertyTypes', distinctValues(inputs, 'propertyType')),
      idsOf('amenities', distinctValues(inputs, 'amenities')),
      this.catalogue.idsBySlugs('unitDesigns', organizationId, designs),
    ]);
    return { propertyTypes, amenities, unitDesigns };
  }

  /** Includes units whose ids the requests may take. */
  private async findCandidates(
    organizationId: Types.ObjectId,
    inputs: readonly UpsertUnitDto[],
    compoundIds: readonly Types.ObjectId[],
  ): Promise<UnitDocument[]> {
    const recorded = await this.units.findAny(
      organizationId,
      fieldInFilters('recordSystemId', distinctValues(inputs, 'recordSystemId')),
    );
    const withoutCompound = inputs.filter(({ compound }) => compound === undefined);
    const unitIds = [
      ...distinctValues(inputs, 'unitId'),
      ...recorded.flatMap(({ unitId }) => unitId ?? []),
    ];
    const parents = [...compoundIds, ...recorded.flatMap(({ compoundId }) => compoundId ?? [])];
    const others = await this.units.findAny(organizationId, [
      ...fieldInFilters('unitId', unitIds).map((filter) => ({
        ...filter,
        compoundId: { $in: parents },
      })),
      ...fieldInFilters('unitId', distinctValues(withoutCompound, 'unitId')),
    ]);
    return [...recorded, ...others];
  }

  private async findUsedSlugs(
    organizationId: Types.ObjectId,
    requests: readonly UnitRequest[],
    units: readonly UnitDocument[],
  ): Promise<string[]> {
    // A single request with a match creates no unit, so it needs no slug.
    if (requests.length === 1 && units.length > 0) return [];
    const candidates = requests.flatMap(({ input, caller: { language } }) =>
      input.compound === undefined
        ? []
        : slugCandidates(slugTexts(requestedUnitFields(input, null, language)), ''),
    );
    const options = { fields: ['slug'] } as const;
    const used = await this.catalogue.findBySlugs('units', organizationId, candidates, options);
    return used.flatMap(({ slug }) => slug ?? []);
  }

  /** Presents units of one language together: one query per kind. */
  private async respond(
    decided: readonly DecidedRequest<UnitRequest, UnitDecision>[],
  ): Promise<UnitResponse[]> {
    const responses = new Map<UnitDecision, UnitResponse>();
    const byLanguage = Map.groupBy(decided, ({ request }) => request.caller.language);
    for (const [language, ofLanguage] of byLanguage) {
      const units = ofLanguage.map(({ decision }) => decision.unit);
      const { organizationId } = units[0] as UnitDocument;
      const presented = await this.presenter.presentAll({ organizationId, language }, units);
      for (const [index, { decision }] of ofLanguage.entries()) {
        const unit = presented[index] as UnitDto;
        responses.set(decision, upsertResponse(decision.operation, { unit }));
      }
    }
    return decided.map(({ decision }) => responses.get(decision) as UnitResponse);
  }
}

function distinctValues(
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
