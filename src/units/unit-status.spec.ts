import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { rounds } from '../../test/support/rounds.js';
import { derivedStatuses, statusSpelling } from '../../test/units/status-spellings.js';
import { derivedStatus, isMisspelledStatus, statusKey, statusToStore } from './unit-status.js';

const derived = derivedStatuses;
const closed = ['rejected', 'canceled', 'expired'];

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

  const numRuns = rounds(2_000, 20_000);

  it('is stored in the documented spelling when it has another case, or blanks or marks around it', () => {
    fc.assert(
      fc.property(statusSpelling, reservations, ({ status, documented }, statuses) => {
        const read = (spelling: string) => [
          derivedStatus(spelling, statuses),
          statusToStore(spelling, statuses),
          statusKey(spelling),
        ];
        expect([...read(status), isMisspelledStatus(status)]).toEqual([
          ...read(documented),
          status !== documented,
        ]);
      }),
      { numRuns },
    );
  });

  it('stays unchanged when it does not derive from reservations', () => {
    const inside = statusSpelling.map(({ status }) => [status.trim(), 'x'].join(' '));
    const other = fc.oneof(fc.string({ unit: 'binary' }), inside, fc.constant('Avail\u200Bable'));
    fc.assert(
      fc.property(other, reservations, (status, statuses) => {
        expect([
          derivedStatus(status, statuses),
          statusToStore(status, statuses),
          isMisspelledStatus(status),
        ]).toEqual([status, status, false]);
      }),
      { numRuns },
    );
  });
});
