import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { type FieldChange, fieldChanges } from '../change-log/field-changes.js';
import { Clock } from '../configuration/clock.js';
import { Outbox } from '../webhooks/outbox.js';
import { type ChequeReport, type FoundCheque, mergedCheques, reportedCheque } from './cheques.js';
import type { Cheque, ChequeWalletDocument } from './cheque-wallet.schema.js';
import { ChequeWalletsRepository } from './cheque-wallets.repository.js';
import type { ChequeRequest } from './reservation-request.js';
import { presentCheque, type PresentedCheque, presentWallet } from './reservation.presenter.js';
import type { ReservationDocument } from './reservation.schema.js';

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
    const reported = reportedCheque(cheque, report, this.clock.now());
    const cheques = (wallet.cheques ?? []).map((one) => (one === cheque ? reported : one));
    return this.update(wallet, cheques, chequeChanges(wallet.cheques, cheques));
  }

  /** Makes or extends the active wallet of a reservation; nothing is told when nothing changes. */
  async addCheques(
    { organizationId, _id: reservationId, unitId }: ReservationDocument,
    requests: readonly ChequeRequest[],
  ): Promise<void> {
    const [wallet] = await this.wallets.findOfReservation(organizationId, reservationId);
    const cheques = mergedCheques(
      wallet?.isDeleted === false ? (wallet.cheques ?? []) : [],
      requests,
    );
    if (wallet?.isDeleted === false) {
      const changes = chequeChanges(wallet.cheques, cheques);
      if (changes.length > 0) await this.update(wallet, cheques, changes);
      return;
    }
    const now = this.clock.now();
    const created: ChequeWalletDocument = {
      _id: new Types.ObjectId(),
      organizationId,
      reservationId,
      unitId: unitId ?? null,
      cheques,
      isDeleted: false,
      createdAt: now,
      updatedAt: now,
    };
    await this.wallets.insert(created);
    await this.outbox.publish(organizationId, {
      type: 'wallet.created',
      data: presentWallet(created),
    });
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

  private async update(
    wallet: ChequeWalletDocument,
    cheques: readonly Cheque[],
    changes: FieldChange[],
  ): Promise<ChequeWalletDocument> {
    const fields = { cheques, updatedAt: this.clock.now() };
    await this.wallets.setFields(wallet, fields);
    const changed = { ...wallet, ...fields };
    const data = presentWallet(changed);
    await this.outbox.publish(wallet.organizationId, { type: 'wallet.updated', data, changes });
    return changed;
  }
}

/** The differences between cheques by installment, without their histories. */
function chequeChanges(
  before: readonly Cheque[] | undefined,
  after: readonly Cheque[],
): FieldChange[] {
  return after.flatMap((cheque) => {
    const { installmentId } = cheque;
    const old = before?.find((candidate) => candidate.installmentId === installmentId);
    return fieldChanges(
      old === undefined ? {} : told(presentCheque(old)),
      told(presentCheque(cheque)),
    ).map((change) => {
      return { ...change, field: `cheques.${installmentId}.${change.field}` };
    });
  });
}

function told({ statusHistory: _history, installmentId: _id, ...facts }: PresentedCheque) {
  return { ...facts };
}
