import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import {
  InjectCollection,
  type TenantCollection,
} from '../../core/database/documents/tenant-collection.js';
import { buildWrite, type Change } from '../../core/database/documents/document-diff.js';
import type { ChequeWalletDocument } from './cheque-wallet.schema.js';

/** The active one first, then the one deleted last. */
const sort = { isDeleted: 1, deletedAt: -1, _id: -1 } as const;

/** A wallet without the histories of its cheques. */
export type RecordedWallet = Pick<
  ChequeWalletDocument,
  '_id' | 'reservationId' | 'isDeleted' | 'cheques'
>;

const recordedFields = [
  'reservationId',
  'isDeleted',
  'cheques.installmentId',
  'cheques.status',
  'cheques.chequeNumber',
  'cheques.chequeAmount',
] as const;

@Injectable()
export class ChequeWalletsRepository {
  constructor(
    @InjectCollection('ChequeWallet')
    private readonly wallets: TenantCollection<ChequeWalletDocument>,
  ) {}

  /** All wallets of a reservation: the active one first, then the one deleted last. */
  async findOfReservation(
    organizationId: Types.ObjectId,
    reservationId: Types.ObjectId,
  ): Promise<ChequeWalletDocument[]> {
    return this.wallets.find(organizationId, { reservationId }, { sort });
  }

  /** All wallets of reservations, those of each one in this order. */
  async findOfReservations(
    organizationId: Types.ObjectId,
    reservationIds: readonly Types.ObjectId[],
  ): Promise<ChequeWalletDocument[]> {
    if (reservationIds.length === 0) return [];
    return this.wallets.find(organizationId, { reservationId: { $in: reservationIds } }, { sort });
  }

  /** The wallets of reservations in this order, with what a ledger says of their cheques. */
  async chequesOfReservations(
    organizationId: Types.ObjectId,
    reservationIds: readonly Types.ObjectId[],
  ): Promise<RecordedWallet[]> {
    if (reservationIds.length === 0) return [];
    const filter = { reservationId: { $in: reservationIds } };
    return this.wallets.find(organizationId, filter, { sort, fields: recordedFields });
  }

  /** Stores new wallets, and the fields in which two states of others differ. */
  async write(
    organizationId: Types.ObjectId,
    changes: readonly Change<ChequeWalletDocument>[],
  ): Promise<void> {
    await this.wallets.write(organizationId, changes.map(buildWrite));
  }
}
