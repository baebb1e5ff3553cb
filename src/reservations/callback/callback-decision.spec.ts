import { describe, expect, it } from '@jest/globals';
import {
  chequeWith,
  deleted,
  reservationWith,
  stateWith,
  unitWith,
  walletWith,
} from '../../../test/support/reservation-state.js';
import type { ReservationState } from '../reservation-state.js';
import { reservationStatuses } from '../statuses.js';
import { decideCallback } from './callback-decision.js';
import type { CallbackDto } from './callback.dto.js';

const inPartnerFlow = { partnerCollection: { isActive: true } };
const awaiting = { ...inPartnerFlow, status: 'pending_cheque_collection' } as const;

/** What a callback does to a state: how it is answered, and what it leaves. */
function decide(state: ReservationState, callback: Omit<CallbackDto, 'reservationId'>) {
  const {
    state: left,
    effects: _effects,
    ...outcome
  } = decideCallback(state, {
    reservationId: state.reservation._id.toHexString(),
    ...callback,
  });
  return { outcome, left };
}

const report = (chequeStatus: CallbackDto['chequeStatus'], installmentId = '1') => ({
  installmentId,
  ...(chequeStatus !== undefined && { chequeStatus }),
});

describe('the reservation step of a callback', () => {
  it('changes nothing without a status, or with one that a callback does not decide', () => {
    const state = stateWith({ wallets: [walletWith()] });
    expect(decide(state, {})).toEqual({
      outcome: { reservation: 'unchanged', cheque: 'none' },
      left: state,
    });
    for (const reservationStatus of reservationStatuses) {
      if (reservationStatus === 'approved' || reservationStatus === 'canceled') continue;
      expect(decide(state, { reservationStatus })).toEqual({
        outcome: { reservation: 'ignored', cheque: 'none' },
        left: state,
      });
    }
  });

  it('approves what awaits its cheques, and sells the unit', () => {
    const { outcome, left } = decide(stateWith({ reservation: reservationWith(awaiting) }), {
      reservationStatus: 'approved',
    });
    expect(outcome).toEqual({ reservation: 'applied', cheque: 'none' });
    expect(left).toMatchObject({ reservation: { status: 'approved' }, unit: { status: 'Sold' } });
  });

  it('that fails ends the callback: the report about a cheque is not stored', () => {
    const both = { reservationStatus: 'approved', ...report('collected') } as const;
    const pending = stateWith({ wallets: [walletWith()] });
    expect(decide(pending, both)).toEqual({
      outcome: { reservation: 'unchanged', cheque: 'none', error: 'notPendingChequeCollection' },
      left: pending,
    });
    const ofDeletedUnit = stateWith({ reservation: reservationWith(awaiting), unit: null });
    expect(decide(ofDeletedUnit, both)).toEqual({
      outcome: { reservation: 'unchanged', cheque: 'none', error: 'unitNotFound' },
      left: ofDeletedUnit,
    });
  });

  describe('has applied a cancellation', () => {
    const canceled = reservationWith({ ...inPartnerFlow, status: 'canceled' });
    const freeUnit = unitWith({ status: 'Available' });
    const cancel = (fields: Partial<ReservationState>) =>
      decide(stateWith(fields), { reservationStatus: 'canceled' });

    it('that changes the reservation, its unit or its wallet', () => {
      const outcome = { reservation: 'applied', cheque: 'none' };
      const ofDeletedUnit = cancel({ unit: null });
      expect(ofDeletedUnit.outcome).toEqual(outcome);
      expect(ofDeletedUnit.left).toMatchObject({ reservation: { status: 'canceled' }, unit: null });
      const freed = cancel({ reservation: canceled });
      expect(freed.outcome).toEqual(outcome);
      expect(freed.left.unit?.status).toBe('Available');
      const withWallet = cancel({
        reservation: canceled,
        unit: freeUnit,
        wallets: [walletWith()],
      });
      expect(withWallet.outcome).toEqual(outcome);
      expect(withWallet.left.wallets).toMatchObject([{ isDeleted: true }]);
    });

    it('but not one that finds all of it so already', () => {
      const wallets = [walletWith(deleted)];
      const repeated = cancel({ reservation: canceled, unit: freeUnit, wallets });
      expect(repeated.outcome).toEqual({ reservation: 'unchanged', cheque: 'none' });
    });
  });
});

