import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { type PresentedPhase, PhasesService } from '../../catalogue/references/phases.service.js';
import { idOf, idsOf } from '../../database/documents/stored-values.js';
import type { Language } from '../../localization/language.js';
import { ReferenceCache } from '../../catalogue/presenting/reference-cache.js';
import { type PresentedUnit, presentUnitFields } from './unit.presenter.js';
import {
  presentAmenity,
  type PresentedAmenity,
  type PresentedPropertyType,
  type PresentedUnitDesign,
  presentPropertyType,
  presentUnitDesign,
} from '../../catalogue/references/unit-references.presenter.js';
import { UnitReferencesRepository } from '../../catalogue/references/unit-references.repository.js';
import type { UnitDocument } from '../../catalogue/collections/unit.schema.js';

export type { PresentedUnit };

/** What the units of one answer refer to. */
interface References {
  readonly phases: ReferenceCache<PresentedPhase>;
  readonly amenities: ReferenceCache<PresentedAmenity>;
  readonly propertyTypes: ReferenceCache<PresentedPropertyType>;
  readonly unitDesigns: ReferenceCache<PresentedUnitDesign>;
}

/** Shows the units of one answer, batch by batch. */
export type UnitPresenter = (units: readonly UnitDocument[]) => Promise<PresentedUnit[]>;

/** Shows units with what they refer to (section 2.7). */
@Injectable()
export class UnitPresentationService {
  constructor(
    private readonly references: UnitReferencesRepository,
    private readonly phases: PhasesService,
  ) {}

  /** Shows one unit. */
  async present(unit: UnitDocument, language: Language): Promise<PresentedUnit> {
    const presenter = this.presenter(unit.organizationId, language);
    const [presented] = await presenter([unit]);
    if (presented === undefined) throw new Error('A unit was lost while it was presented.');
    return presented;
  }

  /** A presenter for one answer: what it has loaded for one batch it knows for the next. */
  presenter(organizationId: Types.ObjectId, language: Language): UnitPresenter {
    const references = this.referencesOf(organizationId, language);
    return (units) => presentBatch(units, references, language);
  }

  private referencesOf(organizationId: Types.ObjectId, language: Language): References {
    const { references, phases } = this;
    return {
      phases: new ReferenceCache((ids) => phases.present(organizationId, ids, language)),
      amenities: new ReferenceCache(async (ids) =>
        (await references.findAmenities(organizationId, ids)).map((amenity) =>
          presentAmenity(amenity, language),
        ),
      ),
      propertyTypes: new ReferenceCache(async (ids) =>
        (await references.findPropertyTypes(organizationId, ids)).map((type) =>
          presentPropertyType(type, language),
        ),
      ),
      unitDesigns: new ReferenceCache(async (ids) =>
        (await references.findUnitDesigns(organizationId, ids)).map((design) =>
          presentUnitDesign(design, language),
        ),
      ),
    };
  }
}

/** The queries follow each other because a batch may be presented inside a transaction. */
async function presentBatch(
  units: readonly UnitDocument[],
  references: References,
  language: Language,
): Promise<PresentedUnit[]> {
  const phases = await references.phases.find(units.map((unit) => unit.locationId));
  const types = await references.propertyTypes.find(units.map((unit) => unit.propertyTypeId));
  const designs = await references.unitDesigns.find(units.map((unit) => unit.unitDesignId));
  const amenities = await references.amenities.find(units.flatMap((unit) => unit.amenitiesIds));
  return units.map((unit) => ({
    ...presentUnitFields(unit, language),
    amenities: idsOf(unit.amenitiesIds).flatMap((id) => amenities.get(id) ?? []),
    phase: phases.get(idOf(unit.locationId)) ?? null,
    type: types.get(idOf(unit.propertyTypeId)) ?? null,
    unitDesign: designs.get(idOf(unit.unitDesignId)) ?? null,
  }));
}
