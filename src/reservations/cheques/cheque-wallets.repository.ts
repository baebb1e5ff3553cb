import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { InjectCollection } from '../../database/documents/inject-collection.js';
import type { TenantCollection } from '../../database/documents/tenant-collection.js';
import { updateBetween } from '../update-between.js';
import type { ChequeWalletDocument } from './cheque-wallet.schema.js';

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

  /** Stores the fields in which two states of a wallet differ. */
  async update(before: ChequeWalletDocument, after: ChequeWalletDocument): Promise<void> {
    const { organizationId, _id } = before;
    await this.wallets.updateOne(organizationId, { _id }, updateBetween(before, after));
  }
}
