import { describe, expect, it } from '@jest/globals';
import { chequeStatuses, type ReservationStatus, reservationStatuses } from './statuses.js';
import { type ChequeFacts, decideCheque, decideReservation, type Decision } from './transitions.js';

const approval: Decision = { kind: 'apply', effects: ['approve'] };
const cancellation: Decision = { kind: 'apply', effects: ['cancel', 'deleteWallet'] };
const recovery: Decision = { kind: 'apply', effects: ['approve', 'restoreWallet'] };
const unitNotFound: Decision = { kind: 'reject', error: 'unitNotFound' };
const present = { isUnitDeleted: false };
const deleted = { isUnitDeleted: true };

describe('decideReservation', () => {
  it('approves what is pending cheque collection', () => {
    const status = 'pending_cheque_collection';
    expect(decideReservation({ status, ...present }, 'approved')).toEqual(approval);
    expect(decideReservation({ status, ...deleted }, 'approved')).toEqual(unitNotFound);
  });

  const others = reservationStatuses.filter((status) => status !== 'pending_cheque_collection');
  it.each(others)(
    'rejects the approval of what is %s, whether or not the unit is there',
    (status) => {
      const rejected: Decision = { kind: 'reject', error: 'notPendingChequeCollection' };
      expect(decideReservation({ status, ...present }, 'approved')).toEqual(rejected);
      expect(decideReservation({ status, ...deleted }, 'approved')).toEqual(rejected);
    },
  );

  it.each(reservationStatuses)('cancels what is %s', (status) => {
    expect(decideReservation({ status, ...present }, 'canceled')).toEqual(cancellation);
    expect(decideReservation({ status, ...deleted }, 'canceled')).toEqual(cancellation);
  });

  const ignored: ReservationStatus[] = [
    'pending',
    'pending_cheque_collection',
    'rejected',
    'expired',
  ];
  it.each(
    ignored.flatMap((requested) => reservationStatuses.map((status) => ({ requested, status }))),
  )('ignores $requested for what is $status', ({ requested, status }) => {
    expect(decideReservation({ status, ...present }, requested)).toEqual({ kind: 'ignore' });
    expect(decideReservation({ status, ...deleted }, requested)).toEqual({ kind: 'ignore' });
  });
});

describe('decideReservation without a requested status', () => {
  it.each(reservationStatuses)('keeps what is %s', (status) => {
    expect(decideReservation({ status, ...present }, undefined)).toEqual({ kind: 'keep' });
  });
});

describe('decideCheque', () => {
  const bools = [false, true];
  /** Every combination of facts, by the state of the cheque before. */
  const allFacts: ChequeFacts[] = chequeStatuses.flatMap((previousStatus) =>
    reservationStatuses.flatMap((status) =>
      bools.flatMap((isUnitDeleted) =>
        bools.map((isUnitReservedByAnother) => {
          return { previousStatus, status, isUnitDeleted, isUnitReservedByAnother };
        }),
      ),
    ),
  );
  const recovered = allFacts.filter((facts) => facts.previousStatus === 'bounced');
  const collected = allFacts.filter((facts) => facts.previousStatus !== 'bounced');

  it('cancels the reservation of any cheque that bounces', () => {
    for (const facts of allFacts) expect(decideCheque(facts, 'bounced')).toEqual(cancellation);
  });

  it('approves again when a bounced cheque is collected, whatever the reservation is', () => {
    const free = recovered.filter((f) => !f.isUnitDeleted && !f.isUnitReservedByAnother);
    expect(free).toHaveLength(6);
    for (const facts of free) expect(decideCheque(facts, 'collected')).toEqual(recovery);
  });

  it('rejects that while another reservation of the unit is approved, deleted or not', () => {
    const taken = recovered.filter((facts) => facts.isUnitReservedByAnother);
    expect(taken).toHaveLength(12);
    for (const facts of taken) {
      const rejected: Decision = { kind: 'reject', error: 'unitAlreadyReserved' };
      expect(decideCheque(facts, 'collected')).toEqual(rejected);
    }
  });

  it('does not find a deleted unit that no other reservation has', () => {
    const gone = recovered.filter((f) => f.isUnitDeleted && !f.isUnitReservedByAnother);
    expect(gone).toHaveLength(6);
    for (const facts of gone) expect(decideCheque(facts, 'collected')).toEqual(unitNotFound);
  });

  it('approves what awaits collection when another cheque is collected, even of a sold unit', () => {
    const awaiting = collected.filter((facts) => facts.status === 'pending_cheque_collection');
    expect(awaiting).toHaveLength(16);
    for (const facts of awaiting) {
      const expected = facts.isUnitDeleted ? unitNotFound : approval;
      expect(decideCheque(facts, 'collected')).toEqual(expected);
    }
  });

  it('changes nothing but the cheque otherwise', () => {
    const settled = collected.filter((facts) => facts.status !== 'pending_cheque_collection');
    expect(settled).toHaveLength(80);
    for (const facts of settled) {
      expect(decideCheque(facts, 'collected')).toEqual({ kind: 'keep' });
    }
    for (const facts of allFacts) {
      for (const requested of ['pending', 'overdue', 'post_dated'] as const) {
        expect(decideCheque(facts, requested)).toEqual({ kind: 'keep' });
      }
    }
  });
});
