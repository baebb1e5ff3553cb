import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { foldCase } from '../core/localization/fold-case.js';
import { derivedStatus, statusToStore } from './availability.js';

const derived = ['Sold', 'Reserved', 'Available'];
const closed = ['rejected', 'canceled', 'expired'];
/** Generates a derived status in any spelling that filters treat as equal, with its documented spelling. */
const statusSpelling = fc
  .tuple(fc.constantFrom(...derived), fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }))
  .map(([documented, isUpper]) => {
    const letters = [...documented].map((letter, index) => {
      if (letter === 'S' && isUpper[8]) return '\u017F';
      return isUpper[index] ? letter.toUpperCase() : letter.toLowerCase();
    });
    return { documented, status: letters.join('') };
  });

const free = 'Available or the sent status';
/** Pairs statuses of reservations with the unit status that they cause. */
const expectedStatuses: readonly (readonly [readonly string[], string])[] = [
  [[], free],
  [closed, free],
  [['approved'], 'Sold'],
  [['pending'], 'Reserved'],
  [['pending_cheque_collection'], 'Reserved'],
  [['pending', 'approved', ...closed], 'Sold'],
  [[...closed, 'pending'], 'Reserved'],
];

describe('the status of a unit', () => {
  it.each(expectedStatuses)('with reservations %p is %s', (statuses, status) => {
    for (const current of [...derived, null, undefined]) {
      expect(derivedStatus(current, statuses)).toBe(status === free ? 'Available' : status);
    }
    for (const sent of derived) {
      expect(statusToStore(sent, statuses)).toBe(status === free ? sent : status);
    }
  });

  const reservations = fc.constantFrom(...expectedStatuses.map(([statuses]) => statuses));

  it('is stored in the documented spelling when it is sent in another letter case', () => {
    fc.assert(
      fc.property(statusSpelling, reservations, ({ status, documented }, statuses) => {
        expect(derivedStatus(status, statuses)).toBe(derivedStatus(documented, statuses));
        expect(statusToStore(status, statuses)).toBe(statusToStore(documented, statuses));
      }),
    );
  });

  it('stays unchanged when it does not derive from reservations', () => {
    const other = fc.string().filter((status) => !derived.map(foldCase).includes(foldCase(status)));
    fc.assert(
      fc.property(other, reservations, (status, statuses) => {
        expect([derivedStatus(status, statuses), statusToStore(status, statuses)]).toEqual([
          status,
          status,
        ]);
      }),
    );
  });
});
