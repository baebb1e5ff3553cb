import { Injectable } from '@nestjs/common';
import type { Caller } from '../../authentication/caller.js';
import { Types } from 'mongoose';
import { parseObjectId } from '../../database/documents/object-id.js';
import { Transactions } from '../../database/transactions/transactions.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { UnitLookupService } from '../../units/reading/unit-lookup.service.js';
import type { ChequeWalletDocument } from '../cheques/cheque-wallet.schema.js';
import { reservationErrors } from '../reservation-errors.js';
import type { ReservationRequest } from './reservation-request.js';
import { ReservationUpserts } from './reservation-upserts.js';
import { presentReservation, type PresentedReservation } from './reservation.presenter.js';
import type { ReservationDocument } from './reservation.schema.js';
import { ReservationsRepository } from './reservations.repository.js';
import { unitQueueKey } from './unit-queue-key.js';
import { Wallets } from '../cheques/wallets.js';

/** The answer to an upsert ("Units and reservation records" 5). */
export interface ReservationUpsertAnswer {
  readonly ok: true;
  readonly operation: 'create' | 'update';
  readonly reservation: PresentedReservation;
}

/** Reservation records (section 4.5, "Units and reservation records" 5). */
@Injectable()
export class ReservationsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly upserts: ReservationUpserts,
    private readonly reservations: ReservationsRepository,
    private readonly wallets: Wallets,
    private readonly units: UnitLookupService,
  ) {}

  /**
   * Creates a reservation, or updates the active one with the same `recordSystemId`, in one
   * transaction with its wallet, the availability of its unit and their events.
   *
   * @throws DomainError 400, 404 or 422 as {@link ReservationUpserts.save}
   */
  async upsert(
    { organizationId }: Caller,
    request: ReservationRequest,
  ): Promise<ReservationUpsertAnswer> {
    const { operation, reservation, wallet } = await this.transactions.run(
      async () => {
        const saved = await this.upserts.save(organizationId, request);
        return { ...saved, wallet: await this.walletOf(saved.reservation) };
      },
      { queueKeys: await this.queueKeys(organizationId, request) },
    );
    return { ok: true, operation, reservation: presentReservation(reservation, wallet) };
  }

  /**
   * A reservation with its wallet and cheques.
   *
   * @throws DomainError 404 when the organization has no such reservation
   */
  async read({ organizationId }: Caller, id: string): Promise<PresentedReservation> {
    const _id = parseObjectId(id);
    // One snapshot, so that a callback under way is seen whole or not at all.
    const presented = await this.transactions.run(async () => {
      const reservation = _id && (await this.reservations.findById(organizationId, _id));
      return reservation && presentReservation(reservation, await this.walletOf(reservation));
    });
    if (presented === null) throw new DomainError(reservationErrors.reservationNotFound);
    return presented;
  }

  /** The active wallet, else the one deleted last. */
  private async walletOf({
    organizationId,
    _id,
  }: ReservationDocument): Promise<ChequeWalletDocument | null> {
    const [wallet] = await this.wallets.ofReservation(organizationId, _id);
    return wallet ?? null;
  }

  /** Requests for one unit or one external id wait for each other inside the process. */
  private async queueKeys(
    organizationId: Types.ObjectId,
    { recordSystemId, unit }: ReservationRequest,
  ): Promise<string[]> {
    const stored = await this.upserts.findStored(organizationId, recordSystemId);
    const unitId = stored?.unitId ?? (unit && (await this.units.idOf(organizationId, unit)));
    return [
      ...(recordSystemId === undefined
        ? []
        : [`reservation:${organizationId.toHexString()}:${recordSystemId}`]),
      ...(unitId instanceof Types.ObjectId ? [unitQueueKey(unitId)] : []),
    ];
  }
}
