import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { UnitReservationsRepository } from '../availability/unit-reservations.repository.js';
import { UnitWritesService } from '../units/writing/unit-writes.service.js';
import { Outbox } from '../events/outbox/outbox.js';
import { ChequeWalletsRepository } from './cheques/cheque-wallets.repository.js';
import { ReservationRecords } from './reservation-records.js';
import type { ReservationDocument } from '../availability/reservation.schema.js';
import { ReservationsRepository } from './reservations.repository.js';

/** Loads what decisions about reservations read and stores what they changed. */
@Injectable()
export class ReservationStateService {
  constructor(
    private readonly reservations: ReservationsRepository,
    private readonly unitReservations: UnitReservationsRepository,
    private readonly wallets: ChequeWalletsRepository,
    private readonly units: UnitWritesService,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Reads reservations of an organization with their units and wallets, in one query of a kind.
   *
   * @param otherUnits of which there may be new reservations
   */
  async load(
    organizationId: Types.ObjectId,
    reservations: readonly ReservationDocument[],
    now: Date,
    otherUnits: readonly Types.ObjectId[] = [],
  ): Promise<ReservationRecords> {
    const unitIds = [...reservations.flatMap(({ unitId }) => unitId ?? []), ...otherUnits];
    const ids = reservations.map(({ _id }) => _id);
    return new ReservationRecords({
      reservations,
      units: await this.units.findAll(organizationId, unitIds),
      ofUnits: await this.unitReservations.ofUnits(organizationId, unitIds),
      wallets: await this.wallets.findOfReservations(organizationId, ids),
      now,
    });
  }

  /**
   * Stores changes and publishes their events, inside the transaction in which the records were
   * loaded: one command for each collection.
   *
   * @param options.emitsUnitEvents whether changes of units are published too (rule CALL-13)
   */
  async store(
    organizationId: Types.ObjectId,
    records: ReservationRecords,
    { emitsUnitEvents = false }: { readonly emitsUnitEvents?: boolean } = {},
  ): Promise<void> {
    const { published, now } = records;
    await this.reservations.write(organizationId, records.reservationChanges());
    await this.wallets.write(organizationId, records.walletChanges());
    await this.units.storeStatuses(organizationId, records.unitDecisions());
    const changes = emitsUnitEvents ? published.filter((one) => 'after' in one) : [];
    const unitEvents = (await this.units.eventsOf(organizationId, changes)).values();
    const events = published.flatMap((one) => {
      if (!('after' in one)) return one;
      return (emitsUnitEvents && unitEvents.next().value) || [];
    });
    await this.outbox.publish(organizationId, events, now);
  }
}
