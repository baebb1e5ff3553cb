import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { ReservationDocument } from '../availability/reservation.schema.js';
import { UnitReservationsRepository } from '../availability/unit-reservations.repository.js';
import { buildWrite } from '../core/database/documents/document-diff.js';
import {
  InjectCollection,
  type TenantCollection,
} from '../core/database/documents/tenant-collection.js';
import { notDeleted, parseObjectId } from '../core/database/documents/tenant-document.js';
import type { ReadOptions, TenantFilter } from '../core/database/documents/tenant-queries.js';
import { Transactions } from '../core/database/transactions/transactions.js';
import { DomainError } from '../core/http/errors/domain-error.js';
import type { RequestCaller } from '../core/http/request-caller.js';
import { Outbox } from '../events/outbox/outbox.js';
import { UnitWritesService } from '../units/writing/unit-writes.service.js';
import type { ChequeWalletDocument } from './cheques/cheque-wallet.schema.js';
import { presentReservation, type ReservationDto } from './reading/reservation.dto.js';
import { reservationErrors } from './reservation-errors.js';
import { reservationEvents, walletChanges } from './reservation-events.js';
import type { ReservationState } from './reservation-state.js';

/** Sorts the active wallet first, then the last deleted one. */
const latestFirst = { isDeleted: 1, deletedAt: -1, _id: -1 } as const;

interface StoreOptions {
  readonly requestId: string;
  readonly isNew?: boolean;
  /** Also publishes the change of the unit (rule CALL-13). */
  readonly emitsUnitEvents?: boolean;
}

@Injectable()
export class ReservationStore {
  constructor(
    @InjectCollection('Reservation')
    private readonly reservations: TenantCollection<ReservationDocument>,
    @InjectCollection('ChequeWallet')
    private readonly wallets: TenantCollection<ChequeWalletDocument>,
    private readonly unitReservations: UnitReservationsRepository,
    private readonly units: UnitWritesService,
    private readonly outbox: Outbox,
    private readonly transactions: Transactions,
  ) {}

  /** @throws DomainError 404 if the organization has no such reservation */
  async read({ organizationId, expiresAt }: RequestCaller, id: string): Promise<ReservationDto> {
    const ids = [parseObjectId(id) ?? []].flat();
    // In a snapshot, a concurrent callback is visible completely or not at all.
    const [reservation, wallet] = await this.transactions.run(
      async () => {
        const [found] = await this.findActive(organizationId, { _id: { $in: ids } });
        return [found, (await this.walletsOf(organizationId, found ? ids : []))[0]] as const;
      },
      { expiresAt },
    );
    if (reservation === undefined) throw new DomainError(reservationErrors.reservationNotFound);
    return presentReservation(reservation, wallet);
  }

  async findActive(
    organizationId: Types.ObjectId,
    filter: TenantFilter<ReservationDocument>,
  ): Promise<ReservationDocument[]> {
    return this.reservations.find(organizationId, { ...filter, ...notDeleted });
  }

  /** Returns each reservation's active wallet first, then the last deleted one. */
  async walletsOf(
    organizationId: Types.ObjectId,
    reservationIds: readonly Types.ObjectId[],
    options: Pick<ReadOptions<ChequeWalletDocument>, 'fields'> = {},
  ): Promise<ChequeWalletDocument[]> {
    if (reservationIds.length === 0) return [];
    const filter = { reservationId: { $in: reservationIds } };
    return this.wallets.find(organizationId, filter, { sort: latestFirst, ...options });
  }

  /** Loads all that decisions about a stored or new reservation read and change. */
  async load(reservation: ReservationDocument, now: Date): Promise<ReservationState> {
    const { organizationId, _id, unitId } = reservation;
    const unitIds = unitId ? [unitId] : [];
    const [unit = null] = await this.units.findAll(organizationId, unitIds);
    const ofUnit = await this.unitReservations.findByUnits(organizationId, unitIds);
    const others = ofUnit.filter((one) => !one._id.equals(_id));
    return {
      reservation,
      unit,
      isUnitLocked: false,
      otherStatusesOfUnit: others.map(({ status }) => status),
      wallets: await this.walletsOf(organizationId, [_id]),
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
      await this.reservations.write(organizationId, [buildWrite(change)]);
    }
    await this.wallets.write(organizationId, walletChanges(before, after).map(buildWrite));
    const events = reservationEvents(before, after, isNew).map((one) => ({ ...one, requestId }));
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
