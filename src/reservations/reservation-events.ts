import type { DocumentChange } from '../core/database/documents/document-diff.js';
import { present } from '../core/fields/declared-fields.js';
import { ReservationDocument } from './reservation.schema.js';
import type { OutboundEvent } from '../events/outbox/outbox.js';
import { fieldChanges } from '../tenants/change-log/field-changes.js';
import { ChequeWalletDocument } from './cheques/cheque-wallet.schema.js';
import { canPublishWallet } from './cheques/wallets.js';
import { presentReservation, type ReservationDto } from './reading/reservation.dto.js';
import type { ReservationState } from './reservation-state.js';

/** Returns the events of the reservation, then those of its wallets, without those of the unit. */
export function reservationEvents(
  before: ReservationState,
  after: ReservationState,
  isNew: boolean,
): OutboundEvent[] {
  const { reservation } = after;
  const ofReservation: OutboundEvent[] = [];
  if (isNew) ofReservation.push({ type: 'reservation.created', data: presentState(after) });
  else if (reservation !== before.reservation) ofReservation.push(updatedEvent(before, after));
  const ofWallets = after.events.map(({ wallet, ...event }) => {
    return { ...event, data: present(ChequeWalletDocument, walletInEvent(reservation, wallet)) };
  });
  return [...ofReservation, ...ofWallets];
}

/** Deletions come first: a unique index allows one active wallet per reservation. */
export function walletChanges(
  before: ReservationState,
  after: ReservationState,
): DocumentChange<ChequeWalletDocument>[] {
  const stored = new Map(before.wallets.map((wallet) => [wallet._id.toHexString(), wallet]));
  return after.wallets
    .map((wallet) => ({ before: stored.get(wallet._id.toHexString()), after: wallet }))
    .filter((change) => change.before !== change.after)
    .toSorted((a, b) => Number(b.after.isDeleted) - Number(a.after.isDeleted));
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
  return canPublishWallet(reservation, wallet) ? wallet : { ...wallet, cheques: [] };
}

function auditedFields(reservation: ReservationDocument) {
  const { updatedAt: _at, ...fields } = present(ReservationDocument, reservation);
  return fields;
}
