import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Types } from 'mongoose';
import { type DocumentChange, buildWrite } from '../../core/database/documents/document-diff.js';
import { writeAll } from '../../core/database/models/bulk-writes.js';
import type { TenantModel } from '../../core/database/models/tenant-model.js';
import type { ChequeWalletDocument } from './cheque-wallet.schema.js';

/** Sorts the active wallet first, then the last deleted one. */
const latestFirst = { isDeleted: 1, deletedAt: -1, _id: -1 } as const;

const fieldsWithoutHistories = [
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
    @InjectModel('ChequeWallet') private readonly wallets: TenantModel<ChequeWalletDocument>,
  ) {}

  /** Returns the active wallet first, then the last deleted one. */
  async findOf(
    organizationId: Types.ObjectId,
    reservationId: Types.ObjectId,
  ): Promise<ChequeWalletDocument[]> {
    return this.wallets.find({ organizationId, reservationId }, null, { sort: latestFirst }).lean();
  }

  /** Returns each reservation's wallets in the order of {@link findOf}. */
  async findOfAll(
    organizationId: Types.ObjectId,
    reservationIds: readonly Types.ObjectId[],
  ): Promise<ChequeWalletDocument[]> {
    const filter = { organizationId, reservationId: { $in: reservationIds } };
    return this.wallets.find(filter, null, { sort: latestFirst }).lean();
  }

  /** Returns each reservation's wallets in the order of {@link findOf}. */
  async findWithoutHistories(
    organizationId: Types.ObjectId,
    reservationIds: readonly Types.ObjectId[],
  ): Promise<ChequeWalletDocument[]> {
    if (reservationIds.length === 0) return [];
    const filter = { organizationId, reservationId: { $in: reservationIds } };
    return this.wallets.find(filter, fieldsWithoutHistories, { sort: latestFirst }).lean();
  }

  async write(
    organizationId: Types.ObjectId,
    changes: readonly DocumentChange<ChequeWalletDocument>[],
  ): Promise<void> {
    await writeAll(this.wallets, organizationId, changes.map(buildWrite));
  }
}
