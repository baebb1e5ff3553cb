import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { InjectCollection } from '../database/documents/inject-collection.js';
import type { TenantCollection } from '../database/documents/tenant-collection.js';
import { notDeleted } from '../database/documents/tenant-document.js';
import { updateBetween } from './update-between.js';
import type { ReservationDocument } from './reservation.schema.js';
import type { ReservationStatus } from './statuses.js';

@Injectable()
export class ReservationsRepository {
  constructor(
    @InjectCollection('Reservation')
    private readonly reservations: TenantCollection<ReservationDocument>,
  ) {}

  async findById(
    organizationId: Types.ObjectId,
    _id: Types.ObjectId,
  ): Promise<ReservationDocument | null> {
    return this.reservations.findOne(organizationId, { _id, ...notDeleted });
  }

  /** The reservation in any of the organizations, also when it is soft-deleted. */
  async findAcross(
    organizationIds: readonly Types.ObjectId[],
    _id: Types.ObjectId,
  ): Promise<ReservationDocument | null> {
    const [reservation] = await this.reservations.findAcross(organizationIds, { _id });
    return reservation ?? null;
  }

  async findByRecordSystemId(
    organizationId: Types.ObjectId,
    recordSystemId: string,
  ): Promise<ReservationDocument | null> {
    return this.reservations.findOne(organizationId, { recordSystemId, ...notDeleted });
  }

  /** Statuses of the other reservations of the same unit. */
  async statusesOfOthers({
    organizationId,
    unitId,
    _id,
  }: ReservationDocument): Promise<ReservationStatus[]> {
    if (!unitId) return [];
    const filter = { unitId, _id: { $ne: _id }, ...notDeleted };
    const others = await this.reservations.find(organizationId, filter, { fields: ['status'] });
    return others.map(({ status }) => status);
  }

  /** The statuses of the reservations of units, by the units' ids in hexadecimal. */
  async statusesByUnit(
    organizationId: Types.ObjectId,
    unitIds: readonly Types.ObjectId[],
  ): Promise<ReadonlyMap<string, readonly ReservationStatus[]>> {
    const filter = { unitId: { $in: unitIds }, ...notDeleted };
    const fields = { fields: ['unitId', 'status'] } as const;
    const found = await this.reservations.find(organizationId, filter, fields);
    const byUnit = Map.groupBy(found, ({ unitId }) => unitId?.toHexString() ?? '');
    return new Map([...byUnit].map(([id, ofUnit]) => [id, ofUnit.map(({ status }) => status)]));
  }

  async insert(reservation: ReservationDocument): Promise<void> {
    await this.reservations.insert(reservation);
  }

  /** Stores the fields in which two states of a reservation differ. */
  async update(before: ReservationDocument, after: ReservationDocument): Promise<void> {
    const { organizationId, _id } = before;
    await this.reservations.updateOne(organizationId, { _id }, updateBetween(before, after));
  }
}
