import { Injectable, type Type } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { UnitDocument } from '../catalogue/collections/unit.schema.js';
import type { DocumentDto } from '../catalogue/presenting/catalogue.dto.js';
import { listJson } from '../catalogue/presenting/json-texts.js';
import { present, presentedJson } from '../catalogue/presenting/present.js';
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

/** How the documents that units refer to are shown. */
const shapes = {
  compounds: CompoundNameDto,
  phases: PhaseDto,
  amenities: AmenityDto,
  propertyTypes: PropertyTypeDto,
  unitDesigns: UnitDesignDto,
} as const satisfies Record<ReferenceKind, Type<DocumentDto>>;

type Objects = { readonly [Kind in ReferenceKind]: InstanceType<(typeof shapes)[Kind]> };
type Texts = Readonly<Record<ReferenceKind, string>>;

/** What the units of one response refer to, as objects or as JSON. */
type References<Form extends Objects | Texts> = {
  readonly [Kind in ReferenceKind]: ReferenceCache<Form[Kind]>;
};

/** What one unit refers to. */
interface Referred<Form extends Objects | Texts> {
  readonly amenities: readonly Form['amenities'][];
  readonly phase: Form['phases'] | null;
  readonly type: Form['propertyTypes'] | null;
  readonly unitDesign: Form['unitDesigns'] | null;
}

/** Whose units are shown, and in which language. */
interface Reader {
  readonly organizationId: Types.ObjectId;
  readonly language: Language;
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
  async presentAll(reader: Reader, units: readonly UnitDocument[]): Promise<UnitDto[]> {
    return presentBatch(units, this.objectsFor(reader), reader.language);
  }

  /** The JSON of units that are shown together, each by itself. */
  async jsonOf(reader: Reader, units: readonly UnitDocument[]): Promise<string[]> {
    return jsonOfBatch(units, this.textsFor(reader), reader.language);
  }

  /** The JSON of the units of one response, batch by batch; references are loaded once for many batches. */
  async *jsonBatches(
    reader: Reader,
    batches: AsyncIterable<UnitDocument[]>,
  ): AsyncGenerator<string[], void> {
    const references = this.textsFor(reader);
    for await (const units of batches) yield await jsonOfBatch(units, references, reader.language);
  }

  /** The units of a table, each with its compound. */
  async *presentRows(
    reader: Reader,
    batches: AsyncIterable<UnitDocument[]>,
  ): AsyncGenerator<UnitRow[], void> {
    const references = this.objectsFor(reader);
    for await (const units of batches) {
      const compounds = await references.compounds.find(units.map((unit) => unit.compoundId));
      const presented = await presentBatch(units, references, reader.language);
      yield presented.map((unit) =>
        Object.assign(unit, { compound: compounds.get(unit.compoundId) ?? null }),
      );
    }
  }

  private objectsFor(reader: Reader): References<Objects> {
    return this.referencesFor<Objects>('', reader, present);
  }

  private textsFor(reader: Reader): References<Texts> {
    return this.referencesFor<Texts>('json ', reader, presentedJson);
  }

  private referencesFor<Form extends Objects | Texts>(
    prefix: string,
    { organizationId, language }: Reader,
    show: (shape: Type<DocumentDto>, stored: object, language: Language) => unknown,
  ): References<Form> {
    const shared = () => this.keptParts.of(organizationId);
    const cacheOf = <Kind extends ReferenceKind>(kind: Kind) =>
      new ReferenceCache<Form[Kind]>(`${prefix}${kind} ${language}`, shared, async (ids) => {
        const documents = await this.references.findByIds(kind, organizationId, ids);
        return documents.map((document) => [
          document._id.toHexString(),
          show(shapes[kind], document, language) as Form[Kind],
        ]);
      });
    return {
      compounds: cacheOf('compounds'),
      phases: cacheOf('phases'),
      amenities: cacheOf('amenities'),
      propertyTypes: cacheOf('propertyTypes'),
      unitDesigns: cacheOf('unitDesigns'),
    };
  }
}

async function presentBatch(
  units: readonly UnitDocument[],
  references: References<Objects>,
  language: Language,
): Promise<UnitDto[]> {
  const referredOf = await loadReferred(units, references);
  return units.map((unit) =>
    Object.assign(present(UnitFieldsDto, unit, language), referredOf(unit)),
  );
}

async function jsonOfBatch(
  units: readonly UnitDocument[],
  references: References<Texts>,
  language: Language,
): Promise<string[]> {
  const referredOf = await loadReferred(units, references);
  return units.map((unit) => {
    const { amenities, phase, type, unitDesign } = referredOf(unit);
    const rest = `,"amenities":${listJson(amenities)},"phase":${phase},"type":${type},"unitDesign":${unitDesign}`;
    return presentedJson(UnitFieldsDto, unit, language, rest);
  });
}

/**
 * Loads what units refer to.
 *
 * The queries follow each other because a batch may be presented inside a transaction.
 */
async function loadReferred<Form extends Objects | Texts>(
  units: readonly UnitDocument[],
  references: References<Form>,
): Promise<(unit: UnitDocument) => Referred<Form>> {
  const phases = await references.phases.find(units.map((unit) => unit.locationId));
  const types = await references.propertyTypes.find(units.map((unit) => unit.propertyTypeId));
  const designs = await references.unitDesigns.find(units.map((unit) => unit.unitDesignId));
  const amenities = await references.amenities.find(units.flatMap((unit) => unit.amenitiesIds));
  return (unit) => ({
    amenities: idsOf(unit.amenitiesIds).flatMap((id) => amenities.get(id) ?? []),
    phase: phases.get(idOf(unit.locationId)) ?? null,
    type: types.get(idOf(unit.propertyTypeId)) ?? null,
    unitDesign: designs.get(idOf(unit.unitDesignId)) ?? null,
  });
}
