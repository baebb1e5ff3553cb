import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { OrganizationsRepository } from '../../organizations/organizations.repository.js';
import { UnitLookupService, type UnitSummary } from '../../units/reading/unit-lookup.service.js';
import type { CallbackOutcome } from '../callback/callback-record.schema.js';
import { CallbackRecordsRepository } from '../callback/callback-records.repository.js';
import {
  presentReservation,
  type PresentedReservation,
  presentWallet,
  type PresentedWallet,
} from './reservation.presenter.js';
import { ReservationsRepository } from './reservations.repository.js';
import { Wallets } from '../cheques/wallets.js';

/** A reservation with all that callbacks look at. */
export interface InspectedReservation extends Omit<PresentedReservation, 'chequeWallet'> {
  readonly organizationId: string;
  /** Null when the unit is missing altogether. */
  readonly unit: UnitSummary | null;
  /** The active wallet first, then the soft-deleted ones, the last deleted first. */
  readonly wallets: readonly PresentedWallet[];
}

/** A callback as it was recorded. */
export interface InspectedCallback {
  readonly receivedAt: Date;
  readonly organizationId: string;
  readonly apiKeyId: string;
  readonly requestId: string;
  readonly payload: object;
  readonly outcome: CallbackOutcome;
}

/** What the operator looks up about reservations, of whichever organization they are. */
@Injectable()
export class ReservationInspectionService {
  constructor(
    private readonly organizations: OrganizationsRepository,
    private readonly reservations: ReservationsRepository,
    private readonly wallets: Wallets,
    private readonly units: UnitLookupService,
    private readonly records: CallbackRecordsRepository,
  ) {}

  /** A reservation, soft-deleted or not, with its unit and wallets; null when there is none. */
  async inspect(id: Types.ObjectId): Promise<InspectedReservation | null> {
    const reservation = await this.reservations.findAcross(await this.organizationIds(), id);
    if (reservation === null) return null;
    const { organizationId, unitId } = reservation;
    const wallets = await this.wallets.ofReservation(organizationId, id);
    const { chequeWallet: _wallet, ...presented } = presentReservation(reservation, null);
    return {
      ...presented,
      organizationId: organizationId.toHexString(),
      unit: unitId ? await this.units.summary(organizationId, unitId) : null,
      wallets: wallets.map(presentWallet),
    };
  }

  /**
   * The recorded callbacks that named a reservation, newest first; those of a wrong organization
   * too, which were told that there is none.
   */
  async callbacks(id: Types.ObjectId, limit: number): Promise<InspectedCallback[]> {
    const organizationIds = await this.organizationIds();
    const records = await this.records.findAcross(organizationIds, id.toHexString(), limit);
    return records.map(({ createdAt, organizationId, apiKeyId, requestId, payload, outcome }) => ({
      receivedAt: createdAt,
      organizationId: organizationId.toHexString(),
      apiKeyId: apiKeyId.toHexString(),
      requestId,
      payload,
      outcome,
    }));
  }

  private async organizationIds(): Promise<Types.ObjectId[]> {
    return this.organizations.listAllIds();
  }
}
