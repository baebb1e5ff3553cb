import { BSON } from 'mongodb';
import type { Types } from 'mongoose';
import { ReservationDocument } from '../availability/reservation.schema.js';
import type { UnitReservation } from '../availability/unit-reservations.repository.js';
import type { DocumentChange } from '../core/database/documents/document-diff.js';
import { present } from '../core/fields/declared-fields.js';
import type { PendingWrites } from '../core/writes/write-handler.js';
import type { OutboundEvent } from '../events/outbox/outbox.js';
import { fieldChanges } from '../tenants/change-log/field-changes.js';
import type { UnitChange, UnitDocument } from '../units/writing/unit-writes.service.js';
import { ChequeWalletDocument } from './cheques/cheque-wallet.schema.js';
import { fitsInEvents } from './cheques/wallets.js';
import { presentReservation, type ReservationDto } from './reading/reservation.dto.js';
import type { ReservationState } from './reservation-state.js';

export interface LoadedReservations {
  readonly reservations: readonly ReservationDocument[];
  /** Omits missing and deleted units. */
  readonly units: readonly UnitDocument[];
  readonly reservationsOfUnits: readonly UnitReservation[];
  /** Each reservation's active wallet comes first, then the last deleted one. */
  readonly wallets: readonly ChequeWalletDocument[];
  readonly now: Date;
}

/** Applies decisions as they are made, so that each request sees those before it. */
export class ReservationRecords implements PendingWrites {
  /** Sorted in the order of publishing. Changes of units become events too. */
  readonly published: (OutboundEvent | UnitChange)[] = [];
  /** Empty: the unit's own document serves as the lock of its reservations (rule DATA-8). */
  readonly lockKeys = [];
  bytes = 0;
  readonly now: Date;
  private readonly reservations: Map<string, ReservationDocument>;
  private readonly units: Map<string, UnitDocument>;
  private readonly lockedUnits = new Set<string>();
  private readonly byUnit: Map<string, UnitReservation[]>;
  private readonly wallets: Map<string, readonly ChequeWalletDocument[]>;

  constructor(private readonly loaded: LoadedReservations) {
    this.now = loaded.now;
    this.reservations = byId(loaded.reservations);
    this.units = byId(loaded.units);
    this.byUnit = Map.groupBy(loaded.reservationsOfUnits, ({ unitId }) => keyOf(unitId));
    this.wallets = Map.groupBy(loaded.wallets, ({ reservationId }) => keyOf(reservationId));
  }

  findById(id: Types.ObjectId): ReservationDocument | undefined {
    return this.reservations.get(keyOf(id));
  }

  findByRecordSystemId(recordSystemId: string | undefined): ReservationDocument | undefined {
    if (recordSystemId === undefined) return undefined;
    return [...this.reservations.values()].find((one) => one.recordSystemId === recordSystemId);
  }

  stateOf(reservation: ReservationDocument): ReservationState {
    const { _id, unitId } = reservation;
    const unitReservations = this.byUnit.get(keyOf(unitId)) ?? [];
    const others = unitId ? unitReservations.filter((one) => !one._id.equals(_id)) : [];
    return {
      reservation,
      unit: this.units.get(keyOf(unitId)) ?? null,
      isUnitLocked: false,
      otherStatusesOfUnit: others.map(({ status }) => status),
      wallets: this.wallets.get(keyOf(_id)) ?? [],
      events: [],
      now: this.now,
    };
  }

  put(before: ReservationState, after: ReservationState, requestId: string): void {
    const { reservation, unit, wallets } = after;
    const key = keyOf(reservation._id);
    const unitKey = keyOf(reservation.unitId);
    if (!this.reservations.has(key)) {
      this.published.push({ type: 'reservation.created', data: presentState(after), requestId });
    } else if (reservation !== before.reservation) {
      this.published.push({ ...updatedEvent(before, after), requestId });
    }
    for (const { wallet, ...event } of after.events) {
      this.bytes += BSON.calculateObjectSize(wallet);
      const data = present(ChequeWalletDocument, walletInEvent(reservation, wallet));
      this.published.push({ ...event, data, requestId });
    }
    if (unit !== null && before.unit !== null && unit !== before.unit) {
      this.published.push({ before: before.unit, after: unit, requestId });
    }
    this.reservations.set(key, reservation);
    this.wallets.set(key, wallets.toSorted(latestFirst));
    const others = (this.byUnit.get(unitKey) ?? []).filter((one) => keyOf(one._id) !== key);
    this.byUnit.set(unitKey, [...others, reservation]);
    if (unit === null || !after.isUnitLocked) return;
    this.units.set(unitKey, unit);
    this.lockedUnits.add(unitKey);
  }

  reservationChanges(): DocumentChange<ReservationDocument>[] {
    return changesOf(this.loaded.reservations, this.reservations.values());
  }

  /** Deletions come first: a unique index allows one active wallet per reservation. */
  walletChanges(): DocumentChange<ChequeWalletDocument>[] {
    const changes = changesOf(this.loaded.wallets, [...this.wallets.values()].flat());
    return changes.toSorted((a, b) => Number(b.after.isDeleted) - Number(a.after.isDeleted));
  }

  /** Includes locked units whose status stays (rule DATA-8). */
  unitChanges(): UnitChange[] {
    return this.loaded.units.flatMap((before) => {
      const key = keyOf(before._id);
      return this.lockedUnits.has(key) ? { before, after: this.units.get(key) ?? before } : [];
    });
  }
}

function updatedEvent(before: ReservationState, after: ReservationState) {
  const changes = fieldChanges(
    auditedFields(before.reservation),
    auditedFields(after.reservation),
    new Set(['partnerCollection']),
  );
  return { type: 'reservation.updated' as const, data: presentState(after), changes };
}

/** Shows the active wallet, or else the last deleted one. */
function presentState({ reservation, wallets }: ReservationState): ReservationDto {
  const wallet = wallets.find(({ isDeleted }) => !isDeleted) ?? wallets[0];
  return presentReservation(reservation, wallet && walletInEvent(reservation, wallet));
}

/** Omits cheques of a wallet in which another program stored too many. */
function walletInEvent(
  reservation: ReservationDocument,
  wallet: ChequeWalletDocument,
): ChequeWalletDocument {
  return fitsInEvents(reservation, wallet) ? wallet : { ...wallet, cheques: [] };
}

function auditedFields(reservation: ReservationDocument) {
  const { updatedAt: _at, ...fields } = present(ReservationDocument, reservation);
  return fields;
}

function latestFirst(a: ChequeWalletDocument, b: ChequeWalletDocument): number {
  return (
    Number(a.isDeleted) - Number(b.isDeleted) ||
    (b.deletedAt?.getTime() ?? 0) - (a.deletedAt?.getTime() ?? 0) ||
    keyOf(b._id).localeCompare(keyOf(a._id))
  );
}

type Identified = { readonly _id: Types.ObjectId };

function changesOf<T extends Identified>(
  loaded: readonly T[],
  current: Iterable<T>,
): DocumentChange<T>[] {
  const before = byId(loaded);
  return [...current]
    .map((after) => ({ before: before.get(keyOf(after._id)), after }))
    .filter((change) => change.before !== change.after);
}

function byId<T extends Identified>(documents: readonly T[]): Map<string, T> {
  return new Map(documents.map((document) => [keyOf(document._id), document]));
}

function keyOf(id: Types.ObjectId | null | undefined): string {
  return id?.toHexString() ?? '';
}
