import { Injectable } from '@nestjs/common';
import type { Caller } from '../authentication/caller.js';
import { parseObjectId } from '../database/object-id.js';
import { notFound } from '../http/domain-error.js';
import { presentReservation, type PresentedReservation } from './reservation.presenter.js';
import { ReservationsRepository } from './reservations.repository.js';
import { Wallets } from './wallets.js';

/** Reservation records (section 4.5, "Units and reservation records" 5). */
@Injectable()
export class ReservationsService {
  constructor(
    private readonly reservations: ReservationsRepository,
    private readonly wallets: Wallets,
  ) {}

  /**
   * A reservation with its wallet and cheques.
   *
   * @throws DomainError 404 when the organization has no such reservation
   */
  async read({ organizationId }: Caller, id: string): Promise<PresentedReservation> {
    const _id = parseObjectId(id);
    const reservation = _id && (await this.reservations.findById(organizationId, _id));
    if (!reservation) throw notFound('reservations.reservationNotFound');
    const [wallet] = await this.wallets.ofReservation(organizationId, reservation._id);
    return presentReservation(reservation, wallet ?? null);
  }
}
