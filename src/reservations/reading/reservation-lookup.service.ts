import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { ReservationDocument } from '../reservation.schema.js';
import type { ReservationStatus } from '../reservation-status.js';

import { UnitReservationsRepository } from '../unit-reservations.repository.js';
import type { KeysetPage, KeysetRequest } from '../../core/database/documents/keyset.js';
import { parseObjectId, objectIds } from '../../core/database/documents/tenant-document.js';
import type { TenantIds } from '../../core/database/documents/tenant-queries.js';
import type { OrganizationIds } from '../../core/database/models/tenant-model.js';
import { fieldNamesOf } from '../../core/validation/dto-reader.js';
import { present, type Presented } from '../../core/fields/declared-fields.js';
import { OutboxEventsRepository } from '../../events/outbox/outbox-events.repository.js';
import { objectIdOf } from '../../events/outbox/message.js';
import { type LeadName, LeadLookupService } from '../../leads/reading/lead-lookup.service.js';
import { type UnitName, UnitLookupService } from '../../units/reading/unit-lookup.service.js';
import { CallbackDto } from '../callback/callback.dto.js';
import { CallbackLogRepository } from '../callback/callback-log.repository.js';
import type { CallbackLogDocument } from '../callback/callback-log.schema.js';
import { ChequeWalletDocument } from '../cheques/cheque-wallet.schema.js';
import { ChequeWalletsRepository } from '../cheques/cheque-wallets.repository.js';
import { ReservationsRepository } from '../reservations.repository.js';
import {
  reservationTimeline,
  type CallbackEntry,
  statusChange,
  statusPath,
  type StatusTransition,
  type TimelineEntry,
  timelineEvent,
} from './reservation-timeline.js';

export type { CallbackEntry, StatusTransition, TimelineEntry };

export type FoundReservation = Presented<ReservationDocument>;

export type ReservationDetails = NonNullable<
  Awaited<ReturnType<ReservationLookupService['inspect']>>
>;
export type ReservationOverview = ReturnType<typeof toOverview>;
export type ReservationHistory = Awaited<ReturnType<ReservationLookupService['historyOf']>>;

export type UnitStatusChange = Awaited<ReturnType<ReservationLookupService['unitChanges']>>[number];

interface ReservationQuery {
  readonly status?: ReservationStatus | undefined;
  /** Id, slug, external id or `unitId`. */
  readonly unit?: string | undefined;
  /** Id, external id or number. */
  readonly lead?: string | undefined;
}

/** Names of the fields that a callback has. */
export const callbackFieldNames: readonly string[] = [...fieldNamesOf(CallbackDto)];

/** Maximum number of callbacks in the history of a console page. */
export const maxCallbacks = 100;
const maxEvents = 200;

const reservationTypes = [
  'reservation.created',
  'reservation.updated',
  'wallet.created',
  'wallet.deleted',
  'wallet.restored',
] as const;

const unitTypes = ['unit.created', 'unit.updated', 'unit.deleted'] as const;

@Injectable()
export class ReservationLookupService {
  constructor(
    private readonly reservations: ReservationsRepository,
    private readonly wallets: ChequeWalletsRepository,
    private readonly unitReservations: UnitReservationsRepository,
    private readonly log: CallbackLogRepository,
    private readonly units: UnitLookupService,
    private readonly leads: LeadLookupService,
    private readonly events: OutboxEventsRepository,
  ) {}

  /** Returns the active wallet first, then the last deleted one. `unit` is null only if the unit is missing. */
  async inspect(organizationIds: TenantIds, _id: Types.ObjectId) {
    const reservation = await this.reservations.find(allOf(organizationIds), _id);
    if (reservation === null) return null;
    const { organizationId, unitId } = reservation;
    const wallets = await this.wallets.findOf(organizationId, _id);
    const [ownUnitId] = objectIds(unitId);
    const unit = ownUnitId ? await this.units.inspect(organizationId, ownUnitId) : null;
    return {
      ...toFoundReservation(reservation),
      unit: unit && {
        slug: unit.slug || null,
        status: unit.status || null,
        isDeleted: unit.isDeleted,
      },
      wallets: wallets.map((wallet) => present(ChequeWalletDocument, wallet)),
    };
  }

