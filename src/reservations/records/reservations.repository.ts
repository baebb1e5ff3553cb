import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { TenantCollection } from '../../database/documents/tenant-collection.js';
import { InjectCollection } from '../../database/documents/inject-collection.js';
import { notDeleted } from '../../database/documents/tenant-document.js';
import type { ReservationDocument } from './reservation.schema.js';
import type { ReservationStatus } from '../states.js';

/** The queries on `reservations`. */
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

  /** The reservation of whichever of the organizations has it, a soft-deleted one too. */
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

  /** Statuses of a unit's reservations, with their ids. */
  async statusesOfUnit(
    organizationId: Types.ObjectId,
    unitId: Types.ObjectId,
  ): Promise<{ _id: Types.ObjectId; status: ReservationStatus }[]> {
    const options = { fields: ['status'] } as const;
    return this.reservations.find(organizationId, { unitId, ...notDeleted }, options);
  }

  async insert(reservation: ReservationDocument): Promise<void> {
    await this.reservations.insert(reservation);
  }

  async setFields(
    { organizationId, _id }: ReservationDocument,
    fields: Partial<ReservationDocument>,
  ): Promise<void> {
    await this.reservations.updateOne(organizationId, { _id }, { $set: fields });
  }
}
