import { Injectable, type Type } from '@nestjs/common';
import { Types } from 'mongoose';
import { CatalogueRepository } from '../catalogue/catalogue.repository.js';
import {
  AmenityDocument,
  PhaseDocument,
  PropertyTypeDocument,
  UnitDesignDocument,
} from '../catalogue/collections/unit-references.schema.js';
import type { CatalogueDocument } from '../catalogue/collections/catalogue-document.js';
import { UnitDocument } from '../catalogue/collections/unit-document.js';
import { present, type ReferenceKind, type Shown } from '../core/fields/declared-fields.js';
import { FreshCache } from '../core/cache/fresh-cache.js';
import { hexOf, listOf } from '../core/database/documents/stored-values.js';
import type { Language } from '../core/localization/language.js';
import { CompoundName, type UnitDto, type UnitRow } from './unit.dto.js';
import type { UnitBatches } from './units.repository.js';

const referenceClasses = {
  compounds: CompoundName,
  phases: PhaseDocument,
  amenities: AmenityDocument,
  propertyTypes: PropertyTypeDocument,
  unitDesigns: UnitDesignDocument,
} as const satisfies Record<ReferenceKind, Type<CatalogueDocument>>;

type ShownAs<Kind extends ReferenceKind> = Shown<InstanceType<(typeof referenceClasses)[Kind]>>;

type Find = <Kind extends ReferenceKind>(
  kind: Kind,
  ids: readonly unknown[],
) => Promise<(id: unknown) => ShownAs<Kind> | undefined>;

/** After this many documents of a kind, a large response loads them again. */
const maxReferences = 1_000;

interface Reader {
  readonly organizationId: Types.ObjectId;
  readonly language: Language;
}

@Injectable()
export class UnitPresenter {
  constructor(
    private readonly catalogue: CatalogueRepository,
    private readonly cache: FreshCache,
  ) {}

  async present(unit: UnitDocument, language: Language): Promise<UnitDto> {
    const reader = { organizationId: unit.organizationId, language };
    const [presented] = await this.presentAll(reader, [unit]);
    if (presented === undefined) throw new Error('A unit was lost while it was presented.');
    return presented;
  }

  async presentAll(reader: Reader, units: readonly UnitDocument[]): Promise<UnitDto[]> {
    return presentBatch(units, this.finder(reader), reader.language);
  }

  /** Batches share the documents that they refer to. */
  async *presentBatches(reader: Reader, batches: UnitBatches): AsyncGenerator<UnitDto[], void> {
    const find = this.finder(reader);
    for await (const units of batches) yield await presentBatch(units, find, reader.language);
  }

  async *presentRows(reader: Reader, batches: UnitBatches): AsyncGenerator<UnitRow[], void> {
    const find = this.finder(reader);
    for await (const units of batches) {
      const ids = units.map(({ compoundId }) => compoundId);
      const compoundOf = await find('compounds', ids);
      const presented = await presentBatch(units, find, reader.language);
      yield presented.map((unit, index) =>
        Object.assign(unit, { compound: compoundOf(ids[index]) ?? null }),
      );
    }
  }

  private finder({ organizationId, language }: Reader): Find {
    const known = new Map<ReferenceKind, Map<string, object | undefined>>();
    return async <Kind extends ReferenceKind>(kind: Kind, storedIds: readonly unknown[]) => {
      const shape: Type<CatalogueDocument> = referenceClasses[kind];
      const load = async (ids: readonly string[]) => {
        const objectIds = ids.map((id) => new Types.ObjectId(id));
        const documents = await this.catalogue.findByIds(kind, organizationId, objectIds);
        return new Map(
          documents.map((one) => [one._id.toHexString(), present(shape, one, language)]),
        );
      };
      const before = known.get(kind);
      const ofKind =
        before === undefined || before.size > maxReferences
          ? new Map<string, object | undefined>()
          : before;
      known.set(kind, ofKind);
      const missing = [...new Set(storedIds.map(hexOf))].filter(
        (id) => id !== '' && !ofKind.has(id),
      );
      if (missing.length > 0) {
        const key = `${kind} ${language}`;
        const found = await this.cache.getAll(organizationId, key, missing, load);
        for (const id of missing) ofKind.set(id, found.get(id));
      }
      return (id) => ofKind.get(hexOf(id)) as ShownAs<Kind> | undefined;
    };
  }
}

/** Sequential queries: a batch may be presented inside a transaction. */
async function presentBatch(
  units: readonly UnitDocument[],
  find: Find,
  language: Language,
): Promise<UnitDto[]> {
  const of = (field: keyof UnitDocument) => units.map((unit) => unit[field]);
  const phase = await find('phases', of('locationId'));
  const type = await find('propertyTypes', of('propertyTypeId'));
  const unitDesign = await find('unitDesigns', of('unitDesignId'));
  const amenity = await find('amenities', of('amenitiesIds').flatMap(listOf));
  return units.map((unit) =>
    Object.assign(present(UnitDocument, unit, language), {
      amenities: listOf(unit.amenitiesIds).flatMap((id) => amenity(id) ?? []),
      phase: phase(unit.locationId) ?? null,
      type: type(unit.propertyTypeId) ?? null,
      unitDesign: unitDesign(unit.unitDesignId) ?? null,
    }),
  );
}
