import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { foldCase } from '../core/localization/fold-case.js';
import { availability, statusWhenSent } from './availability.js';

const derived = ['Sold', 'Reserved', 'Available'];
/** Spellings that filters take for one of them. */
const spelled = fc
  .tuple(fc.constantFrom(...derived), fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }))
  .map(([status, isUpper]) =>
    [...status]
      .map((letter, index) => (isUpper[index] ? letter.toUpperCase() : letter.toLowerCase()))
      .join('')
      .replace(/^s/, (first) => (isUpper[8] ? '\u017F' : first)),
  );
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
  it.each(made)('with reservations %p is %s', (reservations, status) => {
    for (const current of [...derived, null, undefined]) {
      expect(availability(current, reservations)).toBe(status);
    }
    for (const sent of derived) expect(statusWhenSent(sent, reservations)).toBe(status);
  });

  it('is Available or the sent status when no reservation counts', () => {
    for (const reservations of [[], closed]) {
      for (const current of [...derived, null, undefined]) {
        expect(availability(current, reservations)).toBe('Available');
      }
      for (const sent of derived) expect(statusWhenSent(sent, reservations)).toBe(sent);
    }
  });

  it('is recognized in any letter case and stored in the documented spelling', () => {
    const reservations = fc.constantFrom([], closed, ...made.map(([statuses]) => statuses));
    fc.assert(
      fc.property(spelled, reservations, (status, all) => {
        const documented = derived.find((one) => foldCase(one) === foldCase(status)) ?? '';
        expect(availability(status, all)).toBe(availability(documented, all));
        expect(statusWhenSent(status, all)).toBe(statusWhenSent(documented, all));
        expect(derived).toContain(statusWhenSent(status, all));
      }),
    );
  });

  it('stays unchanged when it is not a derived status', () => {
    const other = fc.string().filter((status) => !derived.map(foldCase).includes(foldCase(status)));
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
