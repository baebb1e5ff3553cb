import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Types } from 'mongoose';
import type { ReservationDocument } from './reservation.schema.js';
import type { ReservationStatus } from './reservation-status.js';
import { type DocumentChange, buildWrite } from '../core/database/documents/document-diff.js';
import {
  type KeysetPage,
  type KeysetRequest,
  newestFirst,
  tenantIndexOrder,
} from '../core/database/documents/keyset.js';
import { notDeleted } from '../core/database/documents/tenant-document.js';
import { batchesOf } from '../core/database/models/batches.js';
import { writeAll } from '../core/database/models/bulk-writes.js';
import { pageOf } from '../core/database/models/pages.js';
import type { OrganizationIds, TenantModel } from '../core/database/models/tenant-model.js';

export interface ReservationConditions {
  readonly status?: ReservationStatus | undefined;
  readonly unitIds?: readonly Types.ObjectId[] | undefined;
  readonly leadIds?: readonly Types.ObjectId[] | undefined;
}

@Injectable()
export class ReservationsRepository {
  constructor(
    @InjectModel('Reservation') private readonly reservations: TenantModel<ReservationDocument>,
  ) {}

  /** Also finds a deleted reservation. */
  async find(
    organizationId: OrganizationIds,
    _id: Types.ObjectId,
  ): Promise<ReservationDocument | null> {
    return this.reservations.findOne({ organizationId, _id }).lean();
  }

  async findActive(
    organizationId: Types.ObjectId,
    _id: Types.ObjectId,
  ): Promise<ReservationDocument | null> {
    return this.reservations.findOne({ organizationId, _id, ...notDeleted }).lean();
  }

  /** Finds a deleted reservation only by its own id. */
  async findNamed(
    organizationId: OrganizationIds,
    recordSystemId: string,
    _id: Types.ObjectId | null,
    limit: number,
  ): Promise<ReservationDocument[]> {
    const $or = [{ recordSystemId, ...notDeleted }, ...(_id === null ? [] : [{ _id }])];
    const options = { limit, batchSize: limit + 1 };
    return this.reservations.find({ organizationId, $or }, null, options).lean();
  }

  /** Includes deleted reservations. */
  async findAll(
    organizationId: OrganizationIds,
    ids: readonly Types.ObjectId[],
  ): Promise<ReservationDocument[]> {
    return this.reservations.find({ organizationId, _id: { $in: ids } }).lean();
  }

  async findAllActive(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
  ): Promise<ReservationDocument[]> {
    return this.reservations.find({ organizationId, _id: { $in: ids }, ...notDeleted }).lean();
  }

  /** Omits deleted reservations. Each organization has at most one. */
  async findByExternalId(
    organizationId: OrganizationIds,
    recordSystemId: string,
  ): Promise<ReservationDocument[]> {
    return this.reservations.find({ organizationId, recordSystemId, ...notDeleted }).lean();
  }

  /** Returns the newest first, by id. Omits deleted reservations. */
  async listNewest(
    organizationId: Types.ObjectId,
    { status, unitIds, leadIds }: ReservationConditions,
    limit: number,
  ): Promise<ReservationDocument[]> {
    const filter = {
      organizationId,
      ...notDeleted,
      ...(status !== undefined && { status }),
      ...(unitIds !== undefined && { unitId: { $in: [...unitIds] } }),
      ...(leadIds !== undefined && { leadId: { $in: [...leadIds] } }),
    };
    const sort = tenantIndexOrder({ _id: -1 });
    return this.reservations.find(filter, null, { sort, limit }).lean();
  }

  /** Returns the newest first. Includes deleted reservations of a lead, but not of a unit, whose index has none. */
  async pageOf(
    organizationId: Types.ObjectId,
    about: { readonly unitId: Types.ObjectId } | { readonly leadId: Types.ObjectId },
    part: KeysetRequest,
  ): Promise<KeysetPage<ReservationDocument>> {
    const filter = { organizationId, ...about, ...('unitId' in about ? notDeleted : {}) };
    return pageOf(this.reservations, filter, newestFirst, part);
  }

  idsInPartnerFlow(
    organizationId: Types.ObjectId,
  ): AsyncGenerator<Pick<ReservationDocument, '_id'>[], void> {
    const filter = { organizationId, 'partnerCollection.isActive': true, ...notDeleted };
    return batchesOf(this.reservations, filter, { sort: { _id: 1 }, fields: ['_id'] });
  }

  async write(
    organizationId: Types.ObjectId,
    change: DocumentChange<ReservationDocument>,
  ): Promise<void> {
    await writeAll(this.reservations, organizationId, [buildWrite(change)]);
  }
}
