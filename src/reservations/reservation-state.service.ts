import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { fieldChanges } from '../change-log/field-changes.js';
import { Clock } from '../configuration/clock.js';
import { UnitAvailabilityService } from '../units/writing/unit-availability.service.js';
import { Outbox } from '../webhooks/outbox/outbox.js';
import type { OutboundEvent } from '../webhooks/outbox/pending-event.js';
import { ChequeWalletsRepository } from './cheques/cheque-wallets.repository.js';
import type { ReservationDto } from './reading/reservation.dto.js';
import { presentReservation, presentWallet } from './reading/reservation.presenter.js';
import type { ReservationState } from './reservation-state.js';
import type { ReservationDocument } from './reservation.schema.js';
import { ReservationsRepository } from './reservations.repository.js';

interface StoreOptions {
  readonly requestId: string;
  readonly isNew?: boolean;
  readonly emitsUnitEvent?: boolean;
}

/** Loads what decisions about a reservation read and stores what they changed. */
@Injectable()
export class ReservationStateService {
  constructor(
    private readonly reservations: ReservationsRepository,
    private readonly wallets: ChequeWalletsRepository,
    private readonly units: UnitAvailabilityService,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /** The state around a reservation, read inside the open transaction. */
  async load(reservation: ReservationDocument): Promise<ReservationState> {
    const { organizationId, _id, unitId } = reservation;
    return {
      reservation,
      unit: unitId ? await this.units.find(organizationId, unitId) : null,
      isUnitDecided: false,
      otherStatuses: await this.reservations.statusesOfOthers(reservation),
      wallets: await this.wallets.findOfReservation(organizationId, _id),
      events: [],
      now: this.clock.now(),
    };
  }

  /**
   * Stores the differences between two states and publishes their events, inside the transaction in
   * which the first one was loaded.
   *
   * @param options.requestId the request whose changes these are
   * @param options.isNew whether the reservation is not stored yet
   * @param options.emitsUnitEvent whether a change of the unit is published too (rule CALL-13)
   */
  async store(
    before: ReservationState,
    after: ReservationState,
    { requestId, isNew = false, emitsUnitEvent = false }: StoreOptions,
  ): Promise<void> {
    const { reservation } = after;
    const events: Omit<OutboundEvent, 'requestId'>[] = [];
    if (isNew) {
      await this.reservations.insert(reservation);
      events.push({ type: 'reservation.created', data: shown(after) });
    } else if (reservation !== before.reservation) {
      await this.reservations.update(before.reservation, reservation);
      events.push(reservationUpdated(before, after));
    }
    await this.storeWallets(before, after);
    for (const { wallet, ...event } of after.events) {
      events.push({ ...event, data: presentWallet(wallet) });
    }
    await this.outbox.publishAll(
      reservation.organizationId,
      events.map((event) => ({ ...event, requestId })),
    );
    if (!after.isUnitDecided || before.unit === null || after.unit === null) return;
    await this.units.store(before.unit, after.unit, emitsUnitEvent ? requestId : null);
  }

  private async storeWallets(before: ReservationState, after: ReservationState): Promise<void> {
    for (const wallet of after.wallets) {
      const stored = before.wallets.find(({ _id }) => _id.equals(wallet._id));
      if (stored === undefined) await this.wallets.insert(wallet);
      else if (stored !== wallet) await this.wallets.update(stored, wallet);
    }
  }
}

function reservationUpdated(before: ReservationState, after: ReservationState): OutboundEvent {
  const changes = fieldChanges(
    auditedFields(before.reservation),
    auditedFields(after.reservation),
    ['partnerCollection'],
  );
  return { type: 'reservation.updated', data: shown(after), changes };
}

/** The reservation of a state with the wallet that is active, else the one deleted last. */
function shown({ reservation, wallets }: ReservationState): ReservationDto {
  const active = wallets.find(({ isDeleted }) => !isDeleted);
  return presentReservation(reservation, active ?? wallets[0]);
}

/** The fields whose changes an event lists; Wallet events list those of the wallet. */
function auditedFields(reservation: ReservationDocument) {
  const { updatedAt: _at, chequeWallet: _wallet, ...fields } = presentReservation(reservation);
  return fields;
}

/** What requests about the reservations of one unit wait for inside a process. */
export function unitQueueKey(unitId: Types.ObjectId): string {
  return `unit:${unitId.toHexString()}`;
}
