import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { ReservationDocument } from '../../availability/reservation.schema.js';
import type { KeysetPage, KeysetRequest } from '../../core/database/documents/keyset.js';
import { parseObjectId } from '../../core/database/documents/tenant-document.js';
import type { Tenants } from '../../core/database/documents/tenant-queries.js';
import { Transactions } from '../../core/database/transactions/transactions.js';
import { DomainError } from '../../core/http/errors/domain-error.js';
import type { Caller } from '../../tenants/keys/caller.js';
import { UnitLookupService, type UnitSummary } from '../../units/reading/unit-lookup.service.js';
import { CallbackLogRepository } from '../callback/callback-log.repository.js';
import { reservationErrors } from '../reservation-errors.js';
import { type UnitOrLeadId, ReservationsRepository } from '../reservations.repository.js';
import type { ChequeWalletDto, ReservationDto } from './reservation.dto.js';
import { presentFields, presentReservation, presentWallet } from './reservation.presenter.js';

export interface FoundReservation extends Omit<ReservationDto, 'chequeWallet'> {
  readonly organizationId: string;
}

export interface InspectedReservation extends FoundReservation {
  /** Null when the unit is missing, not when it is deleted. */
  readonly unit: UnitSummary | null;
  /** The active wallet first, then the one deleted last. */
  readonly wallets: readonly ChequeWalletDto[];
}

/** Reads reservations for the API (rule RES-1) and the operator. */
@Injectable()
export class ReservationsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly reservations: ReservationsRepository,
    private readonly log: CallbackLogRepository,
    private readonly units: UnitLookupService,
  ) {}

  /** @throws DomainError 404 when the organization has no such reservation */
  async read({ organizationId, expiresAt }: Caller, id: string): Promise<ReservationDto> {
    const _id = parseObjectId(id);
    // One snapshot, so that a callback under way is seen whole or not at all.
    const presented = await this.transactions.run(
      async () => {
        const ids = _id === null ? [] : [_id];
        const [reservation] = await this.reservations.findByIds(organizationId, ids);
        if (reservation === undefined) return null;
        const [wallet] = await this.reservations.walletsOf(organizationId, ids);
        return presentReservation(reservation, wallet);
      },
      { expiresAt },
    );
    if (presented === null) throw new DomainError(reservationErrors.reservationNotFound);
    return presented;
  }

  async inspect(
    organizationIds: Tenants,
    id: Types.ObjectId,
  ): Promise<InspectedReservation | null> {
    const reservation = await this.reservations.findIncludingDeleted(organizationIds, id);
    if (reservation === null) return null;
    const { organizationId, unitId } = reservation;
    const wallets = await this.reservations.walletsOf(organizationId, [id]);
    return {
      ...presentFound(reservation),
      unit: unitId ? await this.units.summary(organizationId, unitId) : null,
      wallets: wallets.map(presentWallet),
    };
  }

  /** The reservations with this external id, and the one with this id, deleted or not. */
  async search(organizationIds: Tenants, reference: string): Promise<FoundReservation[]> {
    const found = await this.reservations.findReferenced(organizationIds, reference);
    return found.map(presentFound);
  }

  async ofRequest(
    organizationIds: Tenants,
    requestId: string,
    limit: number,
  ): Promise<FoundReservation[]> {
    const callbacks = await this.log.ofRequest(organizationIds, requestId, limit);
    const ids = new Set(callbacks.flatMap(({ reservationId }) => reservationId ?? []));
    const found = await Promise.all([...ids].map((id) => this.search(organizationIds, id)));
    return found.flat();
  }

  /** Newest first; the reservations of a lead include deleted ones. */
  async list(
    organizationId: Types.ObjectId,
    about: UnitOrLeadId,
    part: KeysetRequest,
  ): Promise<KeysetPage<FoundReservation>> {
    const { items, next } = await this.reservations.list(organizationId, about, part);
    return { items: items.map(presentFound), next };
  }
}

function presentFound(reservation: ReservationDocument): FoundReservation {
  const organizationId = reservation.organizationId.toHexString();
  return { ...presentFields(reservation), organizationId };
}
