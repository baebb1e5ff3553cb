import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { chequeStatuses, reservationStatuses } from './statuses.js';
import { decideCheque, decideReservation, type Decision } from './transitions.js';

const diagram = readFileSync('src/http/reference/page/reservation-states.svg', 'utf8');

/** The moves that arrows of the diagram show, such as `pending -> canceled`. */
const shown = [
  ...diagram.matchAll(/data-by="callback" data-from="(.*?)" data-to="(.*?)"/g),
].flatMap(([, from = '', to = '']) => from.split(' ').map((status) => `${status} -> ${to}`));

const bools = [false, true];
const moves = reservationStatuses.flatMap((status) => {
  const states = { status, isUnitDeleted: false };
  const decisions = [
    ...reservationStatuses.map((requested) => decideReservation(states, requested)),
    ...chequeStatuses.flatMap((previousStatus) =>
      bools.flatMap((isUnitReservedByAnother) =>
        chequeStatuses.map((reported) =>
          decideCheque({ ...states, previousStatus, isUnitReservedByAnother }, reported),
        ),
      ),
    ),
  ];
  return decisions.flatMap(targetOf).flatMap((target) => {
    return target === status ? [] : [`${status} -> ${target}`];
  });
});

function targetOf(decision: Decision): string[] {
  if (decision.kind !== 'apply') return [];
  return decision.effects.includes('approve') ? ['approved'] : ['canceled'];
}

describe('the diagram of the reference', () => {
  it('shows every move of a callback, and no other', () => {
    expect([...new Set(shown)].toSorted()).toEqual([...new Set(moves)].toSorted());
  });

  it('names every status', () => {
    for (const status of reservationStatuses) expect(diagram).toContain(`>${status}</text>`);
  });
});