  /** Searches by external id and own id; includes deleted reservations. */
  async search(
    organizationIds: TenantIds,
    reference: string,
    limit: number,
  ): Promise<FoundReservation[]> {
    const _id = parseObjectId(reference);
    const organizations = allOf(organizationIds);
    const found = await this.reservations.findNamed(organizations, reference, _id, limit);
    return found.map(toFoundReservation);
  }

  async findByRequest(
    organizationIds: TenantIds,
    requestId: string,
    limit: number,
  ): Promise<FoundReservation[]> {
    const callbacks = await this.log.findByRequest(allOf(organizationIds), requestId, limit);
    const ids = callbacks.flatMap(({ reservationId }) => parseObjectId(reservationId ?? '') ?? []);
    if (ids.length === 0) return [];
    const found = await this.reservations.findAll(allOf(organizationIds), ids);
    return found.map(toFoundReservation);
  }

  /** Returns the newest first. Includes deleted reservations of a lead, but not of a unit, whose index has none. */
  async list(
    organizationId: Types.ObjectId,
    about: { readonly unitId: Types.ObjectId } | { readonly leadId: Types.ObjectId },
    part: KeysetRequest,
  ): Promise<KeysetPage<FoundReservation>> {
    const page = await this.reservations.pageOf(organizationId, about, part);
    return { ...page, items: page.items.map(toFoundReservation) };
  }

  /** Returns the newest first, with what a person calls their units and leads. Omits deleted reservations. */
  async overview(
    organizationId: Types.ObjectId,
    { status, unit, lead }: ReservationQuery,
    limit: number,
  ): Promise<ReservationOverview[]> {
    const [unitIds, leads] = await Promise.all([
      unit === undefined ? undefined : this.units.idsNamed(organizationId, unit),
      lead === undefined ? undefined : this.leads.find(organizationId, lead),
    ]);
    const leadIds = leads?.map(({ _id }) => new Types.ObjectId(_id));
    const conditions = { status, unitIds, leadIds };
    const found = await this.reservations.listNewest(organizationId, conditions, limit);
    const [units, leadNames, wallets] = await Promise.all([
      this.units.namesOf(
        organizationId,
        found.flatMap(({ unitId }) => objectIds(unitId)),
      ),
      this.leads.namesOf(
        organizationId,
        found.flatMap(({ leadId }) => objectIds(leadId)),
      ),
      this.wallets.findWithoutHistories(
        organizationId,
        found.map(({ _id }) => _id),
      ),
    ]);
    const walletOf = Map.groupBy(wallets, ({ reservationId }) => String(reservationId));
    return found.map((reservation) =>
      toOverview(reservation, {
        unit: units.get(String(reservation.unitId)),
        lead: leadNames.get(String(reservation.leadId)),
        wallet: walletOf.get(reservation._id.toHexString())?.[0],
      }),
    );
  }

  /** Returns the newest first; includes refused callbacks of other organizations. */
  async listCallbacks(
    organizationIds: TenantIds,
    id: Types.ObjectId,
    limit: number,
  ): Promise<CallbackEntry[]> {
    const organizations = allOf(organizationIds);
    const logged = await this.log.findByReservation(organizations, id.toHexString(), limit);
    return logged.map(callbackEntry);
  }

  /** Omits callbacks of other organizations. */
  async historyOf(reservation: ReservationDetails) {
    const { leadId, wallets, status } = reservation;
    const organizationId = new Types.ObjectId(reservation.organizationId);
    const _id = new Types.ObjectId(reservation._id);
    const recordIds = [reservation._id, ...wallets.map((wallet) => wallet._id)];
    const [received, events, approvedOthers, leads] = await Promise.all([
      this.listCallbacks(organizationId, _id, maxCallbacks + 1),
      this.events.findChanges(organizationId, recordIds, reservationTypes, maxEvents),
      this.approvedOthers(reservation),
      this.leads.namesOf(organizationId, leadId === null ? [] : [new Types.ObjectId(leadId)]),
    ]);
    const callbacks = received.slice(0, maxCallbacks);
    const timeline = reservationTimeline({ callbacks, events: events.map(timelineEvent), wallets });
    return {
      timeline,
      statusPath: statusPath(timeline, status),
      isCut: received.length > maxCallbacks,
      approvedOthers,
      leadNumber: leads.get(leadId ?? '')?.leadId ?? null,
    };
  }

