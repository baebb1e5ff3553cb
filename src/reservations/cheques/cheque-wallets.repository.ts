import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, Types } from 'mongoose';
import { TenantCollection } from '../../database/documents/tenant-collection.js';
import type { ChequeWalletDocument } from './cheque-wallet.schema.js';

/** The queries on `chequeWallets`. */
@Injectable()
export class ChequeWalletsRepository {
  private readonly wallets: TenantCollection<ChequeWalletDocument>;

  constructor(@InjectModel('ChequeWallet') model: Model<ChequeWalletDocument>) {
    this.wallets = new TenantCollection(model);
  }

  /** All wallets of a reservation: the active one first, then the one deleted last. */
  async findOfReservation(
    organizationId: Types.ObjectId,
    reservationId: Types.ObjectId,
  ): Promise<ChequeWalletDocument[]> {
    const sort = { isDeleted: 1, deletedAt: -1, _id: -1 } as const;
    return this.wallets.find(organizationId, { reservationId }, { sort });
  }

  async insert(wallet: ChequeWalletDocument): Promise<void> {
    await this.wallets.insert(wallet);
  }

  async setFields(
    { organizationId, _id }: ChequeWalletDocument,
    fields: Partial<ChequeWalletDocument>,
  ): Promise<void> {
    await this.wallets.updateOne(organizationId, { _id }, { $set: fields });
  }

  /** Makes a soft-deleted wallet active again. */
  async restore({ organizationId, _id }: ChequeWalletDocument, updatedAt: Date): Promise<void> {
    const update = { $set: { isDeleted: false, updatedAt }, $unset: { deletedAt: '' } };
    await this.wallets.updateOne(organizationId, { _id }, update);
  }
}
