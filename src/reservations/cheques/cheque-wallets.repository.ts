import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { TenantCollection } from '../../database/documents/tenant-collection.js';
import { InjectCollection } from '../../database/documents/inject-collection.js';
import type { TenantUpdate } from '../../database/documents/tenant-filter.js';
import type { ChequeWalletDocument } from './cheque-wallet.schema.js';

/** The queries on `chequeWallets`. */
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
    const update: TenantUpdate<ChequeWalletDocument> = {
      $set: { isDeleted: false, updatedAt },
      $unset: { deletedAt: '' },
    };
    await this.wallets.updateOne(organizationId, { _id }, update);
  }
}
