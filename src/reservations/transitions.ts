import type { ReservationStatus } from '../availability/availability.js';

/** The statuses of a cheque (rule CALL-3). */
export const chequeStatuses = ['pending', 'collected', 'overdue', 'bounced', 'post_dated'] as const;
export type ChequeStatus = (typeof chequeStatuses)[number];

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

/** Why a step fails; what earlier steps changed is stored all the same. */
export type TransitionError = 'unitNotFound' | 'notPendingChequeCollection' | 'unitAlreadyReserved';

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

/** What a step does: effects in order, an error, or nothing. */
export type Decision =
  | { readonly kind: 'apply'; readonly effects: readonly Effect[] }
  | { readonly kind: 'reject'; readonly error: TransitionError }
  | { readonly kind: 'ignore' }
  | { readonly kind: 'keep' };

interface ReservationRow {
  readonly from: ReservationStatus | 'any' | 'other';
  readonly trigger: ReservationStatus;
  readonly decision: Decision;
}

interface ChequeRow {
  readonly from: 'bounced' | 'not bounced' | 'any';
  readonly trigger: ChequeStatus;
  readonly when?: (facts: ChequeFacts) => boolean;
  readonly decision: Decision;
}

const keep: Decision = { kind: 'keep' };
const ignore: Decision = { kind: 'ignore' };
const approve: Decision = { kind: 'apply', effects: ['approve'] };
const cancel: Decision = { kind: 'apply', effects: ['cancel', 'deleteWallet'] };
const recover: Decision = { kind: 'apply', effects: ['approve', 'restoreWallet'] };
const reject = (error: TransitionError): Decision => ({ kind: 'reject', error });

/** The rows of rule CALL-4, about `reservationStatus`; the first that fits decides. */
const reservationRows: readonly ReservationRow[] = [
  { from: 'pending_cheque_collection', trigger: 'approved', decision: approve },
  { from: 'other', trigger: 'approved', decision: reject('notPendingChequeCollection') },
  { from: 'any', trigger: 'canceled', decision: cancel },
  { from: 'any', trigger: 'pending', decision: ignore },
  { from: 'any', trigger: 'pending_cheque_collection', decision: ignore },
  { from: 'any', trigger: 'rejected', decision: ignore },
  { from: 'any', trigger: 'expired', decision: ignore },
];

/** The rows of rule CALL-5, about `chequeStatus`; the first that fits decides, in any other case nothing. */
const chequeRows: readonly ChequeRow[] = [
  { from: 'any', trigger: 'bounced', decision: cancel },
  {
    from: 'bounced',
    trigger: 'collected',
    when: (facts) => facts.isUnitReservedByAnother,
    decision: reject('unitAlreadyReserved'),
  },
  { from: 'bounced', trigger: 'collected', decision: recover },
  {
    from: 'not bounced',
    trigger: 'collected',
    when: (facts) => facts.status === 'pending_cheque_collection',
    decision: approve,
  },
];

/** What a requested `reservationStatus` does; without one nothing. */
export function decideReservation(
  facts: ReservationFacts,
  requested: ReservationStatus | undefined,
): Decision {
  const row = reservationRows.find(
    ({ from, trigger }) =>
      trigger === requested && (from === 'any' || from === 'other' || from === facts.status),
  );
  return unlessUnitIsDeleted(row?.decision ?? keep, facts);
}

/** What a reported `chequeStatus` entails, besides the report itself, which is always stored. */
export function decideCheque(facts: ChequeFacts, reported: ChequeStatus): Decision {
  const previous = facts.previousStatus === 'bounced' ? 'bounced' : 'not bounced';
  const row = chequeRows.find(
    ({ from, trigger, when }) =>
      trigger === reported && (from === 'any' || from === previous) && (when?.(facts) ?? true),
  );
  return unlessUnitIsDeleted(row?.decision ?? keep, facts);
}

/** Nothing is approved for a deleted unit. */
function unlessUnitIsDeleted(decision: Decision, { isUnitDeleted }: ReservationFacts): Decision {
  const approves = decision.kind === 'apply' && decision.effects.includes('approve');
  return approves && isUnitDeleted ? reject('unitNotFound') : decision;
}
