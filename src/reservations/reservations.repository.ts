import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import {
  InjectCollection,
  type TenantCollection,
} from '../core/database/documents/tenant-collection.js';
import {
  type KeysetPage,
  type KeysetRequest,
  newestFirst,
} from '../core/database/documents/keyset.js';
import { parseObjectId } from '../core/database/documents/object-id.js';
import { notDeleted } from '../core/database/documents/tenant-document.js';
import { buildWrite, type Change } from '../core/database/documents/document-diff.js';
import type { ReservationDocument } from '../availability/reservation.schema.js';

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
    const [reservation] = await this.reservations.find(organizationIds, { _id });
    return reservation ?? null;
  }

  /** The reservations of organizations that an id of theirs names, by an own one also deleted ones. */
  async findReferenced(
    organizationIds: readonly Types.ObjectId[],
    reference: string,
  ): Promise<ReservationDocument[]> {
    const _id = parseObjectId(reference);
    const named = { recordSystemId: reference, ...notDeleted };
    const found = await Promise.all([
      this.reservations.find(organizationIds, named),
      _id === null ? [] : this.reservations.find(organizationIds, { _id }),
    ]);
    return [...new Map(found.flat().map((one) => [one._id.toHexString(), one])).values()];
  }

  async findByRecordSystemIds(
    organizationId: Types.ObjectId,
    recordSystemIds: readonly string[],
  ): Promise<ReservationDocument[]> {
    if (recordSystemIds.length === 0) return [];
    const filter = { recordSystemId: { $in: recordSystemIds }, ...notDeleted };
    return this.reservations.find(organizationId, filter);
  }

  async findByIds(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
  ): Promise<ReservationDocument[]> {
    if (ids.length === 0) return [];
    return this.reservations.find(organizationId, { _id: { $in: ids }, ...notDeleted });
  }

  /** The reservations of a unit that are not deleted, newest first. */
  async listOfUnit(
    organizationId: Types.ObjectId,
    unitId: Types.ObjectId,
    part: KeysetRequest,
  ): Promise<KeysetPage<ReservationDocument>> {
    return this.reservations.page(organizationId, { unitId, ...notDeleted }, newestFirst, part);
  }

  /** The reservations of leads, deleted ones included, newest first. */
  async listOfLeads(
    organizationId: Types.ObjectId,
    leadIds: readonly Types.ObjectId[],
    part: KeysetRequest,
  ): Promise<KeysetPage<ReservationDocument>> {
    const ofLeads = { leadId: { $in: leadIds } };
    return this.reservations.page(organizationId, ofLeads, newestFirst, part);
  }

  /** Reservations in the partner collection flow by their ids, which follow `after`. */
  async inPartnerFlow(
    organizationId: Types.ObjectId,
    limit: number,
    after?: Types.ObjectId,
  ): Promise<Pick<ReservationDocument, '_id'>[]> {
    const behind = after === undefined ? {} : { _id: { $gt: after } };
    const filter = { 'partnerCollection.isActive': true, ...behind, ...notDeleted };
    return this.reservations.find(organizationId, filter, {
      sort: { _id: 1 },
      limit,
      fields: ['_id'],
    });
  }

  /** Stores new reservations, and the fields in which two states of others differ. */
  async write(
    organizationId: Types.ObjectId,
    changes: readonly Change<ReservationDocument>[],
  ): Promise<void> {
    await this.reservations.write(organizationId, changes.map(buildWrite));
  }
}
