import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { ReservationDocument } from '../availability/reservation.schema.js';
import { buildWrite, type DocumentChange } from '../core/database/documents/document-diff.js';
import {
  InjectCollection,
  type TenantCollection,
} from '../core/database/documents/tenant-collection.js';
import {
  type KeysetPage,
  type KeysetRequest,
  newestFirst,
} from '../core/database/documents/keyset.js';
import { parseObjectId, notDeleted } from '../core/database/documents/tenant-document.js';
import type { ReadOptions, Tenants } from '../core/database/documents/tenant-queries.js';
import type { ChequeWalletDocument } from './cheques/cheque-wallet.schema.js';

export type UnitOrLeadId =
  { readonly unitId: Types.ObjectId } | { readonly leadId: Types.ObjectId };

export const fieldsWithoutHistories = [
  'reservationId',
  'isDeleted',
  'cheques.installmentId',
  'cheques.status',
  'cheques.chequeNumber',
  'cheques.chequeAmount',
] as const;

/** The active wallet first, then the one deleted last. */
const latestFirst = { isDeleted: 1, deletedAt: -1, _id: -1 } as const;

@Injectable()
export class ReservationsRepository {
  constructor(
    @InjectCollection('Reservation')
    private readonly reservations: TenantCollection<ReservationDocument>,
    @InjectCollection('ChequeWallet')
    private readonly wallets: TenantCollection<ChequeWalletDocument>,
  ) {}

  async findByIds(
    organizationId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
  ): Promise<ReservationDocument[]> {
    if (ids.length === 0) return [];
    return this.reservations.find(organizationId, { _id: { $in: ids }, ...notDeleted });
  }

  async findByRecordSystemIds(
    organizationId: Types.ObjectId,
    recordSystemIds: readonly string[],
  ): Promise<ReservationDocument[]> {
    if (recordSystemIds.length === 0) return [];
    const filter = { recordSystemId: { $in: recordSystemIds }, ...notDeleted };
    return this.reservations.find(organizationId, filter);
  }

  async findIncludingDeleted(
    organizationIds: Tenants,
    _id: Types.ObjectId,
  ): Promise<ReservationDocument | null> {
    const [reservation = null] = await this.reservations.find(organizationIds, { _id });
    return reservation;
  }

  /** The reservations with this external id, and the one with this id, deleted or not. */
  async findReferenced(
    organizationIds: Tenants,
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

  /** Newest first. A lead's reservations include deleted ones; the index of units has no deleted ones. */
  async list(
    organizationId: Types.ObjectId,
    about: UnitOrLeadId,
    part: KeysetRequest,
  ): Promise<KeysetPage<ReservationDocument>> {
    const filter = 'unitId' in about ? { ...about, ...notDeleted } : about;
    return this.reservations.page(organizationId, filter, newestFirst, part);
  }

  /** The ids that follow `after` of reservations in the partner collection flow, ascending. */
  async idsInPartnerFlow(
    organizationId: Types.ObjectId,
    limit: number,
    after?: Types.ObjectId,
  ): Promise<Types.ObjectId[]> {
    const following = after === undefined ? {} : { _id: { $gt: after } };
    const found = await this.reservations.find(
      organizationId,
      { 'partnerCollection.isActive': true, ...following, ...notDeleted },
      { sort: { _id: 1 }, limit, fields: ['_id'] },
    );
    return found.map(({ _id }) => _id);
  }

  /** The wallets of reservations; of each one the active wallet first, then the one deleted last. */
  async walletsOf(
    organizationId: Types.ObjectId,
    reservationIds: readonly Types.ObjectId[],
    options: Pick<ReadOptions<ChequeWalletDocument>, 'fields'> = {},
  ): Promise<ChequeWalletDocument[]> {
    if (reservationIds.length === 0) return [];
    const filter = { reservationId: { $in: reservationIds } };
    return this.wallets.find(organizationId, filter, { sort: latestFirst, ...options });
  }

  async write(
    organizationId: Types.ObjectId,
    reservations: readonly DocumentChange<ReservationDocument>[],
    wallets: readonly DocumentChange<ChequeWalletDocument>[],
  ): Promise<void> {
    await this.reservations.write(organizationId, reservations.map(buildWrite));
    await this.wallets.write(organizationId, wallets.map(buildWrite));
  }
}
