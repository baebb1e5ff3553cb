import { Injectable } from '@nestjs/common';
import { BSON } from 'mongodb';
import { Types } from 'mongoose';
import { type FieldChange, fieldChanges } from '../../change-log/field-changes.js';
import { Clock } from '../../configuration/clock.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { reservationErrors } from '../reservation-errors.js';
import { Outbox } from '../../webhooks/outbox/outbox.js';
import {
  chequesOf,
  type ChequeReport,
  type FoundCheque,
  mergedCheques,
  reportedCheque,
} from './cheques.js';
import type { Cheque, ChequeWalletDocument } from './cheque-wallet.schema.js';
import { ChequeWalletsRepository } from './cheque-wallets.repository.js';
import type { ChequeRequest } from '../records/reservation-request.js';
import { presentCheque, presentWallet } from '../records/reservation.presenter.js';
import type { ReservationDocument } from '../records/reservation.schema.js';

/** 4 MiB in bytes: an event holds the wallet, and a document of the database ends at 16. */
const largestWallet = 4 * 1_048_576;

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

  /**
   * Stores what a partner reports about a cheque.
   *
   * @returns the wallet, null when it would become too large
   */
  async report(
    { wallet, cheque }: FoundCheque,
    report: ChequeReport,
  ): Promise<ChequeWalletDocument | null> {
    const reported = reportedCheque(cheque, report, this.clock.now());
    const cheques = (wallet.cheques ?? []).map((one) => (one === cheque ? reported : one));
    if (isTooLarge(cheques)) return null;
    return this.update(wallet, cheques, chequeChanges([cheque], [reported]));
  }

  /**
   * Makes the wallet of a reservation, or extends the active one, else the one deleted last, so that
   * a bounced cheque stays where its recovery is looked for. Nothing is told when nothing changes.
   *
   * @throws DomainError 422 when the wallet would become too large
   */
  async addCheques(
    reservation: ReservationDocument,
    requests: readonly ChequeRequest[],
  ): Promise<void> {
    const { organizationId, _id } = reservation;
    const [wallet] = await this.wallets.findOfReservation(organizationId, _id);
    const stored = wallet === undefined ? [] : chequesOf(wallet);
    const cheques = mergedCheques(stored, requests);
    const changes = chequeChanges(stored, cheques);
    if (changes.length === 0) return;
    if (isTooLarge(cheques)) throw new DomainError(reservationErrors.walletFull);
    await (wallet === undefined
      ? this.create(reservation, cheques)
      : this.update(wallet, cheques, changes));
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

  /** Makes the wallet of a reservation that was deleted last active again, unless one is active. */
  async restoreLast({ organizationId, _id }: ReservationDocument): Promise<void> {
    const [wallet] = await this.wallets.findOfReservation(organizationId, _id);
    if (wallet !== undefined) await this.restore(wallet);
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

  private async create(
    { organizationId, _id: reservationId, unitId }: ReservationDocument,
    cheques: readonly Cheque[],
  ): Promise<void> {
    const now = this.clock.now();
    const wallet: ChequeWalletDocument = {
      _id: new Types.ObjectId(),
      organizationId,
      reservationId,
      unitId: unitId ?? null,
      cheques,
      isDeleted: false,
      createdAt: now,
      updatedAt: now,
    };
    await this.wallets.insert(wallet);
    const data = presentWallet(wallet);
    await this.outbox.publish(organizationId, { type: 'wallet.created', data });
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

/** Whether a wallet and the event about it would not fit into a document of the database. */
function isTooLarge(cheques: readonly Cheque[]): boolean {
  return BSON.calculateObjectSize({ cheques }) > largestWallet;
}

/** The differences between cheques by installment, without their histories. */
function chequeChanges(before: readonly Cheque[], after: readonly Cheque[]): FieldChange[] {
  const known = new Map(before.map((cheque) => [cheque.installmentId, cheque]));
  return after.flatMap((cheque) => {
    const { installmentId } = cheque;
    const old = known.get(installmentId);
    if (old === cheque) return [];
    return fieldChanges(old === undefined ? {} : told(old), told(cheque)).map((change) => {
      return { ...change, field: `cheques.${installmentId}.${change.field}` };
    });
  });
}

function told(cheque: Cheque) {
  const { installmentId: _id, statusHistory: _history, ...facts } = presentCheque(cheque);
  return { ...facts };
}
