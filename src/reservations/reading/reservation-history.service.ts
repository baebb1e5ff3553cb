import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { UnitReservationsRepository } from '../../availability/unit-reservations.repository.js';
import { objectsOf, textOf } from '../../core/database/documents/stored-values.js';
import type { KeysetPage, KeysetRequest } from '../../core/database/documents/keyset.js';
import { objectIdOf } from '../../events/outbox/message.js';
import { LeadLookupService } from '../../leads/lead-lookup.service.js';
import {
  type ChangeEvent,
  EventHistoryService,
} from '../../events/outbox/event-history.service.js';
import type { StatusChange } from '../callback/callback-decision.js';
import { CallbackLogRepository } from '../callback/callback-log.repository.js';
import type { CallbackLogDocument } from '../callback/callback-log.schema.js';
import { ReservationsRepository } from '../reservations.repository.js';
import type { ReservationDto } from './reservation.dto.js';
import type { InspectedReservation } from './reservation-inspection.service.js';
import { presentReservation } from './reservation.presenter.js';
import {
  type Move,
  reservationTimeline,
  type TimelineCallback,
  type TimelineEntry,
  type TimelineEvent,
  wayOf,
} from './reservation-timeline.js';

export type { Move, TimelineCallback, TimelineEntry };

/** A reservation without its wallet. */
export type ListedReservation = Omit<ReservationDto, 'chequeWallet'>;

/** A reservation of any organization. */
export type FoundReservation = ListedReservation & { readonly organizationId: string };

/** What is known of a reservation's past: no more of it than the newest callbacks and events. */
export interface ReservationHistory {
  readonly timeline: readonly TimelineEntry[];
  readonly way: readonly Move[];
  /** Whether there are callbacks before these. */
  readonly isCut: boolean;
  /** The approved reservations of its unit, for whose sake callbacks are refused. */
  readonly inTheWay: readonly string[];
  readonly leadNumber: number | null;
}

/** A change of a unit's status. */
export interface UnitStatusChange extends StatusChange {
  readonly at: Date;
  readonly requestId: string | undefined;
  readonly by: 'callback' | 'request';
  /** The reservation that the callback or request was about; null for one about the unit itself. */
  readonly reservationId: string | null;
}

/** More callbacks and events are not looked at together. */
export const mostCallbacks = 100;
const mostEvents = 200;

const reservationTypes = [
  'reservation.created',
  'reservation.updated',
  'wallet.created',
  'wallet.deleted',
  'wallet.restored',
] as const;
const unitTypes = ['unit.created', 'unit.updated', 'unit.deleted'] as const;

/** What happened to reservations and to the status of their units, for the operator. */
@Injectable()
export class ReservationHistoryService {
  constructor(
    private readonly reservations: ReservationsRepository,
    private readonly unitReservations: UnitReservationsRepository,
    private readonly log: CallbackLogRepository,
    private readonly leads: LeadLookupService,
    private readonly events: EventHistoryService,
  ) {}

  /** The reservations of organizations that an id names; by an own one also deleted ones. */
  async search(
    organizationIds: readonly Types.ObjectId[],
    reference: string,
  ): Promise<FoundReservation[]> {
    const found = await this.reservations.findReferenced(organizationIds, reference);
    return found.map((reservation) => ({
      ...presentReservation(reservation),
      organizationId: reservation.organizationId.toHexString(),
    }));
  }

  /** The ids of the reservations that callbacks with the id of a request were about. */
  async ofRequest(
    organizationIds: readonly Types.ObjectId[],
    requestId: string,
    limit: number,
  ): Promise<FoundReservation[]> {
    const callbacks = await this.log.ofRequests(organizationIds, [requestId], limit);
    const ids = new Set(callbacks.flatMap(({ reservationId }) => reservationId ?? []));
    const found = await Promise.all([...ids].map((id) => this.search(organizationIds, id)));
    return found.flat();
  }

  /** The reservations of a unit that are not deleted, newest first. */
  async ofUnit(
    organizationId: Types.ObjectId,
    unitId: Types.ObjectId,
    part: KeysetRequest,
  ): Promise<KeysetPage<ListedReservation>> {
    return presented(await this.reservations.listOfUnit(organizationId, unitId, part));
  }

  /** The reservations of leads, newest first. */
  async ofLeads(
    organizationId: Types.ObjectId,
    leadIds: readonly Types.ObjectId[],
    part: KeysetRequest,
  ): Promise<KeysetPage<ListedReservation>> {
    if (leadIds.length === 0) return { items: [], next: null };
    return presented(await this.reservations.listOfLeads(organizationId, leadIds, part));
  }

