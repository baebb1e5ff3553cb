import { describe, expect, it } from '@jest/globals';
import {
  before,
  now,
  reservationWith,
  stateWith,
  unitWith,
} from '../../test/support/reservation-state.js';
import { approve, cancel, keepUnit, recomputeUnit, withStatus } from './reservation-state.js';
import { reservationStatuses } from './statuses.js';

describe('a status', () => {
  it.each(reservationStatuses)('%s is there from now on, with no time but its own', (status) => {
    const fields = reservationWith();
    for (const stored of [fields, { ...fields, approvedAt: before, canceledAt: before }]) {
      expect(withStatus(stored, status, now)).toStrictEqual({
        ...fields,
        status,
        updatedAt: now,
        ...(status === 'approved' && { approvedAt: now }),
        ...(status === 'canceled' && { canceledAt: now }),
      });
    }
  });
});

describe('approval', () => {
  it('sells the unit, whatever status it has', () => {
    for (const status of ['Available', 'Reserved', 'Blocked']) {
      const state = stateWith({ unit: unitWith({ status }) });
      const approved = approve(state);
      expect(approved.reservation).toEqual({
        ...state.reservation,
        status: 'approved',
        approvedAt: now,
        updatedAt: now,
      });
      expect(approved.unit).toEqual({ ...state.unit, status: 'Sold', updatedAt: now });
      expect(approved.isUnitDecided).toBe(true);
    }
  });
});

describe('cancellation', () => {
  it('frees the unit', () => {
    const state = stateWith();
    const canceled = cancel(state);
    expect(canceled.reservation).toMatchObject({ status: 'canceled', canceledAt: now });
    expect(canceled.unit).toEqual({ ...state.unit, status: 'Available', updatedAt: now });
  });

  it('of what is canceled already looks at the unit alone', () => {
    const reservation = reservationWith({ status: 'canceled', canceledAt: before });
    const canceled = cancel(stateWith({ reservation }));
    expect(canceled.reservation).toBe(reservation);
    expect(canceled.unit?.status).toBe('Available');
  });
});

describe('the unit of a reservation', () => {
  it('gets the status that all its reservations make', () => {
    const statusWith = (own: 'approved' | 'canceled', others: ('approved' | 'pending')[]) =>
      recomputeUnit(
        stateWith({ reservation: reservationWith({ status: own }), otherStatuses: others }),
      ).unit?.status;
    expect(statusWith('canceled', [])).toBe('Available');
    expect(statusWith('canceled', ['pending'])).toBe('Reserved');
    expect(statusWith('canceled', ['pending', 'approved'])).toBe('Sold');
    expect(statusWith('approved', [])).toBe('Sold');
  });

  it('that an operator has taken off the market stays as it is', () => {
    const unit = unitWith({ status: 'Blocked' });
    expect(recomputeUnit(stateWith({ unit })).unit).toBe(unit);
  });

  it('is decided on even where it has the status already, and is not changed by that', () => {
    const state = stateWith();
    const decided = recomputeUnit(state);
    expect(decided).toEqual({ ...state, isUnitDecided: true });
    expect(decided.unit).toBe(state.unit);
    expect(keepUnit(state)).toEqual({ ...state, isUnitDecided: true });
  });

  it('that is deleted stays so, and nothing is decided on it', () => {
    const state = stateWith({ unit: null });
    for (const decide of [approve, cancel, recomputeUnit, keepUnit]) {
      expect(decide(state)).toMatchObject({ unit: null, isUnitDecided: false });
    }
  });
});
