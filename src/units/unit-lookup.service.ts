import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { UnitsRepository } from './units.repository.js';

/** How an outside system names a unit: by slug, by its own id, or by the compound's unit id. */
export type UnitReference =
  string | { readonly recordSystemId: string } | { readonly unitId: string };

/** Finds the units that requests name. */
@Injectable()
export class UnitLookupService {
  constructor(private readonly units: UnitsRepository) {}

  /** The id of the unit that a reference means; a unit id that two compounds use is ambiguous. */
  async idOf(
    organizationId: Types.ObjectId,
    reference: UnitReference,
  ): Promise<Types.ObjectId | 'unknown' | 'ambiguous'> {
    if (typeof reference === 'object' && 'unitId' in reference) {
      const units = await this.units.findTwoByUnitId(organizationId, reference.unitId);
      return units.length > 1 ? 'ambiguous' : (units[0]?._id ?? 'unknown');
    }
    const unit =
      typeof reference === 'string'
        ? await this.units.findBySlug(organizationId, reference)
        : await this.units.findByRecordSystemId(organizationId, reference.recordSystemId);
    return unit?._id ?? 'unknown';
  }
}
