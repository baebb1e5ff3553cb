import { Injectable } from '@nestjs/common';
import type { ReservationDocument } from './reservation.schema.js';
import { UnitReservationsRepository } from './unit-reservations.repository.js';
import { parseObjectId } from '../core/database/documents/tenant-document.js';
import { Transactions } from '../core/database/transactions/transactions.js';
import { DomainError } from '../core/errors/domain-error.js';
import type { RequestCaller } from '../core/http/requests/request-caller.js';
import { Outbox } from '../events/outbox/outbox.js';
import { UnitWritesService } from '../units/writing/unit-writes.service.js';
import { ChequeWalletsRepository } from './cheques/cheque-wallets.repository.js';
import { presentDetails, type ReservationDetailsDto } from './reading/reservation.dto.js';
import { reservationErrors } from './reservation-errors.js';
import { reservationEvents, walletChanges } from './reservation-events.js';
import type { ReservationState } from './reservation-state.js';
import { ReservationsRepository } from './reservations.repository.js';

interface StoreOptions {
  readonly requestId: string;
  readonly isNew?: boolean;
  /** Also publishes the change of the unit (rule CALL-13). */
  readonly emitsUnitEvents?: boolean;
}

@Injectable()
export class ReservationStateService {
  constructor(
    private readonly reservations: ReservationsRepository,
    private readonly wallets: ChequeWalletsRepository,
    private readonly unitReservations: UnitReservationsRepository,
    private readonly units: UnitWritesService,
    private readonly outbox: Outbox,
    private readonly transactions: Transactions,
  ) {}

  /** @throws DomainError 404 if the organization has no such reservation */
  async read(
    { organizationId, expiresAt }: RequestCaller,
    id: string,
  ): Promise<ReservationDetailsDto> {
    const _id = parseObjectId(id);
    // In a snapshot, a concurrent callback is visible completely or not at all.
    const found = await this.transactions.run(
      async () => {
        const reservation = _id && (await this.reservations.findActive(organizationId, _id));
        if (reservation === null) return null;
        const wallets = await this.wallets.findOf(organizationId, reservation._id);
        return presentDetails(reservation, wallets);
      },
      { expiresAt },
    );
    if (found === null) throw new DomainError(reservationErrors.reservationNotFound);
    return found;
  }

  /** Loads all that decisions about a stored or new reservation read and change. */
  async load(reservation: ReservationDocument, now: Date): Promise<ReservationState> {
    const { organizationId, _id, unitId } = reservation;
    const unitIds = unitId ? [unitId] : [];
    const [unit = null] = await this.units.findAll(organizationId, unitIds);
    const ofUnit = await this.unitReservations.findByUnits(organizationId, unitIds);
    const others = ofUnit.filter((other) => !other._id.equals(_id));
    return {
      reservation,
      unit,
      isUnitLocked: false,
      otherStatusesOfUnit: others.map(({ status }) => status),
      wallets: await this.wallets.findOf(organizationId, _id),
      events: [],
      now,
    };
  }

  /** Stores what a decision has changed, with its events. */
  async store(
    before: ReservationState,
    after: ReservationState,
    { requestId, isNew = false, emitsUnitEvents = false }: StoreOptions,
  ): Promise<void> {
    const { reservation, now } = after;
    const { organizationId } = reservation;
    if (isNew || reservation !== before.reservation) {
      const change = { before: isNew ? undefined : before.reservation, after: reservation };
      await this.reservations.write(organizationId, change);
    }
    await this.wallets.write(organizationId, walletChanges(before, after));
    const events = reservationEvents(before, after, isNew).map((event) => ({
      ...event,
      requestId,
    }));
    if (after.isUnitLocked && before.unit !== null && after.unit !== null) {
      const unit = { before: before.unit, after: after.unit, requestId };
      await this.units.storeStatus(organizationId, unit);
      if (emitsUnitEvents && unit.after !== unit.before) {
        const [event] = await this.units.changeEvents(organizationId, [unit]);
        if (event !== undefined) events.push({ ...event, requestId });
      }
    }
    await this.outbox.publish(organizationId, events, now);
  }
}
