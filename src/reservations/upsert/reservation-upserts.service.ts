import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { ReservationDocument } from '../../availability/reservation.schema.js';
import { DomainError } from '../../core/http/errors/domain-error.js';
import { ignoredFieldsValue } from '../../core/validation/dto-reader.js';
import { type UpsertResponse, upsertResponse } from '../../core/http/reference/endpoint.js';
import { GroupCommit } from '../../core/writes/group-commit.js';
import { WriteServices } from '../../core/writes/group-transaction.js';
import type {
  DecidedRequest,
  LoadedRecords,
  LoadOptions,
} from '../../core/writes/write-handler.js';
import { leadErrors } from '../../leads/lead-errors.js';
import { LeadsRepository } from '../../leads/leads.repository.js';
import type { Caller } from '../../tenants/keys/caller.js';
import { type ResolvedUnits, UnitLookupService } from '../../units/reading/unit-lookup.service.js';
import {
  presentReservation,
  type ReservationUpsertResponseDto,
} from '../reading/reservation.dto.js';
import { reservationErrors } from '../reservation-errors.js';
import { type LoadedReservations, ReservationRecords } from '../reservation-records.js';
import { hasChanged, type ReservationState } from '../reservation-state.js';
import { ReservationStore } from '../reservation-store.service.js';
import { decideUpsert, ignoredFields, newReservation } from './upsert-decision.js';
import type { UpsertReservationDto } from './upsert-reservation.dto.js';

interface UpsertRequest {
  readonly caller: Caller;
  readonly body: UpsertReservationDto;
}

class UpsertRecords extends ReservationRecords {
  constructor(
    loaded: LoadedReservations,
    readonly namedUnits: ResolvedUnits,
    readonly leadIds: ReadonlyMap<string, Types.ObjectId>,
  ) {
    super(loaded);
  }
}

interface UpsertDecision extends Pick<ReservationState, 'reservation' | 'wallets'> {
  readonly operation: 'create' | 'update';
}

type UpsertResult = UpsertResponse<ReservationUpsertResponseDto>;

/** Groups concurrent upserts of an organization into one transaction, since they may conflict over a unit. */
@Injectable()
export class ReservationUpsertsService {
  private readonly commit: GroupCommit<UpsertRequest, UpsertRecords, UpsertDecision, UpsertResult>;

  constructor(
    services: WriteServices,
    private readonly reservations: ReservationStore,
    private readonly units: UnitLookupService,
    private readonly leads: LeadsRepository,
  ) {
    this.commit = new GroupCommit(services, {
      name: 'reservation',
      load: (requests, options) => this.load(requests, options),
      decide,
      store: (records, organizationId) =>
        this.reservations.store(organizationId, records, { emitsUnitEvents: true }),
      respond: (decided) => decided.map(responseTo),
    });
  }

  /** @throws DomainError for unknown units and leads, and for changes that an upsert must not make */
  upsert(caller: Caller, body: UpsertReservationDto): Promise<UpsertResult> {
    return this.commit.submit({ caller, body }, body);
  }

  private async load(
    requests: readonly UpsertRequest[],
    { organizationId, now }: LoadOptions,
  ): Promise<LoadedRecords<UpsertRecords>> {
    const bodies = requests.map(({ body }) => body);
    const names = bodies.flatMap(({ recordSystemId }) => recordSystemId ?? []);
    const stored = await this.reservations.findActive(organizationId, {
      recordSystemId: { $in: names },
    });
    const references = bodies.flatMap(({ unit }) => unit ?? []);
    const storedUnitIds = stored.flatMap(({ unitId }) => unitId ?? []);
    const units = await this.units.resolve(organizationId, references, storedUnitIds);
    const leads = await this.leads.idsOf(
      organizationId,
      bodies.flatMap(({ lead }) => lead?.recordSystemId ?? []),
    );
    const loaded = await this.reservations.load(organizationId, stored, now, units.ids);
    return { records: new UpsertRecords(loaded, units, leads), count: requests.length };
  }
}

function decide(
  records: UpsertRecords,
  { caller: { organizationId, requestId }, body }: UpsertRequest,
): UpsertDecision {
  const stored = records.findByRecordSystemId(body.recordSystemId);
  if (stored === undefined && body.unit === undefined) {
    throw new DomainError(reservationErrors.unitRequired);
  }
  const references = { unitId: unitIdOf(records, body, stored), leadId: leadIdOf(records, body) };
  const tenant = { organizationId, createdAt: records.now };
  const loaded = records.stateOf(stored ?? newReservation(body, references, tenant));
  const state = decideUpsert(loaded, body, references);
  // Clients often repeat requests: one that changes nothing must not lock the unit.
  if (stored === undefined || hasChanged(loaded, state)) records.put(loaded, state, requestId);
  return { ...state, operation: stored === undefined ? 'create' : 'update' };
}

function unitIdOf(
  { namedUnits }: UpsertRecords,
  { unit: reference }: UpsertReservationDto,
  stored: ReservationDocument | undefined,
): Types.ObjectId | undefined {
  if (reference === undefined) return undefined;
  // A reservation can still be canceled after its unit was deleted.
  const id = namedUnits.idOf(reference, stored?.unitId);
  if (id === 'ambiguous') throw new DomainError(reservationErrors.unitAmbiguous);
  if (id === 'unknown') throw new DomainError(reservationErrors.unitNotFound);
  return id;
}

function leadIdOf(
  { leadIds }: UpsertRecords,
  { lead }: UpsertReservationDto,
): Types.ObjectId | undefined {
  if (lead === undefined) return undefined;
  const id = leadIds.get(lead.recordSystemId);
  if (id === undefined) throw new DomainError(leadErrors.notFound);
  return id;
}

function responseTo({
  request: { body },
  decision: { operation, reservation, wallets },
}: DecidedRequest<UpsertRequest, UpsertDecision>): UpsertResult {
  const ignored = ignoredFields(body, reservation);
  return {
    ...upsertResponse(operation, { reservation: presentReservation(reservation, wallets[0]) }),
    headers: ignored.length === 0 ? {} : { 'x-ignored-fields': ignoredFieldsValue(ignored) },
  };
}
