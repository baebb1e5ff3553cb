import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../core/configuration/clock.js';
import { UnitAvailabilityService } from '../units/writing/unit-availability.service.js';
import { Outbox } from '../events/outbox/outbox.js';
import { ChequeWalletsRepository } from './cheques/cheque-wallets.repository.js';
import { ReservationRecords } from './reservation-records.js';
import type { ReservationDocument } from './reservation.schema.js';
import { ReservationsRepository } from './reservations.repository.js';

/** Loads what decisions about reservations read and stores what they changed. */
@Injectable()
export class ReservationStateService {
  constructor(
    private readonly reservations: ReservationsRepository,
    private readonly wallets: ChequeWalletsRepository,
    private readonly units: UnitAvailabilityService,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /** What there is around reservations of an organization, one query of a kind. */
  async load(
    organizationId: Types.ObjectId,
    reservations: readonly ReservationDocument[],
  ): Promise<ReservationRecords> {
    const unitIds = reservations.flatMap(({ unitId }) => unitId ?? []);
    const ids = reservations.map(({ _id }) => _id);
    return new ReservationRecords({
      reservations,
      units: await this.units.findAll(organizationId, unitIds),
      ofUnits: await this.reservations.ofUnits(organizationId, unitIds),
      wallets: await this.wallets.findOfReservations(organizationId, ids),
      now: this.clock.now(),
    });
  }

  /** What there is around a reservation that is not stored yet. */
  async loadAround({ organizationId, unitId }: ReservationDocument): Promise<ReservationRecords> {
    const unitIds = unitId ? [unitId] : [];
    return new ReservationRecords({
      reservations: [],
      units: await this.units.findAll(organizationId, unitIds),
      ofUnits: await this.reservations.ofUnits(organizationId, unitIds),
      wallets: [],
      now: this.clock.now(),
    });
  }

  /**
   * Stores what decisions changed and publishes their events, inside the transaction in which the
   * records were loaded: one command for each collection.
   *
   * @param options.emitsUnitEvents whether changes of units are published too (rule CALL-13)
   */
  async store(
    organizationId: Types.ObjectId,
    records: ReservationRecords,
    { emitsUnitEvents = false }: { readonly emitsUnitEvents?: boolean } = {},
  ): Promise<void> {
    await this.reservations.write(organizationId, records.reservationChanges());
    await this.wallets.write(organizationId, records.walletChanges());
    const decisions = records.unitDecisions();
    await this.units.storeAll(organizationId, decisions);
    const unitEvents = emitsUnitEvents ? await this.units.eventsOf(decisions) : [];
    await this.outbox.publishAll(organizationId, [...records.events, ...unitEvents]);
  }
}

/** What requests about the reservations of one unit wait for inside a process. */
export function unitQueueKey(unitId: Types.ObjectId): string {
  return `unit:${unitId.toHexString()}`;
}
