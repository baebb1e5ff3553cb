import { Injectable, type Type } from '@nestjs/common';
import { Types } from 'mongoose';
import { AmenityDocument } from '../catalogue/collections/amenity.schema.js';
import type { CatalogueDocument } from '../catalogue/collections/catalogue-document.js';
import { PhaseDocument } from '../catalogue/collections/phase.schema.js';
import { PropertyTypeDocument } from '../catalogue/collections/property-type.schema.js';
import { UnitDesignDocument } from '../catalogue/collections/unit-design.schema.js';
import { UnitDocument } from '../catalogue/collections/unit-document.js';
import { present, type ReferenceKind } from '../catalogue/fields/declared-fields.js';
import type { Shown } from '../catalogue/fields/declared-fields.js';
import { ReferencesRepository } from '../catalogue/references/references.repository.js';
import { FreshCache } from '../core/cache/fresh-cache.js';
import { hexOf, listOf } from '../core/database/documents/stored-values.js';
import type { Language } from '../core/localization/language.js';
import type { UnitBatches } from './units.repository.js';
import { CompoundName, type UnitDto, type UnitRow } from './unit.dto.js';

/** How the documents that units refer to are shown. */
const shapes = {
  compounds: CompoundName,
  phases: PhaseDocument,
  amenities: AmenityDocument,
  propertyTypes: PropertyTypeDocument,
  unitDesigns: UnitDesignDocument,
} as const satisfies Record<ReferenceKind, Type<CatalogueDocument>>;

type ShownAs<Kind extends ReferenceKind> = Shown<InstanceType<(typeof shapes)[Kind]>>;

/** Finds documents by their ids, each loaded once for one response. */
type Find<T> = (ids: readonly string[]) => Promise<ReadonlyMap<string, T | undefined>>;

/** The documents that the units of one response refer to. */
type References = { readonly [Kind in ReferenceKind]: Find<ShownAs<Kind>> };

/** With more documents of a kind, a large response loads them again. */
const mostReferences = 1_000;

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
    private readonly cache: FreshCache,
  ) {}

  async present(unit: UnitDocument, language: Language): Promise<UnitDto> {
    const reader = { organizationId: unit.organizationId, language };
    const [presented] = await this.presentAll(reader, [unit]);
    if (presented === undefined) throw new Error('A unit was lost while it was presented.');
    return presented;
  }

  /** Units that are shown together. */
  async presentAll(reader: Reader, units: readonly UnitDocument[]): Promise<UnitDto[]> {
    return presentBatch(units, this.referencesFor(reader), reader.language);
  }

  /** The units of one response, batch by batch; references are loaded once for many batches. */
  async *presentBatches(reader: Reader, batches: UnitBatches): AsyncGenerator<UnitDto[], void> {
    const references = this.referencesFor(reader);
    for await (const units of batches) {
      yield await presentBatch(units, references, reader.language);
    }
  }

  /** The units of a table, each with its compound. */
  async *presentRows(reader: Reader, batches: UnitBatches): AsyncGenerator<UnitRow[], void> {
    const references = this.referencesFor(reader);
    for await (const units of batches) {
      const compounds = await references.compounds(
        units.map(({ compoundId }) => hexOf(compoundId)),
      );
      const presented = await presentBatch(units, references, reader.language);
      yield presented.map((unit) =>
        Object.assign(unit, { compound: compounds.get(unit.compoundId ?? '') ?? null }),
      );
    }
  }

  private referencesFor({ organizationId, language }: Reader): References {
    const finder = <Kind extends ReferenceKind>(kind: Kind): Find<ShownAs<Kind>> => {
      const shape: Type<CatalogueDocument> = shapes[kind];
      const load = async (ids: readonly string[]) => {
        const objectIds = ids.map((id) => new Types.ObjectId(id));
        const documents = await this.references.findByIds(kind, organizationId, objectIds);
        const shown = documents.map((document) => present(shape, document, language));
        return new Map(
          documents.map(({ _id }, index) => [_id.toHexString(), shown[index] as ShownAs<Kind>]),
        );
      };
      const known = new Map<string, ShownAs<Kind> | undefined>();
      return async (ids) => {
        if (known.size > mostReferences) known.clear();
        const missing = [...new Set(ids)].filter((id) => id !== '' && !known.has(id));
        if (missing.length === 0) return known;
        const found = await this.cache.getAll(organizationId, `${kind} ${language}`, missing, load);
        for (const id of missing) known.set(id, found.get(id));
        return known;
      };
    };
    return {
      compounds: finder('compounds'),
      phases: finder('phases'),
      amenities: finder('amenities'),
      propertyTypes: finder('propertyTypes'),
      unitDesigns: finder('unitDesigns'),
    };
  }
}

/**
 * Presents units with what they refer to.
 *
 * The queries follow each other because a batch may be presented inside a transaction.
 */
async function presentBatch(
  units: readonly UnitDocument[],
  references: References,
  language: Language,
): Promise<UnitDto[]> {
  const rows = units.map((unit) => ({
    unit: present(UnitDocument, unit, language),
    amenityIds: listOf(unit.amenitiesIds).map(hexOf),
    phaseId: hexOf(unit.locationId),
    typeId: hexOf(unit.propertyTypeId),
    designId: hexOf(unit.unitDesignId),
  }));
  const phases = await references.phases(rows.map(({ phaseId }) => phaseId));
  const types = await references.propertyTypes(rows.map(({ typeId }) => typeId));
  const designs = await references.unitDesigns(rows.map(({ designId }) => designId));
  const amenities = await references.amenities(rows.flatMap(({ amenityIds }) => amenityIds));
  return rows.map(({ unit, amenityIds, phaseId, typeId, designId }) =>
    Object.assign(unit, {
      amenities: amenityIds.flatMap((id) => amenities.get(id) ?? []),
      phase: phases.get(phaseId) ?? null,
      type: types.get(typeId) ?? null,
      unitDesign: designs.get(designId) ?? null,
    }),
  );
}
