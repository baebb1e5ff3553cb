import { BSON } from 'mongodb';
import type { Types } from 'mongoose';
import type { PendingWrites } from '../core/writes/write-kind.js';
import type { Change } from '../core/database/documents/document-diff.js';
import { fieldChanges } from '../tenants/change-log/field-changes.js';
import type { UnitChange, UnitDocument } from '../units/writing/unit-writes.service.js';
import type { OutboundEvent } from '../events/outbox/pending-event.js';
import type { UnitReservation } from '../availability/unit-reservations.repository.js';
import type { ChequeWalletDocument } from './cheques/cheque-wallet.schema.js';
import { fitsEvents } from './cheques/wallets.js';
import type { ReservationDto } from './reading/reservation.dto.js';
import { presentReservation, presentWallet } from './reading/reservation.presenter.js';
import type { ReservationState } from './reservation-state.js';
import type { ReservationDocument } from '../availability/reservation.schema.js';

/** What was read for decisions about reservations. */
export interface LoadedReservations {
  readonly reservations: readonly ReservationDocument[];
  /** Without those that are missing or deleted. */
  readonly units: readonly UnitDocument[];
  /** All reservations of the units that are stored. */
  readonly ofUnits: readonly UnitReservation[];
  /** Of each reservation the active one first, then the one deleted last. */
  readonly wallets: readonly ChequeWalletDocument[];
  readonly now: Date;
}

/** Reservations with what decisions about them read, each as the decisions before have left it. */
export class ReservationRecords implements PendingWrites {
  /** Events, and changes of units that make events, in the order of their publishing. */
  readonly published: (OutboundEvent | UnitChange)[] = [];
  /** The unit's own document is the lock of its reservations (rule DATA-8). */
  readonly locks = [];
  /** About how much of wallets was changed. */
  bytes = 0;
  private readonly reservations: ReadonlyMap<string, ReservationDocument>;
  private readonly decided = new Map<string, ReservationDocument>();
  private readonly units: Map<string, UnitDocument>;
  private readonly decidedUnits = new Set<string>();
  private readonly byRecordSystemId = new Map<string, ReservationDocument>();
  private readonly ofUnits: Map<string, UnitReservation[]>;
  private readonly wallets: Map<string, readonly ChequeWalletDocument[]>;

  readonly now: Date;

  constructor(private readonly loaded: LoadedReservations) {
    this.now = loaded.now;
    for (const reservation of loaded.reservations) {
      const { recordSystemId } = reservation;
      if (recordSystemId !== undefined) this.byRecordSystemId.set(recordSystemId, reservation);
    }
    this.reservations = byId(loaded.reservations);
    this.units = byId(loaded.units);
    this.ofUnits = Map.groupBy(loaded.ofUnits, ({ unitId }) => keyOf(unitId));
    this.wallets = Map.groupBy(loaded.wallets, (wallet) => keyOf(wallet.reservationId));
  }

  findByRecordSystemId(recordSystemId: string | undefined): ReservationDocument | null {
    return this.byRecordSystemId.get(recordSystemId ?? '') ?? null;
  }

  /** The reservation of an id and all that a decision about it reads, null when there is none. */
  stateOf(id: Types.ObjectId): ReservationState | null {
    const key = keyOf(id);
    const reservation = this.decided.get(key) ?? this.reservations.get(key);
    return reservation === undefined ? null : this.stateAround(reservation);
  }

  /** What a decision about a reservation reads, which need not be stored yet. */
  stateAround(reservation: ReservationDocument): ReservationState {
    const { _id, unitId } = reservation;
    const ofUnit = this.ofUnits.get(keyOf(unitId)) ?? [];
    return {
      reservation,
      unit: (unitId && this.units.get(keyOf(unitId))) ?? null,
      isUnitDecided: false,
      otherStatuses: ofUnit.filter((one) => !one._id.equals(_id)).map(({ status }) => status),
      wallets: this.wallets.get(keyOf(_id)) ?? [],
      events: [],
      now: this.loaded.now,
    };
  }

