import { Injectable, type Type } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { UnitDocument } from '../catalogue/collections/unit.schema.js';
import type { DocumentDto } from '../catalogue/presenting/catalogue.dto.js';
import { present, writePresented } from '../catalogue/presenting/present.js';
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
import { FieldNames, type RawDocument } from '../core/database/documents/raw-document.js';
import { hexOf, listOf } from '../core/database/documents/stored-values.js';
import type { WriteItem } from '../core/http/lists/list-text.js';
import type { Language } from '../core/localization/language.js';
import type { UnitBatches } from './reading/grouped-order.js';
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

/** The ids of what one unit refers to; empty where it refers to nothing. */
interface ReferredIds {
  readonly amenities: readonly string[];
  readonly phase: string;
  readonly type: string;
  readonly unitDesign: string;
}

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

  /** Writes units that are shown together as JSON. */
  async writing(reader: Reader, units: readonly RawDocument<UnitDocument>[]): Promise<WriteItem[]> {
    return writingBatch(units, this.textsFor(reader), reader.language);
  }

  /** Writes the units of one response, batch by batch; references are loaded once for many batches. */
  async *writingBatches(reader: Reader, batches: UnitBatches): AsyncGenerator<WriteItem[], void> {
    const references = this.textsFor(reader);
    for await (const units of batches) {
      yield await writingBatch(units, references, reader.language);
    }
  }

  /** The units of a table, each with its compound. */
  async *presentRows(reader: Reader, batches: UnitBatches): AsyncGenerator<UnitRow[], void> {
    const references = this.objectsFor(reader);
    for await (const batch of batches) {
      const units = batch.map((unit) => unit.decoded());
      const compounds = await references.compounds.find(
        units.map(({ compoundId }) => hexOf(compoundId)),
      );
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
    return this.referencesFor<Texts>('json ', reader, (shape, stored, language) =>
      JSON.stringify(present(shape, stored, language)),
    );
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
  const referred = await loadReferred(units.map(referredIds), references);
  return units.map((unit, index) =>
    Object.assign(present(UnitFieldsDto, unit, language), referred[index]),
  );
}

async function writingBatch(
  units: readonly RawDocument<UnitDocument>[],
  references: References<Texts>,
  language: Language,
): Promise<WriteItem[]> {
  const referred = await loadReferred(units.map(referredIdsIn), references);
  return referred.map(({ amenities, phase, type, unitDesign }, index) => {
    const unit = units[index] as RawDocument<UnitDocument>;
    const rest = `,"amenities":[${amenities.join(',')}],"phase":${phase},"type":${type},"unitDesign":${unitDesign}`;
    return (json) => writePresented(json, UnitFieldsDto, unit, language, rest);
  });
}

function referredIds(unit: UnitDocument): ReferredIds {
  return {
    amenities: listOf(unit.amenitiesIds).map(hexOf),
    phase: hexOf(unit.locationId),
    type: hexOf(unit.propertyTypeId),
    unitDesign: hexOf(unit.unitDesignId),
  };
}

const referring = new FieldNames(['amenitiesIds', 'locationId', 'propertyTypeId', 'unitDesignId']);

function referredIdsIn({ bytes }: RawDocument<UnitDocument>): ReferredIds {
  const [amenities, phase, type, unitDesign] = referring.valuesIn(bytes);
  return {
    amenities: amenities.items()?.map((id) => id.hex()) ?? [],
    phase: phase.hex(),
    type: type.hex(),
    unitDesign: unitDesign.hex(),
  };
}

/**
 * Loads what units refer to.
 *
 * The queries follow each other because a batch may be presented inside a transaction.
 */
async function loadReferred<Form extends Objects | Texts>(
  units: readonly ReferredIds[],
  references: References<Form>,
): Promise<Referred<Form>[]> {
  const phases = await references.phases.find(units.map(({ phase }) => phase));
  const types = await references.propertyTypes.find(units.map(({ type }) => type));
  const designs = await references.unitDesigns.find(units.map(({ unitDesign }) => unitDesign));
  const amenities = await references.amenities.find(units.flatMap((unit) => unit.amenities));
  return units.map((unit) => ({
    amenities: unit.amenities.flatMap((id) => amenities.get(id) ?? []),
    phase: phases.get(unit.phase) ?? null,
    type: types.get(unit.type) ?? null,
    unitDesign: designs.get(unit.unitDesign) ?? null,
  }));
}
