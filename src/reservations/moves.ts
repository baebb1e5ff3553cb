import { chequeStatuses, type ReservationStatus, reservationStatuses } from './statuses.js';
import { type ChequeFacts, decideCheque, decideReservation, type Decision } from './transitions.js';

/** From one status to another one. */
export interface StatusMove {
  readonly from: ReservationStatus;
  readonly to: ReservationStatus;
}

/**
 * Every move that a callback can make of a reservation, each once, as the tables of
 * `transitions.ts` have it (rules CALL-4 and CALL-5).
 */
export function callbackMoves(): StatusMove[] {
  return reservationStatuses.flatMap((from) => {
    const targets = new Set(decisionsFrom(from).flatMap(targetOf));
    targets.delete(from);
    return [...targets].map((to) => ({ from, to }));
  });
}

/** All that can be decided about a reservation with this status and a unit. */
function decisionsFrom(status: ReservationStatus): Decision[] {
  const facts = { status, isUnitDeleted: false };
  const cheques = chequeStatuses.flatMap((previousStatus): ChequeFacts[] =>
    [false, true].map((isUnitReservedByAnother) => {
      return { ...facts, previousStatus, isUnitReservedByAnother };
    }),
  );
  return [
    ...reservationStatuses.map((requested) => decideReservation(facts, requested)),
    ...cheques.flatMap((cheque) =>
      chequeStatuses.map((reported) => decideCheque(cheque, reported)),
    ),
  ];
}

function targetOf(decision: Decision): ReservationStatus[] {
  if (decision.kind !== 'apply') return [];
  return decision.effects.includes('approve') ? ['approved'] : ['canceled'];
}