  /** Takes over what the decision of a request made of a state. */
  put(before: ReservationState, after: ReservationState, requestId: string): void {
    const { reservation, unit, wallets, isUnitDecided } = after;
    const key = keyOf(reservation._id);
    const isNew = !this.reservations.has(key) && !this.decided.has(key);
    if (isNew) {
      this.published.push({ type: 'reservation.created', data: shown(after), requestId });
    } else if (reservation !== before.reservation) {
      this.published.push({ ...updated(before, after), requestId });
    }
    for (const { wallet, ...event } of after.events) {
      this.bytes += BSON.calculateObjectSize(wallet);
      this.published.push({
        ...event,
        data: presentWallet(inEvent(reservation, wallet)),
        requestId,
      });
    }
    if (unit !== null && before.unit !== null && unit !== before.unit) {
      this.published.push({ before: before.unit, after: unit, requestId });
    }
    if (isNew || reservation !== before.reservation) this.decide(reservation);
    this.wallets.set(key, wallets.toSorted(latestFirst));
    // Those of no unit have nothing to do with each other.
    if (!reservation.unitId) return;
    const unitKey = keyOf(reservation.unitId);
    const others = (this.ofUnits.get(unitKey) ?? []).filter((one) => keyOf(one._id) !== key);
    this.ofUnits.set(unitKey, [...others, reservation]);
    if (unit === null || !isUnitDecided) return;
    this.units.set(unitKey, unit);
    this.decidedUnits.add(unitKey);
  }

  /** The reservations that decisions have changed. */
  reservationChanges(): Change<ReservationDocument>[] {
    return [...this.decided].map(([key, after]) => ({ before: this.reservations.get(key), after }));
  }

  /** Deletions first: of a reservation's wallets one is active at any moment. */
  walletChanges(): Change<ChequeWalletDocument>[] {
    const before = byId(this.loaded.wallets);
    return [...this.wallets.values()]
      .flat()
      .map((after) => ({ before: before.get(keyOf(after._id)), after }))
      .filter((change) => change.before !== change.after)
      .toSorted((a, b) => Number(b.after.isDeleted) - Number(a.after.isDeleted));
  }

  /** The units whose status was decided, also when it stays as it was (rule DATA-8). */
  unitDecisions(): UnitChange[] {
    return this.loaded.units.flatMap((before) => {
      const key = keyOf(before._id);
      return this.decidedUnits.has(key) ? { before, after: this.units.get(key) ?? before } : [];
    });
  }

  private decide(reservation: ReservationDocument): void {
    this.decided.set(keyOf(reservation._id), reservation);
    const { recordSystemId } = reservation;
    if (recordSystemId !== undefined) this.byRecordSystemId.set(recordSystemId, reservation);
  }
}

function updated(before: ReservationState, after: ReservationState) {
  const changes = fieldChanges(
    auditedFields(before.reservation),
    auditedFields(after.reservation),
    new Set(['partnerCollection']),
  );
  return { type: 'reservation.updated' as const, data: shown(after), changes };
}

/** The reservation of a state with the wallet that is active, else the one deleted last. */
function shown({ reservation, wallets }: ReservationState): ReservationDto {
  const active = wallets.find(({ isDeleted }) => !isDeleted);
  const wallet = active ?? wallets[0];
  return presentReservation(reservation, wallet && inEvent(reservation, wallet));
}

/** A wallet as events show it: without the cheques where another program has stored too many. */
function inEvent(
  reservation: ReservationDocument,
  wallet: ChequeWalletDocument,
): ChequeWalletDocument {
  return fitsEvents(reservation, wallet) ? wallet : { ...wallet, cheques: [] };
}

/** The fields whose changes an event lists; Wallet events list those of the wallet. */
function auditedFields(reservation: ReservationDocument) {
  const { updatedAt: _at, chequeWallet: _wallet, ...fields } = presentReservation(reservation);
  return fields;
}

/** The order in which wallets are read: the active one first, then the one deleted last. */
function latestFirst(a: ChequeWalletDocument, b: ChequeWalletDocument): number {
  return (
    Number(a.isDeleted) - Number(b.isDeleted) ||
    (b.deletedAt?.getTime() ?? 0) - (a.deletedAt?.getTime() ?? 0) ||
    keyOf(b._id).localeCompare(keyOf(a._id))
  );
}

function byId<T extends { readonly _id: Types.ObjectId }>(documents: readonly T[]): Map<string, T> {
  return new Map(documents.map((document) => [keyOf(document._id), document]));
}

function keyOf(id: Types.ObjectId | null | undefined): string {
  return id?.toHexString() ?? '';
}