describe('the cheque step of a callback', () => {
  it('needs a report: an installment alone changes nothing', () => {
    const state = stateWith({ wallets: [walletWith()] });
    expect(decide(state, { installmentId: '1' })).toEqual({
      outcome: { reservation: 'unchanged', cheque: 'none' },
      left: state,
    });
  });

  it('is skipped without an active wallet, and fails where that has no such cheque', () => {
    const changed = { reservationStatus: 'canceled', ...report('overdue', '2') } as const;
    const skipped = decide(stateWith({ wallets: [walletWith(deleted)] }), changed);
    expect(skipped.outcome).toEqual({ reservation: 'applied', cheque: 'skipped' });
    const missing = decide(stateWith({ wallets: [walletWith()] }), changed);
    expect(missing.outcome).toEqual({
      reservation: 'applied',
      cheque: 'none',
      error: 'chequeNotFound',
    });
    for (const { left } of [skipped, missing]) {
      expect(left.reservation.status).toBe('canceled');
      expect(left.events).toEqual([]);
    }
  });

  it('fails when the wallet is full, and stores no report', () => {
    const state = stateWith({
      wallets: [walletWith({ cheques: [chequeWith({ chequeNumber: 'x'.repeat(5_000_000) })] })],
    });
    expect(decide(state, report('bounced'))).toEqual({
      outcome: { reservation: 'unchanged', cheque: 'none', error: 'walletFull' },
      left: state,
    });
  });

  it.each(['pending', 'overdue', 'post_dated', 'collected'] as const)(
    'stores the report that a cheque is %s and decides nothing else',
    (chequeStatus) => {
      const state = stateWith({ wallets: [walletWith()] });
      const { outcome, left } = decide(state, report(chequeStatus));
      expect(outcome).toEqual({ reservation: 'unchanged', cheque: 'applied' });
      const { reservation, unit, isUnitDecided } = state;
      expect(left).toMatchObject({
        reservation,
        unit,
        isUnitDecided,
        wallets: [{ cheques: [{ status: chequeStatus }] }],
      });
    },
  );

  it('cancels the reservation of a cheque that bounces, and deletes its wallet', () => {
    const reservation = reservationWith({ ...inPartnerFlow, status: 'approved' });
    const { outcome, left } = decide(
      stateWith({ reservation, unit: unitWith({ status: 'Sold' }), wallets: [walletWith()] }),
      report('bounced'),
    );
    expect(outcome).toEqual({ reservation: 'applied', cheque: 'applied' });
    expect(left).toMatchObject({
      reservation: { status: 'canceled' },
      unit: { status: 'Available' },
      wallets: [{ isDeleted: true, cheques: [{ status: 'bounced' }] }],
      events: [{ type: 'wallet.updated' }, { type: 'wallet.deleted' }],
    });
  });

  it('approves what awaits its cheques when one is collected', () => {
    const reservation = reservationWith(awaiting);
    const { outcome, left } = decide(
      stateWith({ reservation, wallets: [walletWith()] }),
      report('collected'),
    );
    expect(outcome).toEqual({ reservation: 'applied', cheque: 'applied' });
    expect(left).toMatchObject({ reservation: { status: 'approved' }, unit: { status: 'Sold' } });
  });

  it('has applied something beside a status that is ignored', () => {
    const state = stateWith({ reservation: reservationWith(awaiting), wallets: [walletWith()] });
    const { outcome } = decide(state, { reservationStatus: 'pending', ...report('collected') });
    expect(outcome).toEqual({ reservation: 'applied', cheque: 'applied' });
  });

  it('leaves the reservation as it is when all of it is so already', () => {
    const reservation = reservationWith({ ...inPartnerFlow, status: 'canceled' });
    const unit = unitWith({ status: 'Available' });
    const state = stateWith({ reservation, unit, wallets: [walletWith(deleted)] });
    const { outcome } = decide(state, report('bounced'));
    expect(outcome).toEqual({ reservation: 'unchanged', cheque: 'applied' });
  });

  it('goes by the status that the reservation step has made', () => {
    const { outcome, left } = decide(
      stateWith({
        reservation: reservationWith({ status: awaiting.status }),
        wallets: [walletWith()],
      }),
      { reservationStatus: 'canceled', ...report('collected') },
    );
    expect(outcome).toEqual({ reservation: 'applied', cheque: 'applied' });
    expect(left.reservation.status).toBe('canceled');
  });

  it('stores the report about a collected cheque of a deleted unit, and approves nothing', () => {
    const reservation = reservationWith(awaiting);
    const { outcome, left } = decide(
      stateWith({ reservation, unit: null, wallets: [walletWith()] }),
      report('collected'),
    );
    expect(outcome).toEqual({
      reservation: 'unchanged',
      cheque: 'applied',
      error: 'unitNotFound',
    });
    expect(left).toMatchObject({
      reservation,
      isUnitDecided: false,
      wallets: [{ cheques: [{ status: 'collected' }] }],
    });
  });

  describe('about a bounced cheque that is collected after all', () => {
    const bounced = chequeWith({ status: 'bounced' });
    const reservation = reservationWith({ ...inPartnerFlow, status: 'canceled' });

    it('approves the reservation and restores the wallet of that cheque', () => {
      const last = walletWith({ ...deleted, cheques: [chequeWith({ installmentId: '2' })] });
      const other = walletWith({ ...deleted, cheques: [bounced] });
      const { outcome, left } = decide(
        stateWith({ reservation, wallets: [last, other] }),
        report('collected'),
      );
      expect(outcome).toEqual({ reservation: 'applied', cheque: 'applied' });
      expect(left).toMatchObject({
        reservation: { status: 'approved' },
        unit: { status: 'Sold' },
        wallets: [last, { _id: other._id, isDeleted: false, cheques: [{ status: 'collected' }] }],
        events: [{ type: 'wallet.updated' }, { type: 'wallet.restored' }],
      });
    });

    it('is refused while another reservation of the unit is approved, and decides on the unit', () => {
      const unit = unitWith({ status: 'Sold' });
      const { outcome, left } = decide(
        stateWith({
          reservation,
          unit,
          otherStatuses: ['pending', 'approved'],
          wallets: [walletWith({ ...deleted, cheques: [bounced] })],
        }),
        report('collected'),
      );
      expect(outcome).toEqual({
        reservation: 'unchanged',
        cheque: 'applied',
        error: 'unitAlreadyReserved',
      });
      // The unit stays, but a cancellation of the other reservation must not go unseen.
      expect(left.isUnitDecided).toBe(true);
      expect(left.unit).toBe(unit);
      expect(left.reservation).toBe(reservation);
      expect(left.wallets).toMatchObject([{ isDeleted: true, cheques: [{ status: 'collected' }] }]);
    });
  });
});
