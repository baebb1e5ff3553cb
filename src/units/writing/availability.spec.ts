import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { availability, statusWhenSent } from './availability.js';

const derived = ['Sold', 'Reserved', 'Available'];
const closed = ['rejected', 'canceled', 'expired'];

/** Statuses of reservations, and the unit's status that they make. */
const made: readonly (readonly [readonly string[], string])[] = [
  [['approved'], 'Sold'],
  [['pending'], 'Reserved'],
  [['pending_cheque_collection'], 'Reserved'],
  [['pending', 'approved', ...closed], 'Sold'],
  [[...closed, 'pending'], 'Reserved'],
];

describe('the status of a unit', () => {
  it.each(made)('with reservations that are %p is %s', (reservations, status) => {
    for (const current of [...derived, null, undefined]) {
      expect(availability(current, reservations)).toBe(status);
    }
    for (const sent of derived) expect(statusWhenSent(sent, reservations)).toBe(status);
  });

  it('without a reservation that counts is Available, or what is sent', () => {
    for (const reservations of [[], closed]) {
      for (const current of [...derived, null, undefined]) {
        expect(availability(current, reservations)).toBe('Available');
      }
      for (const sent of derived) expect(statusWhenSent(sent, reservations)).toBe(sent);
    }
  });

  it('of another kind stays, whatever reservations there are', () => {
    const other = fc.string().filter((status) => !derived.includes(status));
    fc.assert(
      fc.property(
        other,
        fc.constantFrom([], ...made.map(([statuses]) => statuses)),
        (status, all) => {
          expect(availability(status, all)).toBe(status);
          expect(statusWhenSent(status, all)).toBe(status);
        },
      ),
    );
  });
});
