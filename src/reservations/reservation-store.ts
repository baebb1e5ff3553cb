import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { ReservationDocument } from '../availability/reservation.schema.js';
import { UnitReservationsRepository } from '../availability/unit-reservations.repository.js';
import { Outbox } from '../events/outbox/outbox.js';
import { UnitWritesService } from '../units/writing/unit-writes.service.js';
import type { LoadedReservations, ReservationRecords } from './reservation-records.js';
import { ReservationsRepository } from './reservations.repository.js';

/** Loads and stores the records of decisions, one query or command for each collection. */
@Injectable()
export class ReservationStore {
  constructor(
    private readonly reservations: ReservationsRepository,
    private readonly unitReservations: UnitReservationsRepository,
    private readonly units: UnitWritesService,
    private readonly outbox: Outbox,
  ) {}

  /** @param otherUnits units that may get new reservations */
  async load(
    organizationId: Types.ObjectId,
    reservations: readonly ReservationDocument[],
    now: Date,
    otherUnits: readonly Types.ObjectId[] = [],
  ): Promise<LoadedReservations> {
    const unitIds = [...reservations.flatMap(({ unitId }) => unitId ?? []), ...otherUnits];
    const ids = reservations.map(({ _id }) => _id);
    return {
      reservations,
      units: await this.units.findAll(organizationId, unitIds),
      ofUnits: await this.unitReservations.ofUnits(organizationId, unitIds),
      wallets: await this.reservations.walletsOf(organizationId, ids),
      now,
    };
  }

  /** @param options.emitsUnitEvents whether changes of units are published too (rule CALL-13) */
  async store(
    organizationId: Types.ObjectId,
    records: ReservationRecords,
    { emitsUnitEvents = false }: { readonly emitsUnitEvents?: boolean } = {},
  ): Promise<void> {
    const { published, now } = records;
    await this.reservations.write(
      organizationId,
      records.reservationChanges(),
      records.walletChanges(),
    );
    await this.units.storeStatuses(organizationId, records.unitChanges());
    const unitChanges = emitsUnitEvents ? published.filter((one) => 'after' in one) : [];
    const unitEvents = await this.units.eventsOf(organizationId, unitChanges);
    const events = published.flatMap((one) => ('after' in one ? (unitEvents.shift() ?? []) : one));
    await this.outbox.publish(organizationId, events, now);
  }
}
