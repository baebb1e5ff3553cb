import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type ReservationStatus, reservationStatuses } from '../availability/availability.js';
import {
  type ChequeFacts,
  chequeStatuses,
  decideCheque,
  decideReservation,
  type Decision,
} from './transitions.js';

const diagram = readFileSync('src/core/http/reference/page/reservation-states.svg', 'utf8');

/** The moves that arrows of the diagram show, such as `pending -> canceled`. */
const shown = [
  ...diagram.matchAll(/data-by="callback" data-from="(.*?)" data-to="(.*?)"/g),
].flatMap(([, from = '', to = '']) => from.split(' ').map((status) => `${status} -> ${to}`));

/** Every move that a callback can make, each once, as `transitions.ts` decides (rules CALL-4 and CALL-5). */
const moves = reservationStatuses.flatMap((from) => {
  const targets = new Set(decisionsFrom(from).flatMap(targetOf));
  targets.delete(from);
  return [...targets].map((to) => `${from} -> ${to}`);
});

describe('the state diagram of the reference', () => {
  it('shows exactly the transitions by callbacks', () => {
    expect([...new Set(shown)].toSorted()).toEqual(moves.toSorted());
    expect(new Set(moves).size).toBe(10);
  });

  it('names every reservation status', () => {
    for (const status of reservationStatuses) expect(diagram).toContain(`>${status}</text>`);
  });
});

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

function targetOf({ effects }: Decision): ReservationStatus[] {
  if (effects.length === 0) return [];
  return effects.includes('approve') ? ['approved'] : ['canceled'];
}