  /** What happened to a reservation, by the requests of its own organization. */
  async historyOf(reservation: InspectedReservation): Promise<ReservationHistory> {
    const { _id, leadId, wallets, status } = reservation;
    const organizationId = new Types.ObjectId(reservation.organizationId);
    const objectIds = [_id, ...wallets.map((wallet) => wallet._id)];
    const [callbacks, events, inTheWay, leads] = await Promise.all([
      this.log.list(organizationId, _id, { limit: mostCallbacks }),
      this.events.changesOf(organizationId, objectIds, reservationTypes, mostEvents),
      this.inTheWayOf(organizationId, reservation),
      leadId === null ? [] : this.leads.find(organizationId, leadId),
    ]);
    const timeline = reservationTimeline({
      callbacks: callbacks.items.map(timelineCallback),
      events: events.map(timelineEvent),
      wallets,
    });
    const way = wayOf(timeline, status);
    const leadNumber = leads[0]?.leadId ?? null;
    return { timeline, way, isCut: callbacks.next !== null, inTheWay, leadNumber };
  }

  /** How the status of a unit changed, newest first, as far as events and callbacks are kept. */
  async unitChanges(
    organizationId: Types.ObjectId,
    unitId: Types.ObjectId,
  ): Promise<UnitStatusChange[]> {
    const ofUnit = await this.unitReservations.ofUnits(organizationId, [unitId]);
    const reservationIds = ofUnit.map(({ _id }) => _id.toHexString());
    const [events, callbacks] = await Promise.all([
      this.events.changesOf(organizationId, [unitId.toHexString()], unitTypes, mostEvents),
      this.log.listWithUnitChanges(organizationId, reservationIds, mostCallbacks),
    ]);
    const byRequest = await this.reservationsOf(organizationId, events);
    const changes = [
      ...events.flatMap(({ createdAt: at, requestId, ...event }): UnitStatusChange[] => {
        const status = statusOf(event);
        const reservationId = byRequest.get(requestId ?? '') ?? null;
        return status === undefined
          ? []
          : [{ ...status, at, requestId, reservationId, by: 'request' }];
      }),
      ...callbacks.flatMap(({ createdAt: at, requestId, reservationId, outcome }) => {
        const { unit } = outcome.effects ?? {};
        const by = 'callback' as const;
        return unit === undefined ? [] : [{ ...unit, at, requestId, reservationId, by }];
      }),
    ];
    return changes.toSorted((a, b) => b.at.getTime() - a.at.getTime());
  }

  /** The reservations that the requests of events wrote, too, by the ids of requests. */
  private async reservationsOf(
    organizationId: Types.ObjectId,
    events: readonly ChangeEvent[],
  ): Promise<ReadonlyMap<string, string>> {
    const requestIds = [...new Set(events.flatMap(({ requestId }) => requestId ?? []))];
    const others = await this.events.ofRequests(organizationId, requestIds, 4 * mostEvents);
    const own = others.filter(({ type }) => type.startsWith('reservation.'));
    return new Map(own.map((event) => [event.requestId ?? '', objectIdOf(event) ?? '']));
  }

  /** The other reservations of the unit that are approved: for their sake callbacks are refused. */
  private async inTheWayOf(
    organizationId: Types.ObjectId,
    { _id, unitId }: InspectedReservation,
  ): Promise<string[]> {
    if (unitId === null) return [];
    const ofUnit = await this.unitReservations.ofUnits(organizationId, [
      new Types.ObjectId(unitId),
    ]);
    const approved = ofUnit.filter(({ status }) => status === 'approved');
    return approved.map((other) => other._id.toHexString()).filter((id) => id !== _id);
  }
}

function presented({
  items,
  next,
}: KeysetPage<Parameters<typeof presentReservation>[0]>): KeysetPage<ListedReservation> {
  return { items: items.map((reservation) => presentReservation(reservation)), next };
}

function timelineCallback({
  createdAt: receivedAt,
  apiKeyId,
  requestId,
  payload,
  refusedFields,
  otherFields,
  outcome,
}: CallbackLogDocument): TimelineCallback {
  const key = apiKeyId.toHexString();
  return { receivedAt, apiKeyId: key, requestId, payload, refusedFields, otherFields, outcome };
}

function timelineEvent(event: ChangeEvent): TimelineEvent {
  const { type, createdAt: at, requestId } = event;
  const isOwn = type.startsWith('reservation.');
  return { type, at, requestId, status: isOwn ? statusOf(event) : undefined };
}

/** The change of the status that an event tells of; at a creation there was none before. */
function statusOf({
  type,
  data,
  changes = [],
}: Pick<ChangeEvent, 'type' | 'data' | 'changes'>): StatusChange | undefined {
  if (type.endsWith('.created')) {
    return { from: null, to: textOf((data as { readonly status?: unknown }).status) };
  }
  const change = objectsOf(changes).find(({ field }) => field === 'status');
  if (change === undefined) return undefined;
  return { from: textOf(change['from']) || null, to: textOf(change['to']) };
}
