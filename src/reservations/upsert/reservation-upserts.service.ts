import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { ReservationDocument } from '../reservation.schema.js';
import { Clock } from '../../core/configuration/clock.js';
import { Transactions } from '../../core/database/transactions/transactions.js';
import { DomainError } from '../../core/errors/domain-error.js';
import { type UpsertResponse, upsertResponse } from '../../core/http/api-documentation.js';
import { IdempotencyService } from '../../core/idempotency/idempotency.service.js';
import { ignoredFieldsValue } from '../../core/validation/dto-reader.js';
import { leadErrors } from '../../leads/lead-errors.js';
import { LeadsRepository } from '../../leads/leads.repository.js';
import type { Caller } from '../../tenants/keys/caller.js';
import { UnitLookupService } from '../../units/reading/unit-lookup.service.js';
import {
  presentReservation,
  type ReservationUpsertResponseDto,
} from '../reading/reservation.dto.js';
import { reservationErrors } from '../reservation-errors.js';
import { hasChanged, type ReservationState } from '../reservation-state.js';
import { ReservationStateService } from '../reservation-state.service.js';
import { ReservationsRepository } from '../reservations.repository.js';
import { decideUpsert, ignoredFields, newReservation, type LinkedIds } from './upsert-decision.js';
import type { UpsertReservationDto } from './upsert-reservation.dto.js';

type UpsertResult = UpsertResponse<ReservationUpsertResponseDto>;

@Injectable()
export class ReservationUpsertsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly idempotency: IdempotencyService,
    private readonly reservations: ReservationsRepository,
    private readonly store: ReservationStateService,
    private readonly units: UnitLookupService,
    private readonly leads: LeadsRepository,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError for unknown units and leads, and for changes that an upsert must not make */
  upsert(caller: Caller, body: UpsertReservationDto): Promise<UpsertResult> {
    const { organizationId, requestId, expiresAt } = caller;
    const upsert = async () => {
      const now = this.clock.now();
      const stored = await this.findStored(organizationId, body);
      const isNew = stored === undefined;
      if (isNew && body.unit === undefined) throw new DomainError(reservationErrors.unitRequired);
      const linked = await this.linkedIds(organizationId, body, stored);
      const tenant = { organizationId, createdAt: now };
      const before = await this.store.load(stored ?? newReservation(body, linked, tenant), now);
      const after = decideUpsert(before, body, linked);
      // Clients often repeat requests: one that changes nothing must not lock the unit.
      if (isNew || hasChanged(before, after)) {
        await this.store.store(before, after, { requestId, isNew, emitsUnitEvents: true });
      }
      const response = responseTo(isNew ? 'create' : 'update', body, after);
      await this.idempotency.complete(caller, response, now);
      return response;
    };
    const record = `reserved ${JSON.stringify(body.unit ?? body.recordSystemId)}`;
    return this.transactions.run(upsert, { expiresAt, oneAtATime: { organizationId, record } });
  }

  private async findStored(
    organizationId: Types.ObjectId,
    { recordSystemId }: UpsertReservationDto,
  ): Promise<ReservationDocument | undefined> {
    if (recordSystemId === undefined) return undefined;
    const [stored] = await this.reservations.findByExternalId(organizationId, recordSystemId);
    return stored;
  }

  private async linkedIds(
    organizationId: Types.ObjectId,
    { unit, lead }: UpsertReservationDto,
    stored: ReservationDocument | undefined,
  ): Promise<LinkedIds> {
    // A reservation can still be canceled after its unit was deleted.
    const unitId =
      unit === undefined
        ? undefined
        : await this.units.resolve(organizationId, unit, stored?.unitId);
    if (unitId === 'ambiguous') throw new DomainError(reservationErrors.unitAmbiguous);
    if (unitId === 'unknown') throw new DomainError(reservationErrors.unitNotFound);
    if (lead === undefined) return { unitId, leadId: undefined };
    const leadId = await this.leads.idOf(organizationId, lead.recordSystemId);
    if (leadId === undefined) throw new DomainError(leadErrors.notFound);
    return { unitId, leadId };
  }
}

function responseTo(
  operation: 'create' | 'update',
  body: UpsertReservationDto,
  { reservation, wallets }: ReservationState,
): UpsertResult {
  const ignored = ignoredFields(body, reservation);
  return {
    ...upsertResponse(operation, { reservation: presentReservation(reservation, wallets[0]) }),
    headers: ignored.length === 0 ? {} : { 'x-ignored-fields': ignoredFieldsValue(ignored) },
  };
}
