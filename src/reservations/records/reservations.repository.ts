import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, Types } from 'mongoose';
import { TenantCollection } from '../../database/documents/tenant-collection.js';
import type { ReservationDocument } from './reservation.schema.js';
import type { ReservationStatus } from '../states.js';

const notDeleted = { isDeleted: false };

/** The queries on `reservations`. */
@Injectable()
export class ReservationsRepository {
  private readonly reservations: TenantCollection<ReservationDocument>;

  constructor(@InjectModel('Reservation') model: Model<ReservationDocument>) {
    this.reservations = new TenantCollection(model);
  }

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
    const options = { projection: { status: 1 } };
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
