import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { UnitsRepository } from '../units.repository.js';

/** How an outside system names a unit: by slug, by its own id, or by the compound's unit id. */
export type UnitReference =
  string | { readonly recordSystemId: string } | { readonly unitId: string };

/** What the operator has to know of a unit. */
export interface UnitSummary {
  readonly slug: string | null;
  readonly status: string | null;
  readonly isDeleted: boolean;
}

/** Finds the units that requests name. */
@Injectable()
export class UnitLookupService {
  constructor(private readonly units: UnitsRepository) {}

  /** A unit in short, null when it is missing altogether. */
  async summary(organizationId: Types.ObjectId, _id: Types.ObjectId): Promise<UnitSummary | null> {
    const unit = await this.units.findIncludingDeleted(organizationId, _id);
    if (unit === null) return null;
    const { slug, status, isDeleted } = unit as Partial<typeof unit>;
    return { slug: slug ?? null, status: status ?? null, isDeleted: isDeleted === true };
  }

  /** Whether a reference names this unit, deleted or not. */
  async isNamedBy(
    organizationId: Types.ObjectId,
    _id: Types.ObjectId,
    reference: UnitReference,
  ): Promise<boolean> {
    const unit = await this.units.findIncludingDeleted(organizationId, _id);
    if (typeof reference === 'string') return unit?.slug === reference;
    return 'unitId' in reference
      ? unit?.unitId === reference.unitId
      : unit?.recordSystemId === reference.recordSystemId;
  }

  /** The id of the unit that a reference means; a unit id that two compounds use is ambiguous. */
  async idOf(
    organizationId: Types.ObjectId,
    reference: UnitReference,
  ): Promise<Types.ObjectId | 'unknown' | 'ambiguous'> {
    if (typeof reference === 'object' && 'unitId' in reference) {
      const units = await this.units.findByUnitId(organizationId, reference.unitId);
      return units.length > 1 ? 'ambiguous' : (units[0]?._id ?? 'unknown');
    }
    const unit =
      typeof reference === 'string'
        ? await this.units.findBySlug(organizationId, reference)
        : await this.units.findByRecordSystemId(organizationId, reference.recordSystemId);
    return unit?._id ?? 'unknown';
  }
}
