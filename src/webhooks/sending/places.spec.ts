import { describe, expect, it } from '@jest/globals';
import { type Pace, paces } from '../deliveries/delivery-outcome.js';
import { hasPlace, type Load, leavesPlace, nextLimit, placesOf } from './places.js';

const places = placesOf(64);
const load = (given: Partial<Load>): Load => ({
  quick: 0,
  unproven: 0,
  slow: 0,
  left: 0,
  ...given,
});

/** Which paces have a place beside these. */
const withPlace = (given: Partial<Load>, of = places): Pace[] =>
  paces.filter((pace) => hasPlace(pace, load(given), of));

describe('the places of a process', () => {
  it('are all for quick endpoints, whatever the others take', () => {
    expect(withPlace({ quick: 63, unproven: 64, slow: 32, left: 96 })).toEqual(['quick']);
    expect(withPlace({ quick: 64 })).toEqual(['unproven', 'slow']);
  });

  it('are as many for endpoints that are not known, and half as many for slow ones', () => {
    expect(withPlace({ unproven: 63, slow: 31 })).toEqual(paces);
    expect(withPlace({ unproven: 64, slow: 31 })).toEqual(['quick', 'slow']);
    expect(withPlace({ unproven: 63, slow: 32 })).toEqual(['quick', 'unproven']);
  });

  it.each([1, 2, 3, 4])('leave no pace without one when there are %i', (concurrency) => {
    expect(withPlace({}, placesOf(concurrency))).toEqual(paces);
  });
});

describe('an attempt that takes long', () => {
  it('leaves its place, until one and a half times as many have left theirs', () => {
    expect(leavesPlace('quick', load({ left: 95, quick: 64 }), places)).toBe(true);
    expect(leavesPlace('unproven', load({ left: 96 }), places)).toBe(false);
  });

  it('keeps its place if that is for slow ones', () =>
    expect(leavesPlace('slow', load({}), places)).toBe(false));
});

describe('the attempts of an endpoint at the same time', () => {
  it('double with each success, to a quarter of the places, or a sixteenth if it is not quick', () => {
    expect(nextLimit(4, 'quick', true, places)).toBe(8);
    expect(nextLimit(16, 'quick', true, places)).toBe(16);
    expect(nextLimit(16, 'unproven', true, places)).toBe(4);
  });

  it('start again with one after a failure', () =>
    expect(nextLimit(16, 'quick', false, places)).toBe(1));
});
