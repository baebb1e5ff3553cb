import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Types } from 'mongoose';
import { notDeleted } from '../core/database/documents/tenant-document.js';
import type { TenantModel } from '../core/database/models/tenant-model.js';
import type { ReservationStatus } from './reservation-status.js';
import type { ReservationDocument } from './reservation.schema.js';

export type UnitReservation = Pick<ReservationDocument, '_id' | 'unitId' | 'status'>;

/** Deleted reservations do not hold a unit, so queries omit them (rule UNIT-30). */
@Injectable()
export class UnitReservationsRepository {
  constructor(
    @InjectModel('Reservation') private readonly reservations: TenantModel<ReservationDocument>,
  ) {}

  async findByUnits(
    organizationId: Types.ObjectId,
    unitIds: readonly Types.ObjectId[],
  ): Promise<UnitReservation[]> {
    if (unitIds.length === 0) return [];
    const filter = { organizationId, unitId: { $in: unitIds }, ...notDeleted };
    return this.reservations.find<UnitReservation>(filter, ['unitId', 'status']).lean();
  }

  /** The keys of the map are hexadecimal unit ids. */
  async statusesByUnit(
    organizationId: Types.ObjectId,
    unitIds: readonly Types.ObjectId[],
  ): Promise<ReadonlyMap<string, readonly ReservationStatus[]>> {
    const found = await this.findByUnits(organizationId, unitIds);
    const byUnit = Map.groupBy(found, ({ unitId }) => unitId?.toHexString() ?? '');
    return new Map([...byUnit].map(([id, ofUnit]) => [id, ofUnit.map(({ status }) => status)]));
  }
}
