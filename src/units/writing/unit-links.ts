import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { UnitDocument } from '../../catalogue/collections/unit.schema.js';
import { ReferencesRepository } from '../../catalogue/references/references.repository.js';
import { ReservationsRepository } from '../../reservations/reservations.repository.js';
import { DomainError } from '../../core/http/errors/domain-error.js';
import type { Message } from '../../core/localization/messages.service.js';
import { unitErrors, unknownName } from '../unit-errors.js';
import { statusWhenSent } from './availability.js';
import type { UpsertUnitDto } from './upsert-unit.dto.js';

/** The fields of a unit that other documents decide. */
type Links = Partial<
  Pick<
    UnitDocument,
    'compoundId' | 'locationId' | 'propertyTypeId' | 'unitDesignId' | 'amenitiesIds' | 'status'
  >
>;

/** The stored unit, without anything when it is new. */
type StoredUnit = Partial<Pick<UnitDocument, '_id' | 'compoundId' | 'locationId'>>;

/** What the names of one request resolve to; the errors are those of all its names. */
interface Resolution {
  readonly organizationId: Types.ObjectId;
  readonly input: UpsertUnitDto;
  readonly errors: Message[];
}

/**
 * Resolves the names of a request to ids, and its status by the unit's reservations, inside its
 * transaction (rules UNIT-1 and UNIT-30).
 */
@Injectable()
export class UnitLinks {
  constructor(
    private readonly references: ReferencesRepository,
    private readonly reservations: ReservationsRepository,
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
    const id = await this.references.idBySlug('compounds', organizationId, compound);
    if (id === null)
      throw new DomainError(unitErrors.unknownName, [unknownName('compound', compound)]);
    return id;
  }

  /**
   * The ids and the status that a request sets.
   *
   * @param compoundId the compound that the request names
   * @throws DomainError 400 that names everything that resolves to nothing
   */
  async resolve(
    organizationId: Types.ObjectId,
    input: UpsertUnitDto,
    stored: StoredUnit,
    compoundId: Types.ObjectId | undefined,
  ): Promise<Links> {
    const resolution: Resolution = { organizationId, input, errors: [] };
    const links = {
      ...(compoundId === undefined ? {} : { compoundId }),
      ...(await this.location(resolution, stored, compoundId ?? stored.compoundId)),
      ...(await this.propertyType(resolution)),
      ...(await this.unitDesign(resolution)),
      ...(await this.amenities(resolution)),
      ...(await this.status(resolution, stored)),
    };
    if (resolution.errors.length > 0)
      throw new DomainError(unitErrors.unknownName, resolution.errors);
    return links;
  }

  private async location(
    { organizationId, input: { phase }, errors }: Resolution,
    stored: StoredUnit,
    compoundId: Types.ObjectId | null | undefined,
  ): Promise<Links> {
    if (typeof phase === 'string') {
      const id = compoundId
        ? await this.references.phaseIdBySlug(organizationId, compoundId, phase)
        : null;
      if (id === null) errors.push(unknownName('phase', phase));
      return { locationId: id };
    }
    if (!compoundId) return {};
    const keepsLocation = stored.locationId && stored.compoundId?.equals(compoundId);
    return phase === null || !keepsLocation ? { locationId: compoundId } : {};
  }

  private async status(
    { organizationId, input: { status } }: Resolution,
    { _id }: StoredUnit,
  ): Promise<Links> {
    if (status === undefined || _id === undefined) return {};
    const statuses = await this.reservations.statusesByUnit(organizationId, [_id]);
    return { status: statusWhenSent(status, statuses.get(_id.toHexString()) ?? []) };
  }

  private async propertyType({
    organizationId,
    input: { propertyType },
    errors,
  }: Resolution): Promise<Links> {
    if (propertyType === undefined) return {};
    if (propertyType === null) return { propertyTypeId: null };
    const found = await this.references.propertyTypeIdsByNames(organizationId, [propertyType]);
    const id = found[0]?.[0] ?? null;
    if (id === null) errors.push(unknownName('propertyType', propertyType));
    return { propertyTypeId: id };
  }

  private async unitDesign({
    organizationId,
    input: { unitDesign },
    errors,
  }: Resolution): Promise<Links> {
    if (unitDesign === undefined) return {};
    if (unitDesign === null) return { unitDesignId: null };
    const id = await this.references.idBySlug('unitDesigns', organizationId, unitDesign);
    if (id === null) errors.push(unknownName('unitDesign', unitDesign));
    return { unitDesignId: id };
  }

  private async amenities({
    organizationId,
    input: { amenities },
    errors,
  }: Resolution): Promise<Links> {
    if (amenities === undefined) return {};
    const found = await this.references.amenityIdsByNames(organizationId, amenities);
    const ids = new Map<string, Types.ObjectId>();
    for (const [index, [id]] of found.entries()) {
      if (id === undefined) errors.push(unknownName('amenities', amenities[index] ?? ''));
      else ids.set(id.toHexString(), id);
    }
    return { amenitiesIds: [...ids.values()] };
  }
}
