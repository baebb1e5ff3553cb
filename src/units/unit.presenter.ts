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
import type { ReferenceKind } from '../catalogue/references.js';
import { type HiddenParts, removedItem } from '../catalogue/visibility/hidden-parts.js';
import { present } from '../core/fields/declared-fields.js';
import { asHexId, asList } from '../core/database/documents/stored-values.js';
import type { Language } from '../core/localization/language.js';
import { CompoundName, type ListedUnit, type UnitDto, type UnitRow } from './unit.dto.js';

export type UnitBatches = AsyncGenerator<UnitDocument[], void>;

const referenceClasses: Readonly<Record<ReferenceKind, Type<CatalogueDocument>>> = {
  compounds: CompoundName,
  phases: PhaseDocument,
  amenities: AmenityDocument,
  propertyTypes: PropertyTypeDocument,
  unitDesigns: UnitDesignDocument,
};

/** Limits memory: beyond this number of one kind, a large response loads its documents again. */
const maxReferences = 1_000;

type Find = (
  kind: ReferenceKind,
  ids: readonly unknown[],
) => Promise<(id: unknown) => object | undefined>;

export interface UnitReader {
  readonly organizationId: Types.ObjectId;
  readonly language: Language;
  /** Parts that the reader must not see, if any. */
  readonly hidden?: HiddenParts | null;
}

@Injectable()
export class UnitPresenter {
  constructor(private readonly catalogue: CatalogueRepository) {}

  async present(reader: UnitReader, unit: UnitDocument): Promise<UnitDto> {
    const [presented] = await this.presentAll(reader, [unit]);
    return presented as UnitDto;
  }

  async presentAll(reader: UnitReader, units: readonly UnitDocument[]): Promise<ListedUnit[]> {
    return presentBatch(units, this.finder(reader), reader);
  }

  /** Batches share documents to which they refer. */
  async *presentBatches(
    reader: UnitReader,
    batches: UnitBatches,
  ): AsyncGenerator<ListedUnit[], void> {
    const find = this.finder(reader);
    for await (const units of batches) yield await presentBatch(units, find, reader);
  }

  /** A removed unit fills only its own columns. */
  async *presentRows(
    reader: UnitReader,
    batches: UnitBatches,
  ): AsyncGenerator<Partial<UnitRow>[], void> {
    const find = this.finder(reader);
    for await (const units of batches) {
      const ids = units.map(({ compoundId }) => compoundId);
      const compound = await find('compounds', ids);
      const presented = await presentBatch(units, find, reader);
      yield presented.map((unit, index) =>
        isHidden(reader, units[index])
          ? unit
          : Object.assign(unit, {
              compound: (compound(ids[index]) ?? null) as UnitRow['compound'],
            }),
      );
    }
  }

  private finder({ organizationId, language, hidden }: UnitReader): Find {
    const known = new Map<ReferenceKind, Map<string, object | undefined>>();
    return async (kind, storedIds) => {
      const before = known.get(kind);
      const isFull = before === undefined || before.size > maxReferences;
      const shown = isFull ? new Map<string, object | undefined>() : before;
      known.set(kind, shown);
      const missing = [...new Set(storedIds.map(asHexId))].filter((id) => id && !shown.has(id));
      const load = async (ids: readonly string[]) => {
        const objectIds = ids.map((id) => new Types.ObjectId(id));
        const documents = await this.catalogue.findByIds(kind, organizationId, objectIds);
        const visible = documents.flatMap(
          (document) => (hidden ? hidden.partOf(kind, document) : document) ?? [],
        );
        return new Map(
          visible.map((document) => [
            document._id.toHexString(),
            present(referenceClasses[kind], document, language),
          ]),
        );
      };
      if (missing.length > 0) {
        const found: ReadonlyMap<string, object> = await load(missing);
        for (const id of missing) shown.set(id, found.get(id));
      }
      return (id) => shown.get(asHexId(id));
    };
  }
}

/** Queries run in sequence, because a batch may be part of a transaction. */
async function presentBatch(
  units: readonly UnitDocument[],
  find: Find,
  reader: UnitReader,
): Promise<ListedUnit[]> {
  const of = (field: keyof UnitDocument) => units.map((unit) => unit[field]);
  const phase = await find('phases', of('locationId'));
  const type = await find('propertyTypes', of('propertyTypeId'));
  const unitDesign = await find('unitDesigns', of('unitDesignId'));
  const amenity = await find('amenities', of('amenitiesIds').flatMap(asList));
  return units.map((unit) =>
    isHidden(reader, unit)
      ? removedItem(unit)
      : (Object.assign(present(UnitDocument, unit, reader.language), {
          amenities: asList(unit.amenitiesIds).flatMap((id) => amenity(id) ?? []),
          phase: phase(unit.locationId) ?? null,
          type: type(unit.propertyTypeId) ?? null,
          unitDesign: unitDesign(unit.unitDesignId) ?? null,
        }) as UnitDto),
  );
}

function isHidden({ hidden }: UnitReader, unit: UnitDocument | undefined): boolean {
  return unit !== undefined && hidden?.hidesUnit(unit) === true;
}
