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
import type { LoadedReservations, ReservationRecords } from './reservation-records.js';

/** Sorts the active wallet first, then the last deleted one. */
const latestFirst = { isDeleted: 1, deletedAt: -1, _id: -1 } as const;

/** Uses one command per collection for all requests of a group, which keeps their transaction short. */
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
      reservationsOfUnits: await this.unitReservations.findByUnits(organizationId, unitIds),
      wallets: await this.walletsOf(organizationId, ids),
      now,
    };
  }

  /** @param options `emitsUnitEvents` also publishes changes of units (rule CALL-13) */
  async store(
    organizationId: Types.ObjectId,
    records: ReservationRecords,
    { emitsUnitEvents = false }: { readonly emitsUnitEvents?: boolean } = {},
  ): Promise<void> {
    const { published, now } = records;
    await this.reservations.write(organizationId, records.reservationChanges().map(buildWrite));
    await this.wallets.write(organizationId, records.walletChanges().map(buildWrite));
    await this.units.storeStatuses(organizationId, records.unitChanges());
    const unitChanges = emitsUnitEvents ? published.filter((one) => 'after' in one) : [];
    const unitEvents = await this.units.changeEvents(organizationId, unitChanges);
    const events = published.flatMap((one) => ('after' in one ? (unitEvents.shift() ?? []) : one));
    await this.outbox.publish(organizationId, events, now);
  }
}
