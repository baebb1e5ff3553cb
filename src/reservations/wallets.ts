import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { fieldChanges } from '../change-log/field-changes.js';
import { Clock } from '../configuration/clock.js';
import { Outbox } from '../webhooks/outbox.js';
import { type ChequeReport, type FoundCheque, reportedCheque } from './cheques.js';
import type { Cheque, ChequeWalletDocument } from './cheque-wallet.schema.js';
import { ChequeWalletsRepository } from './cheque-wallets.repository.js';
import { presentWallet } from './reservation.presenter.js';

/** The cheque wallets of reservations; every change leaves a Wallet event. */
@Injectable()
export class Wallets {
  constructor(
    private readonly wallets: ChequeWalletsRepository,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /** All wallets of a reservation: the active one first, then the one deleted last. */
  async ofReservation(
    organizationId: Types.ObjectId,
    reservationId: Types.ObjectId,
  ): Promise<ChequeWalletDocument[]> {
    return this.wallets.findOfReservation(organizationId, reservationId);
  }

  /** Stores what a partner reports about a cheque. */
  async report(
    { wallet, cheque }: FoundCheque,
    report: ChequeReport,
  ): Promise<ChequeWalletDocument> {
    const updatedAt = this.clock.now();
    const reported = reportedCheque(cheque, report, updatedAt);
    const cheques = (wallet.cheques ?? []).map((one) => (one === cheque ? reported : one));
    await this.wallets.setFields(wallet, { cheques, updatedAt });
    const changed = { ...wallet, cheques, updatedAt };
    const changes = fieldChanges(told(cheque), told(reported)).map((change) => {
      return { ...change, field: `cheques.${report.installmentId}.${change.field}` };
    });
    const data = presentWallet(changed);
    await this.outbox.publish(wallet.organizationId, { type: 'wallet.updated', data, changes });
    return changed;
  }

  /**
   * Soft-deletes the active wallet of a reservation.
   *
   * @returns whether there was one
   */
  async deleteActive(
    organizationId: Types.ObjectId,
    reservationId: Types.ObjectId,
  ): Promise<boolean> {
    const [wallet] = await this.wallets.findOfReservation(organizationId, reservationId);
    if (wallet === undefined || wallet.isDeleted) return false;
    const now = this.clock.now();
    const deletion = { isDeleted: true, deletedAt: now, updatedAt: now };
    await this.wallets.setFields(wallet, deletion);
    const data = presentWallet({ ...wallet, ...deletion });
    await this.outbox.publish(organizationId, { type: 'wallet.deleted', data });
    return true;
  }

  /** Makes a soft-deleted wallet active again, unless the reservation has another active one. */
  async restore(wallet: ChequeWalletDocument): Promise<void> {
    const { organizationId, reservationId } = wallet;
    const [first] = await this.wallets.findOfReservation(organizationId, reservationId);
    if (!wallet.isDeleted || first?.isDeleted !== true) return;
    const updatedAt = this.clock.now();
    await this.wallets.restore(wallet, updatedAt);
    const { deletedAt: _deletedAt, ...rest } = wallet;
    const data = presentWallet({ ...rest, isDeleted: false, updatedAt });
    await this.outbox.publish(organizationId, { type: 'wallet.restored', data });
  }
}

function told({ status, chequeNumber, chequeAmount }: Cheque) {
  return { status, chequeNumber: chequeNumber ?? null, chequeAmount: chequeAmount ?? null };
}
