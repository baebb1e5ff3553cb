import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import type { Caller } from '../../tenants/keys/caller.js';
import { Clock } from '../../core/configuration/clock.js';
import { DomainError } from '../../core/http/errors/domain-error.js';
import type { Answer } from '../../core/idempotency/idempotency-claim.js';
import { IdempotencyService } from '../../core/idempotency/idempotency.service.js';
import { ignoredFieldsValue } from '../../core/http/server/ignored-fields.js';
import { upsertStatus } from '../../core/http/server/upsert-status.js';
import { leadErrors } from '../../leads/lead-errors.js';
import { reservationErrors } from '../reservation-errors.js';
import { LeadsService } from '../../leads/leads.service.js';
import { UnitLookupService, type UnitReference } from '../../units/reading/unit-lookup.service.js';
import type { ReservationUpsertResponseDto } from '../reading/reservation.dto.js';
import { presentReservation } from '../reading/reservation.presenter.js';
import { hasChanged } from '../reservation-state.js';
import { ReservationStateService, unitQueueKey } from '../reservation-state.service.js';
import type { ReservationDocument } from '../reservation.schema.js';
import { ReservationsRepository } from '../reservations.repository.js';
import { decideUpsert, ignoredFields, newReservation } from './upsert-decision.js';
import type { UpsertReservationDto } from './upsert-reservation.dto.js';

/** Reservations as outside systems post them (rule RES-3). */
@Injectable()
export class ReservationUpsertsService {
  constructor(
    private readonly idempotency: IdempotencyService,
    private readonly reservations: ReservationsRepository,
    private readonly states: ReservationStateService,
    private readonly units: UnitLookupService,
    private readonly leads: LeadsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a reservation, or updates the active one with the same `recordSystemId`, in one
   * transaction with its wallet, the availability of its unit and their events.
   *
   * @throws DomainError 400 without a unit to create or with an ambiguous one, 404 for an unknown
   *   unit or lead, 422 for a status that only the callback sets, for another unit and for a wallet
   *   that becomes too large
   */
  async upsert(
    caller: Caller,
    request: UpsertReservationDto,
  ): Promise<Required<Answer<ReservationUpsertResponseDto>>> {
    return this.idempotency.run(
      caller.claim,
      () => this.save(caller, request),
      ({ operation, reservation, wallet }) => {
        const ignored = ignoredFields(request, reservation);
        return {
          status: upsertStatus(operation),
          headers: ignored.length === 0 ? {} : { 'x-ignored-fields': ignoredFieldsValue(ignored) },
          body: { ok: true, operation, reservation: presentReservation(reservation, wallet) },
        };
      },
      {
        queueKeys: await this.queueKeys(caller.organizationId, request),
        expiresAt: caller.expiresAt,
      },
    );
  }

  private async save({ organizationId, requestId }: Caller, request: UpsertReservationDto) {
    const stored = await this.findStored(organizationId, request);
    if (stored === null && request.unit === undefined) {
      throw new DomainError(reservationErrors.unitRequired);
    }
    const references = {
      unitId: await this.unitIdOf(organizationId, request.unit, stored),
      leadId: await this.leadIdOf(organizationId, request.lead?.recordSystemId),
    };
    const tenant = { organizationId, createdAt: this.clock.now() };
    const reservation = stored ?? newReservation(request, references, tenant);
    const isNew = stored === null;
    const records = isNew
      ? await this.states.loadAround(reservation)
      : await this.states.load(organizationId, [reservation]);
    const loaded = records.stateAround(reservation);
    const state = decideUpsert(loaded, request, references);
    // A request that changes nothing must not lock the unit either: clients repeat them all the time.
    if (isNew || hasChanged(loaded, state)) {
      records.put(loaded, state, requestId);
      await this.states.store(organizationId, records, { emitsUnitEvents: true });
    }
    const operation = isNew ? ('create' as const) : ('update' as const);
    return { operation, reservation: state.reservation, wallet: state.wallets[0] };
  }

  private async findStored(
    organizationId: Types.ObjectId,
    { recordSystemId }: UpsertReservationDto,
  ): Promise<ReservationDocument | null> {
    if (recordSystemId === undefined) return null;
    return this.reservations.findByRecordSystemId(organizationId, recordSystemId);
  }

  private async unitIdOf(
    organizationId: Types.ObjectId,
    reference: UnitReference | undefined,
    stored: ReservationDocument | null,
  ): Promise<Types.ObjectId | undefined> {
    if (reference === undefined) return undefined;
    const own = stored?.unitId;
    // A reservation can be ended whatever has become of its unit.
    if (own && (await this.units.isNamedBy(organizationId, own, reference))) return own;
    const id = await this.units.idOf(organizationId, reference);
    if (id === 'ambiguous') throw new DomainError(reservationErrors.unitAmbiguous);
    if (id === 'unknown') throw new DomainError(reservationErrors.unitNotFound);
    return id;
  }

  private async leadIdOf(
    organizationId: Types.ObjectId,
    recordSystemId: string | undefined,
  ): Promise<Types.ObjectId | undefined> {
    if (recordSystemId === undefined) return undefined;
    const id = await this.leads.idOf(organizationId, recordSystemId);
    if (id === null) throw new DomainError(leadErrors.notFound);
    return id;
  }

  /** Requests for one unit or one external id wait for each other inside the process. */
  private async queueKeys(
    organizationId: Types.ObjectId,
    request: UpsertReservationDto,
  ): Promise<string[]> {
    const { recordSystemId, unit } = request;
    const stored = await this.findStored(organizationId, request);
    const unitId = stored?.unitId ?? (unit && (await this.units.idOf(organizationId, unit)));
    return [
      ...(recordSystemId === undefined
        ? []
        : [`reservation:${organizationId.toHexString()}:${recordSystemId}`]),
      ...(unitId instanceof Types.ObjectId ? [unitQueueKey(unitId)] : []),
    ];
  }
}
