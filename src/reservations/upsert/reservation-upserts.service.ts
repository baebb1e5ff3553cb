import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { DomainError } from '../../core/http/errors/domain-error.js';
import { ignoredFieldsValue } from '../../core/http/server/ignored-fields.js';
import { upsertStatus } from '../../core/http/server/upsert-status.js';
import type { Answer } from '../../core/idempotency/idempotency-claim.js';
import { type GroupCommit, GroupCommits } from '../../core/writes/group-commit.js';
import type { Decided, Loaded, LoadOptions, PendingWrites } from '../../core/writes/write-kind.js';
import { leadErrors } from '../../leads/lead-errors.js';
import { LeadLookupService } from '../../leads/lead-lookup.service.js';
import type { Caller } from '../../tenants/keys/caller.js';
import { type NamedUnits, UnitLookupService } from '../../units/reading/unit-lookup.service.js';
import type { ChequeWalletDocument } from '../cheques/cheque-wallet.schema.js';
import type { ReservationUpsertResponseDto } from '../reading/reservation.dto.js';
import { presentReservation } from '../reading/reservation.presenter.js';
import { reservationErrors } from '../reservation-errors.js';
import type { ReservationRecords } from '../reservation-records.js';
import { hasChanged } from '../reservation-state.js';
import { ReservationStateService } from '../reservation-state.service.js';
import type { ReservationDocument } from '../../availability/reservation.schema.js';
import { ReservationsRepository } from '../reservations.repository.js';
import { decideUpsert, ignoredFields, newReservation } from './upsert-decision.js';
import type { UpsertReservationDto } from './upsert-reservation.dto.js';

interface UpsertRequest {
  readonly caller: Caller;
  readonly body: UpsertReservationDto;
}

/** Reservations, with the units and leads that requests name. */
interface UpsertRecords extends PendingWrites {
  readonly reservations: ReservationRecords;
  readonly units: NamedUnits;
  readonly leads: ReadonlyMap<string, Types.ObjectId>;
}

interface Upserted {
  readonly operation: 'create' | 'update';
  readonly reservation: ReservationDocument;
  readonly wallet: ChequeWalletDocument | undefined;
}

type UpsertResponse = Required<Answer<ReservationUpsertResponseDto>>;

/** Reservations as outside systems post them (rule RES-3). */
@Injectable()
export class ReservationUpsertsService {
  private readonly commit: GroupCommit<UpsertRequest, UpsertRecords, Upserted, UpsertResponse>;

  constructor(
    commits: GroupCommits,
    private readonly reservations: ReservationsRepository,
    private readonly states: ReservationStateService,
    private readonly units: UnitLookupService,
    private readonly leads: LeadLookupService,
  ) {
    this.commit = commits.of({
      name: 'reservation',
      load: (requests, options) => this.load(requests, options),
      decide,
      store: ({ reservations: changed }, organizationId) =>
        this.states.store(organizationId, changed, { emitsUnitEvents: true }),
      respond: (decided) => decided.map(responseTo),
    });
  }

  /**
   * Creates a reservation, or updates the active one with the same `recordSystemId`, in one
   * transaction with its wallet, the availability of its unit and their events.
   *
   * @throws DomainError 400 without a unit to create or with an ambiguous one, 404 for an unknown
   *   unit or lead, 422 for a status that only the callback sets, for another unit and for a wallet
   *   that becomes too large
   */
  async upsert(caller: Caller, body: UpsertReservationDto): Promise<UpsertResponse> {
    return this.commit.submit({ caller, body }, body);
  }

  private async load(
    requests: readonly UpsertRequest[],
    { organizationId, now }: LoadOptions<UpsertRecords>,
  ): Promise<Loaded<UpsertRecords>> {
    const bodies = requests.map(({ body }) => body);
    const stored = await this.reservations.findByRecordSystemIds(
      organizationId,
      bodies.flatMap(({ recordSystemId }) => recordSystemId ?? []),
    );
    const references = bodies.flatMap(({ unit }) => unit ?? []);
    const own = stored.flatMap(({ unitId }) => unitId ?? []);
    const units = await this.units.named(organizationId, references, own);
    const leads = await this.leads.idsOf(
      organizationId,
      bodies.flatMap(({ lead }) => lead?.recordSystemId ?? []),
    );
    const named = references.map((reference) => units.idOf(reference));
    const otherUnits = named.filter((id) => typeof id === 'object');
    const reservations = await this.states.load(organizationId, stored, now, otherUnits);
    const records = {
      reservations,
      units,
      leads,
      locks: reservations.locks,
      get bytes() {
        return reservations.bytes;
      },
    };
    return { records, count: requests.length };
  }
}

function decide(
  { reservations, ...named }: UpsertRecords,
  { caller: { organizationId, requestId }, body }: UpsertRequest,
): Upserted {
  const stored = reservations.findByRecordSystemId(body.recordSystemId);
  if (stored === null && body.unit === undefined) {
    throw new DomainError(reservationErrors.unitRequired);
  }
  const references = {
    unitId: unitIdOf(named.units, body, stored),
    leadId: leadIdOf(named.leads, body),
  };
  const tenant = { organizationId, createdAt: reservations.now };
  const loaded = reservations.stateAround(stored ?? newReservation(body, references, tenant));
  const state = decideUpsert(loaded, body, references);
  // A request that changes nothing must not lock the unit either: clients repeat them all the time.
  if (stored === null || hasChanged(loaded, state)) reservations.put(loaded, state, requestId);
  const operation = stored === null ? 'create' : 'update';
  return { operation, reservation: state.reservation, wallet: state.wallets[0] };
}

function unitIdOf(
  units: NamedUnits,
  { unit: reference }: UpsertReservationDto,
  stored: ReservationDocument | null,
): Types.ObjectId | undefined {
  if (reference === undefined) return undefined;
  const own = stored?.unitId;
  // A reservation can be ended after its unit was deleted.
  if (own && units.isNamedBy(own, reference)) return own;
  const id = units.idOf(reference);
  if (id === 'ambiguous') throw new DomainError(reservationErrors.unitAmbiguous);
  if (id === 'unknown') throw new DomainError(reservationErrors.unitNotFound);
  return id;
}

function leadIdOf(
  leads: UpsertRecords['leads'],
  { lead }: UpsertReservationDto,
): Types.ObjectId | undefined {
  if (lead === undefined) return undefined;
  const id = leads.get(lead.recordSystemId);
  if (id === undefined) throw new DomainError(leadErrors.notFound);
  return id;
}

function responseTo({
  request: { body },
  decision: { operation, reservation, wallet },
}: Decided<UpsertRequest, Upserted>): UpsertResponse {
  const ignored = ignoredFields(body, reservation);
  return {
    status: upsertStatus(operation),
    headers: ignored.length === 0 ? {} : { 'x-ignored-fields': ignoredFieldsValue(ignored) },
    body: { ok: true, operation, reservation: presentReservation(reservation, wallet) },
  };
}
