import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { CompoundsService } from '../../compounds/compounds.service.js';
import { PhasesService } from '../../catalogue/references/phases.service.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { unitErrors } from '../unit-errors.js';
import type { Message } from '../../localization/messages.js';
import type { UpsertUnitDto } from './upsert-unit.dto.js';
import { UnitNamesService } from './unit-names.service.js';
import type { UnitDocument } from '../../catalogue/collections/unit.schema.js';

/** The references of a unit as they are stored. */
type Links = Partial<
  Pick<
    UnitDocument,
    'compoundId' | 'locationId' | 'propertyTypeId' | 'unitDesignId' | 'amenitiesIds'
  >
>;

/** A unit's place, when it is known already. */
type Place = Partial<Pick<UnitDocument, 'compoundId' | 'locationId'>>;

/** Finds what a request names, inside its transaction. */
@Injectable()
export class UnitLinksService {
  constructor(
    private readonly compounds: CompoundsService,
    private readonly phases: PhasesService,
    private readonly names: UnitNamesService,
  ) {}

  /**
   * The compound that a request names, if it names one.
   *
   * @throws DomainError 400 when there is none
   */
  async compoundOf(
    organizationId: Types.ObjectId,
    { compound }: UpsertUnitDto,
  ): Promise<Types.ObjectId | undefined> {
    if (compound === undefined) return undefined;
    const id = await this.compounds.idBySlug(organizationId, compound);
    if (id === null) throw new DomainError(unitErrors.unknownName, [unknown('compound', compound)]);
    return id;
  }

  /**
   * The ids that a request sets.
   *
   * @param place where the unit is so far
   * @throws DomainError 400 that tells every name that resolves to nothing
   */
  async resolve(
    organizationId: Types.ObjectId,
    sent: UpsertUnitDto,
    place: Place,
    compoundId: Types.ObjectId | undefined,
  ): Promise<Links> {
    const faults: Message[] = [];
    const links = {
      ...(compoundId === undefined ? {} : { compoundId }),
      ...(await this.location(organizationId, sent, place, compoundId ?? place.compoundId, faults)),
      ...(await this.propertyType(organizationId, sent, faults)),
      ...(await this.unitDesign(organizationId, sent, faults)),
      ...(await this.amenities(organizationId, sent, faults)),
    };
    if (faults.length > 0) throw new DomainError(unitErrors.unknownName, faults);
    return links;
  }

  private async location(
    organizationId: Types.ObjectId,
    { phase }: UpsertUnitDto,
    place: Place,
    compoundId: Types.ObjectId | undefined,
    faults: Message[],
  ): Promise<Links> {
    if (compoundId === undefined) return {};
    if (typeof phase === 'string') {
      const id = await this.phases.idInCompound(organizationId, compoundId, phase);
      if (id === null) faults.push(unknown('phase', phase));
      return id === null ? {} : { locationId: id };
    }
    const stays = place.locationId && place.compoundId?.equals(compoundId);
    return phase === null || !stays ? { locationId: compoundId } : {};
  }

  private async propertyType(
    organizationId: Types.ObjectId,
    { propertyType }: UpsertUnitDto,
    faults: Message[],
  ): Promise<Links> {
    if (propertyType === undefined) return {};
    if (propertyType === null) return { propertyTypeId: null };
    const [ids] = await this.names.propertyTypes(organizationId, [propertyType]);
    if (ids?.[0] !== undefined) return { propertyTypeId: ids[0] };
    faults.push(unknown('propertyType', propertyType));
    return {};
  }

  private async unitDesign(
    organizationId: Types.ObjectId,
    { unitDesign }: UpsertUnitDto,
    faults: Message[],
  ): Promise<Links> {
    if (unitDesign === undefined) return {};
    if (unitDesign === null) return { unitDesignId: null };
    const [id] = await this.names.unitDesigns(organizationId, [unitDesign]);
    if (id !== undefined) return { unitDesignId: id };
    faults.push(unknown('unitDesign', unitDesign));
    return {};
  }

  private async amenities(
    organizationId: Types.ObjectId,
    { amenities }: UpsertUnitDto,
    faults: Message[],
  ): Promise<Links> {
    if (amenities === undefined) return {};
    const found = await this.names.amenities(organizationId, amenities);
    const ids = new Map<string, Types.ObjectId>();
    for (const [index, [id]] of found.entries()) {
      if (id === undefined) faults.push(unknown('amenities', amenities[index] ?? ''));
      else ids.set(id.toHexString(), id);
    }
    return { amenitiesIds: [...ids.values()] };
  }
}

function unknown(property: string, value: string): Message {
  return { key: unitErrors.unknownName.message, values: { property, value } };
}