  /** Returns retained changes of the status, newest first. */
  async unitChanges(organizationId: Types.ObjectId, unitId: Types.ObjectId) {
    const reservations = await this.unitReservations.findByUnits(organizationId, [unitId]);
    const ids = reservations.map(({ _id }) => _id.toHexString());
    const [events, callbacks] = await Promise.all([
      this.events.findChanges(organizationId, [unitId.toHexString()], unitTypes, maxEvents),
      this.log.findWithUnitChange(organizationId, ids, maxCallbacks),
    ]);
    const requestIds = events.flatMap(({ requestId }) => requestId ?? []);
    const others = await this.events.findByRequests(organizationId, requestIds, 4 * maxEvents);
    const causes = new Map(
      others
        .filter(({ type }) => type.startsWith('reservation.'))
        .map((event) => [event.requestId, objectIdOf(event)]),
    );
    const byRequests = events.map((event) => ({
      change: statusChange(event),
      at: event.createdAt,
      requestId: event.requestId,
      isByCallback: false,
      reservationId: causes.get(event.requestId) ?? null,
    }));
    const byCallbacks = callbacks.map(({ createdAt, requestId, reservationId, outcome }) => ({
      change: outcome.effects?.unit,
      at: createdAt,
      requestId,
      isByCallback: true,
      reservationId,
    }));
    return [...byRequests, ...byCallbacks]
      .flatMap(({ change, ...cause }) => (change === undefined ? [] : [{ ...change, ...cause }]))
      .toSorted((one, other) => other.at.getTime() - one.at.getTime());
  }

  /** Returns the unit's other approved reservations, for which callbacks are refused. */
  async approvedOthers({ _id, unitId, ...reservation }: ReservationDetails): Promise<string[]> {
    const organizationId = new Types.ObjectId(reservation.organizationId);
    const unitIds = unitId === null ? [] : [new Types.ObjectId(unitId)];
    const reservations = await this.unitReservations.findByUnits(organizationId, unitIds);
    const approved = reservations.filter(({ status }) => status === 'approved');
    return approved.map((other) => other._id.toHexString()).filter((id) => id !== _id);
  }
}

function toOverview(
  reservation: ReservationDocument,
  {
    unit,
    lead,
    wallet,
  }: {
    readonly unit: UnitName | undefined;
    readonly lead: LeadName | undefined;
    readonly wallet: ChequeWalletDocument | undefined;
  },
) {
  const { _id, recordSystemId, status, unitId, leadId, createdAt, updatedAt } =
    toFoundReservation(reservation);
  const cheques =
    wallet === undefined || wallet.isDeleted ? null : present(ChequeWalletDocument, wallet).cheques;
  return {
    _id,
    recordSystemId,
    status,
    unit: unitId
      ? {
          _id: unitId,
          slug: unit?.slug || null,
          recordSystemId: unit?.recordSystemId ?? null,
        }
      : null,
    lead: leadId
      ? {
          _id: leadId,
          number: lead?.leadId ?? null,
          recordSystemId: lead?.recordSystemId ?? null,
        }
      : null,
    cheques: cheques && {
      collected: cheques.filter((cheque) => cheque.status === 'collected').length,
      total: cheques.length,
    },
    createdAt,
    updatedAt,
  };
}

function allOf(ids: TenantIds): OrganizationIds {
  return { $in: [ids].flat() };
}

function toFoundReservation(reservation: ReservationDocument): FoundReservation {
  const organizationId = reservation.organizationId.toHexString();
  return { ...present(ReservationDocument, reservation), organizationId };
}

function callbackEntry(entry: CallbackLogDocument): CallbackEntry {
  return {
    receivedAt: entry.createdAt,
    organizationId: entry.organizationId.toHexString(),
    apiKeyId: entry.apiKeyId.toHexString(),
    requestId: entry.requestId,
    payload: entry.payload,
    refusedFields: entry.refusedFields,
    otherFields: entry.otherFields,
    outcome: entry.outcome,
  };
}
