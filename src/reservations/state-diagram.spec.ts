import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { callbackMoves } from './moves.js';
import { reservationStatuses } from './statuses.js';

const diagram = readFileSync('src/core/http/reference/page/reservation-states.svg', 'utf8');

/** The moves that arrows of the diagram show, such as `pending -> canceled`. */
const shown = [
  ...diagram.matchAll(/data-by="callback" data-from="(.*?)" data-to="(.*?)"/g),
].flatMap(([, from = '', to = '']) => from.split(' ').map((status) => `${status} -> ${to}`));

const moves = callbackMoves().map(({ from, to }) => `${from} -> ${to}`);

describe('the diagram of the reference', () => {
  it('shows every move of a callback, and no other', () => {
    expect([...new Set(shown)].toSorted()).toEqual(moves.toSorted());
    expect(new Set(moves).size).toBe(10);
  });

  it('names every status', () => {
    for (const status of reservationStatuses) expect(diagram).toContain(`>${status}</text>`);
  });
});
