import { describe, expect, it } from '@jest/globals';
import { callbackMoves } from '../../../../reservations/moves.js';
import type { Move } from '../../../../reservations/reading/reservation-timeline.js';
import { reservationStatuses } from '../../../../reservations/statuses.js';
import { drawWay } from './way-drawing.js';

const move = (from: string | null, to: string): Move => ({ from, to, by: 'callback', at: null });
const nameOf = ({ from, to }: { readonly from: string; readonly to: string }) => `${from} -> ${to}`;

describe('the drawing of a way', () => {
  it('has every status and every move of a callback, as the tables have them', () => {
    const { statuses, moves } = drawWay([]);
    expect(statuses.map(({ status }) => status)).toEqual([...reservationStatuses]);
    expect(moves.map(nameOf).toSorted()).toEqual(callbackMoves().map(nameOf).toSorted());
    expect(moves.every(({ steps, isCallback }) => steps.length === 0 && isCallback)).toBe(true);
  });

  it('numbers the arrows that a reservation took, and adds those of no callback', () => {
    const way = [
      move(null, 'pending'),
      move('pending', 'pending_cheque_collection'),
      move('pending_cheque_collection', 'approved'),
      move('approved', 'canceled'),
      move('canceled', 'approved'),
      move('approved', 'canceled'),
    ];
    const { statuses, moves } = drawWay(way);
    const taken = moves.filter(({ steps }) => steps.length > 0);
    expect(taken.map((one) => [nameOf(one), one.steps, one.isCallback])).toEqual([
      ['approved -> canceled', [4, 6], true],
      ['pending_cheque_collection -> approved', [3], true],
      ['canceled -> approved', [5], true],
      ['pending -> pending_cheque_collection', [2], false],
    ]);
    expect(statuses.find(({ isCurrent }) => isCurrent)?.status).toBe('canceled');
    expect(statuses.find(({ isFirst }) => isFirst)?.status).toBe('pending');
  });

  it('draws arrows from border to border, none on another one, within the picture', () => {
    const all = reservationStatuses.flatMap((from) =>
      reservationStatuses.filter((to) => to !== from).map((to) => move(from, to)),
    );
    const { moves, width, height } = drawWay(all);
    expect(new Set(moves.map(({ d }) => d)).size).toBe(30);
    for (const { d, label } of moves) {
      expect(d).toMatch(/^M[\d.]+ [\d.]+Q-?[\d.]+ -?[\d.]+ [\d.]+ [\d.]+$/);
      expect(label.x).toBeGreaterThan(0);
      expect(label.x).toBeLessThan(width);
      expect(label.y).toBeGreaterThan(0);
      expect(label.y).toBeLessThan(height);
    }
  });

  it('leaves out a status that is none', () => {
    expect(drawWay([move('lost', 'approved')]).moves.every(({ steps }) => steps.length === 0)).toBe(
      true,
    );
  });
});
