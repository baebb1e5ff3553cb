import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { OrganizationsRepository } from '../../tenants/organizations/organizations.repository.js';
import { UnitLookupService, type UnitSummary } from '../../units/reading/unit-lookup.service.js';
import type { CallbackLogDocument } from '../callback/callback-log.schema.js';
import { CallbackLogRepository } from '../callback/callback-log.repository.js';
import { ChequeWalletsRepository } from '../cheques/cheque-wallets.repository.js';
import { ReservationsRepository } from '../reservations.repository.js';
import type { ChequeWalletDto, ReservationDto } from './reservation.dto.js';
import { presentReservation, presentWallet } from './reservation.presenter.js';

/** A reservation with all that callbacks look at. */
export interface InspectedReservation extends Omit<ReservationDto, 'chequeWallet'> {
  readonly organizationId: string;
  /** Null when the unit is missing, not just deleted. */
  readonly unit: UnitSummary | null;
  /** The active wallet first, then the one deleted last. */
  readonly wallets: readonly ChequeWalletDto[];
}

/** A callback of the log. */
export interface InspectedCallback extends Pick<
  CallbackLogDocument,
  'requestId' | 'payload' | 'refusedFields' | 'otherFields' | 'outcome'
> {
  readonly receivedAt: Date;
  readonly organizationId: string;
  readonly apiKeyId: string;
}

/** Reservations of any organization, for the operator. */
@Injectable()
export class ReservationInspectionService {
  constructor(
    private readonly organizations: OrganizationsRepository,
    private readonly reservations: ReservationsRepository,
    private readonly wallets: ChequeWalletsRepository,
    private readonly units: UnitLookupService,
    private readonly log: CallbackLogRepository,
  ) {}

  /**
   * A reservation, soft-deleted or not, with its unit and wallets; null when there is none.
   *
   * @param ofOrganization whose it has to be; anybody's without it
   */
  async inspect(
    id: Types.ObjectId,
    ofOrganization?: Types.ObjectId,
  ): Promise<InspectedReservation | null> {
    const organizations =
      ofOrganization === undefined ? await this.organizations.listAllIds() : [ofOrganization];
    const reservation = await this.reservations.findAcross(organizations, id);
    if (reservation === null) return null;
    const { organizationId, unitId } = reservation;
    const wallets = await this.wallets.findOfReservation(organizationId, id);
    const { chequeWallet: _wallet, ...presented } = presentReservation(reservation);
    return {
      ...presented,
      organizationId: organizationId.toHexString(),
      unit: unitId ? await this.units.summary(organizationId, unitId) : null,
      wallets: wallets.map(presentWallet),
    };
  }

  /**
   * The logged callbacks with the id of a reservation, newest first, also those of another
   * organization, which got a 404.
   */
  async callbacks(id: Types.ObjectId, limit: number): Promise<InspectedCallback[]> {
    const organizationIds = await this.organizations.listAllIds();
    const entries = await this.log.findAcross(organizationIds, id.toHexString(), limit);
    return entries.map((entry) => ({
      receivedAt: entry.createdAt,
      organizationId: entry.organizationId.toHexString(),
      apiKeyId: entry.apiKeyId.toHexString(),
      requestId: entry.requestId,
      payload: entry.payload,
      refusedFields: entry.refusedFields,
      otherFields: entry.otherFields,
      outcome: entry.outcome,
    }));
  }
}
