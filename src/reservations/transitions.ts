import type { ChequeStatus, ReservationStatus } from './states.js';

/** What a callback changes of a reservation and its unit. */
export type Effect =
  /** Status approved, `approvedAt`, unit Sold. */
  | 'approve'
  /** Status canceled, `canceledAt`, availability of the unit recomputed. */
  | 'cancel'
  /** The active wallet is soft-deleted, if the reservation is in the partner collection flow. */
  | 'deleteWallet'
  /** The cheque's wallet is active again. */
  | 'restoreWallet';

/** Why a callback is refused; what its earlier steps stored stays. */
export type Refusal = 'unitNotFound' | 'notPendingChequeCollection' | 'unitAlreadyReserved';

/** What the reservation step has to know. */
export interface ReservationFacts {
  readonly status: ReservationStatus;
  /** Whether the unit is missing or deleted. */
  readonly isUnitDeleted: boolean;
}

/** What the consequences of a cheque have to know, once the cheque's facts are stored. */
export interface ChequeFacts extends ReservationFacts {
  /** The cheque's state before this callback. */
  readonly previousStatus: ChequeStatus;
  /** Whether another reservation of the unit is approved. */
  readonly isUnitReservedByAnother: boolean;
}

/** What a step does: effects in order, a refusal, or nothing. */
export type Decision =
  | { readonly kind: 'apply'; readonly effects: readonly Effect[] }
  | { readonly kind: 'refuse'; readonly refusal: Refusal }
  | { readonly kind: 'ignore' }
  | { readonly kind: 'keep' };

interface ReservationRow {
  readonly from: ReservationStatus | 'any' | 'other';
  readonly trigger: ReservationStatus;
  readonly decision: Decision;
}

interface ChequeRow {
  readonly from: 'bounced' | 'not bounced' | 'any';
  readonly trigger: ChequeStatus | 'any other';
  readonly when?: (facts: ChequeFacts) => boolean;
  readonly decision: Decision;
}

const keep: Decision = { kind: 'keep' };
const ignore: Decision = { kind: 'ignore' };
const approve: Decision = { kind: 'apply', effects: ['approve'] };
const cancel: Decision = { kind: 'apply', effects: ['cancel', 'deleteWallet'] };
const recover: Decision = { kind: 'apply', effects: ['approve', 'restoreWallet'] };
const refuse = (refusal: Refusal): Decision => ({ kind: 'refuse', refusal });

/** The rows of section 3 about `reservationStatus`; the first that fits decides. */
const reservationRows: readonly ReservationRow[] = [
  { from: 'pending_cheque_collection', trigger: 'approved', decision: approve },
  { from: 'other', trigger: 'approved', decision: refuse('notPendingChequeCollection') },
  { from: 'any', trigger: 'canceled', decision: cancel },
  { from: 'any', trigger: 'pending', decision: ignore },
  { from: 'any', trigger: 'pending_cheque_collection', decision: ignore },
  { from: 'any', trigger: 'rejected', decision: ignore },
  { from: 'any', trigger: 'expired', decision: ignore },
];

/** The rows of section 3 about `chequeStatus`; the first that fits decides. */
const chequeRows: readonly ChequeRow[] = [
  { from: 'any', trigger: 'bounced', decision: cancel },
  {
    from: 'bounced',
    trigger: 'collected',
    when: (facts) => facts.isUnitReservedByAnother,
    decision: refuse('unitAlreadyReserved'),
  },
  { from: 'bounced', trigger: 'collected', decision: recover },
  {
    from: 'not bounced',
    trigger: 'collected',
    when: (facts) => facts.status === 'pending_cheque_collection',
    decision: approve,
  },
  { from: 'any', trigger: 'any other', decision: keep },
];

/** What a sent `reservationStatus` does. */
export function decideReservation(facts: ReservationFacts, sent: ReservationStatus): Decision {
  const row = reservationRows.find(
    ({ from, trigger }) =>
      trigger === sent && (from === 'any' || from === 'other' || from === facts.status),
  );
  return unlessUnitIsDeleted(row?.decision ?? keep, facts);
}

/** What a sent `chequeStatus` entails, beyond the cheque's own facts, which are always stored. */
export function decideCheque(facts: ChequeFacts, sent: ChequeStatus): Decision {
  const previous = facts.previousStatus === 'bounced' ? 'bounced' : 'not bounced';
  const row = chequeRows.find(
    ({ from, trigger, when }) =>
      (trigger === sent || trigger === 'any other') &&
      (from === 'any' || from === previous) &&
      (when?.(facts) ?? true),
  );
  return unlessUnitIsDeleted(row?.decision ?? keep, facts);
}

/** Nothing is approved for a deleted unit. */
function unlessUnitIsDeleted(decision: Decision, { isUnitDeleted }: ReservationFacts): Decision {
  const approves = decision.kind === 'apply' && decision.effects.includes('approve');
  return approves && isUnitDeleted ? refuse('unitNotFound') : decision;
}
