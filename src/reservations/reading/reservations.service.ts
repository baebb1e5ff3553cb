import { Injectable } from '@nestjs/common';
import type { Caller } from '../../tenants/keys/caller.js';
import { parseObjectId } from '../../core/database/documents/object-id.js';
import { Transactions } from '../../core/database/transactions/transactions.js';
import { DomainError } from '../../core/http/errors/domain-error.js';
import { reservationErrors } from '../reservation-errors.js';
import { ChequeWalletsRepository } from '../cheques/cheque-wallets.repository.js';
import { ReservationsRepository } from '../reservations.repository.js';
import type { ReservationDto } from './reservation.dto.js';
import { presentReservation } from './reservation.presenter.js';

/** Reads reservations (rule RES-1). */
@Injectable()
export class ReservationsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly reservations: ReservationsRepository,
    private readonly wallets: ChequeWalletsRepository,
  ) {}

  /**
   * A reservation with its wallet and cheques.
   *
   * @throws DomainError 404 when the organization has no such reservation
   */
  async read({ organizationId, expiresAt }: Caller, id: string): Promise<ReservationDto> {
    const _id = parseObjectId(id);
    // One snapshot, so that a callback under way is seen whole or not at all.
    const find = async () => {
      const reservation = _id && (await this.reservations.findById(organizationId, _id));
      if (reservation === null) return null;
      const [wallet] = await this.wallets.findOfReservation(organizationId, reservation._id);
      return presentReservation(reservation, wallet);
    };
    const presented = await this.transactions.run(find, { expiresAt });
    if (presented === null) throw new DomainError(reservationErrors.reservationNotFound);
    return presented;
  }
}
