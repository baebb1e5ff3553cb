import { Injectable, type Type } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { UnitDocument } from '../catalogue/collections/unit.schema.js';
import type { DocumentDto } from '../catalogue/presenting/catalogue.dto.js';
import { present } from '../catalogue/presenting/present.js';
import { ReferenceCache } from '../catalogue/presenting/reference-cache.js';
import {
  AmenityDto,
  PhaseDto,
  PropertyTypeDto,
  UnitDesignDto,
} from '../catalogue/references/references.dto.js';
import {
  type ReferenceKind,
  ReferencesRepository,
} from '../catalogue/references/references.repository.js';
import { KeptParts } from '../catalogue/responses/kept-parts.js';
import { idOf, idsOf } from '../database/documents/stored-values.js';
import type { Language } from '../localization/language.js';
import { CompoundNameDto, type UnitDto, UnitFieldsDto, type UnitRow } from './unit.dto.js';

/** What the units of one response refer to. */
interface References {
  readonly compounds: ReferenceCache<CompoundNameDto>;
  readonly phases: ReferenceCache<PhaseDto>;
  readonly amenities: ReferenceCache<AmenityDto>;
  readonly propertyTypes: ReferenceCache<PropertyTypeDto>;
  readonly unitDesigns: ReferenceCache<UnitDesignDto>;
}

/** Presents units with what they refer to (rules UNIT-9 and UNIT-10). */
@Injectable()
export class UnitPresenter {
  constructor(
    private readonly references: ReferencesRepository,
    private readonly keptParts: KeptParts,
  ) {}

  async present(unit: UnitDocument, language: Language): Promise<UnitDto> {
    const reader = { organizationId: unit.organizationId, language };
    const [presented] = await this.presentAll(reader, [unit]);
    if (presented === undefined) throw new Error('A unit was lost while it was presented.');
    return presented;
  }

  /** Units that are shown together. */
  async presentAll(
    { organizationId, language }: { organizationId: Types.ObjectId; language: Language },
    units: readonly UnitDocument[],
  ): Promise<UnitDto[]> {
    return presentBatch(units, this.referencesOf(organizationId, language), language);
  }

  /** The units of one response, batch by batch; references are loaded once for many batches. */
  async *presentBatches(
    { organizationId, language }: { organizationId: Types.ObjectId; language: Language },
    batches: AsyncIterable<UnitDocument[]>,
  ): AsyncGenerator<UnitDto[], void> {
    const references = this.referencesOf(organizationId, language);
    for await (const units of batches) yield await presentBatch(units, references, language);
  }

  /** The units of a table, each with its compound. */
  async *presentRows(
    { organizationId, language }: { organizationId: Types.ObjectId; language: Language },
    batches: AsyncIterable<UnitDocument[]>,
  ): AsyncGenerator<UnitRow[], void> {
    const references = this.referencesOf(organizationId, language);
    for await (const units of batches) {
      const compounds = await references.compounds.find(units.map((unit) => unit.compoundId));
      const presented = await presentBatch(units, references, language);
      yield presented.map((unit) =>
        Object.assign(unit, { compound: compounds.get(unit.compoundId) ?? null }),
      );
    }
  }

  private referencesOf(organizationId: Types.ObjectId, language: Language): References {
    const shared = () => this.keptParts.of(organizationId);
    const cacheOf = <T extends DocumentDto>(kind: ReferenceKind, shape: Type<T>) =>
      new ReferenceCache<T>(`${kind} ${language}`, shared, async (ids) => {
        const documents = await this.references.findByIds(kind, organizationId, ids);
        return documents.map((document) => present(shape, document, language));
      });
    return {
      compounds: cacheOf('compounds', CompoundNameDto),
      phases: cacheOf('phases', PhaseDto),
      amenities: cacheOf('amenities', AmenityDto),
      propertyTypes: cacheOf('propertyTypes', PropertyTypeDto),
      unitDesigns: cacheOf('unitDesigns', UnitDesignDto),
    };
  }
}

/** The queries follow each other because a batch may be presented inside a transaction. */
async function presentBatch(
  units: readonly UnitDocument[],
  references: References,
  language: Language,
): Promise<UnitDto[]> {
  const phases = await references.phases.find(units.map((unit) => unit.locationId));
  const types = await references.propertyTypes.find(units.map((unit) => unit.propertyTypeId));
  const designs = await references.unitDesigns.find(units.map((unit) => unit.unitDesignId));
  const amenities = await references.amenities.find(units.flatMap((unit) => unit.amenitiesIds));
  return units.map((unit) =>
    Object.assign(present(UnitFieldsDto, unit, language), {
      amenities: idsOf(unit.amenitiesIds).flatMap((id) => amenities.get(id) ?? []),
      phase: phases.get(idOf(unit.locationId)) ?? null,
      type: types.get(idOf(unit.propertyTypeId)) ?? null,
      unitDesign: designs.get(idOf(unit.unitDesignId)) ?? null,
    }),
  );
}
