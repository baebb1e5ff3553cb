import type { ReservationStatus } from './reservation-status.js';

/** Partners send these values, so they must not change (rule CALL-3). */
export const chequeStatuses = ['pending', 'collected', 'overdue', 'bounced', 'post_dated'] as const;
export type ChequeStatus = (typeof chequeStatuses)[number];

export type Effect =
  /** Sets status approved and `approvedAt`, and the unit to Sold. */
  | 'approve'
  /** Sets status canceled and `canceledAt`, and recomputes the unit's availability. */
  | 'cancel'
  /** Soft-deletes the active wallet if the reservation is in the partner collection flow. */
  | 'deleteWallet'
  /** Makes the cheque's wallet active again. */
  | 'restoreWallet';

export type TransitionError = 'unitNotFound' | 'notPendingChequeCollection' | 'unitAlreadyReserved';

export interface Decision {
  readonly effects: readonly Effect[];
  readonly error?: TransitionError;
  /** True for a valid value that has no effect. */
  readonly isIgnored?: true;
}

export interface ReservationFacts {
  readonly status: ReservationStatus;
  readonly isUnitDeleted: boolean;
}

export interface ChequeFacts extends ReservationFacts {
  readonly previousStatus: ChequeStatus;
  readonly isUnitReservedByAnother: boolean;
}

interface TransitionRow<Status, Facts> {
  readonly from: Status | 'any';
  readonly trigger: Status;
  readonly when?: (facts: Facts) => boolean;
  readonly decision: Decision;
}

const noEffects: Decision = { effects: [] };
const ignore: Decision = { effects: [], isIgnored: true };
const approve: Decision = { effects: ['approve'] };
const cancel: Decision = { effects: ['cancel', 'deleteWallet'] };
const recover: Decision = { effects: ['approve', 'restoreWallet'] };
const refuse = (error: TransitionError): Decision => ({ effects: [], error });

const isUnitReserved = (facts: ChequeFacts) => facts.isUnitReservedByAnother;
const isPendingChequeCollection = (facts: ChequeFacts) =>
  facts.status === 'pending_cheque_collection';

/** For `reservationStatus`, the first matching row decides (rule CALL-4). */
const reservationRows: readonly TransitionRow<ReservationStatus, ReservationFacts>[] = [
  { from: 'pending_cheque_collection', trigger: 'approved', decision: approve },
  { from: 'any', trigger: 'approved', decision: refuse('notPendingChequeCollection') },
  { from: 'any', trigger: 'canceled', decision: cancel },
  { from: 'any', trigger: 'pending', decision: ignore },
  { from: 'any', trigger: 'pending_cheque_collection', decision: ignore },
  { from: 'any', trigger: 'rejected', decision: ignore },
  { from: 'any', trigger: 'expired', decision: ignore },
];

/** For `chequeStatus`, the first matching row decides. Without a match, nothing else changes (rule CALL-5). */
const chequeRows: readonly TransitionRow<ChequeStatus, ChequeFacts>[] = [
  { from: 'any', trigger: 'bounced', decision: cancel },
  {
    from: 'bounced',
    trigger: 'collected',
    when: isUnitReserved,
    decision: refuse('unitAlreadyReserved'),
  },
  { from: 'bounced', trigger: 'collected', decision: recover },
  { from: 'any', trigger: 'collected', when: isPendingChequeCollection, decision: approve },
];

export function decideReservation(
  facts: ReservationFacts,
  requested: ReservationStatus | undefined,
): Decision {
  return decide(reservationRows, facts.status, requested, facts);
}

/** Decides only consequences of `chequeStatus`; the report itself is always stored. */
export function decideCheque(facts: ChequeFacts, reported: ChequeStatus): Decision {
  return decide(chequeRows, facts.previousStatus, reported, facts);
}

function decide<Status, Facts extends ReservationFacts>(
  rows: readonly TransitionRow<Status, Facts>[],
  status: Status,
  sent: Status | undefined,
  facts: Facts,
): Decision {
  const row = rows.find(
    ({ from, trigger, when }) =>
      trigger === sent && (from === 'any' || from === status) && (when?.(facts) ?? true),
  );
  const decision = row?.decision ?? noEffects;
  const isApproval = decision.effects.includes('approve');
  return isApproval && facts.isUnitDeleted ? refuse('unitNotFound') : decision;
}
