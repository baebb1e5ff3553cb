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
import { decideCallback } from './callback-decision.js';
import type { CallbackDto } from './callback.dto.js';

function effectsOf(state: ReservationState, callback: Omit<CallbackDto, 'reservationId'>) {
  const reservationId = state.reservation._id.toHexString();
  return decideCallback(state, { reservationId, ...callback }).effects;
}

const inFlow = { partnerCollection: { isActive: true } };

describe('what a callback did', () => {
  it('is nothing where nothing changed', () => {
    expect(effectsOf(stateWith(), {})).toEqual({});
    expect(effectsOf(stateWith({ unit: null }), { reservationStatus: 'expired' })).toEqual({});
  });

  it('names the statuses of reservation, unit and cheque, and what became of the wallet', () => {
    const state = stateWith({
      reservation: reservationWith({ ...inFlow, status: 'approved' }),
      unit: unitWith({ status: 'Sold' }),
      wallets: [walletWith({ cheques: [chequeWith({ status: 'overdue' })] })],
    });
    expect(effectsOf(state, { installmentId: '1', chequeStatus: 'bounced' })).toEqual({
      reservation: { from: 'approved', to: 'canceled' },
      unit: { from: 'Sold', to: 'Available' },
      cheque: { from: 'overdue', to: 'bounced' },
      wallet: 'deleted',
    });
  });

  it('tells of a recovery', () => {
    const state = stateWith({
      reservation: reservationWith({ ...inFlow, status: 'canceled' }),
      unit: unitWith({ status: 'Available' }),
      wallets: [walletWith({ ...deleted, cheques: [chequeWith({ status: 'bounced' })] })],
    });
    expect(effectsOf(state, { installmentId: '1', chequeStatus: 'collected' })).toEqual({
      reservation: { from: 'canceled', to: 'approved' },
      unit: { from: 'Available', to: 'Sold' },
      cheque: { from: 'bounced', to: 'collected' },
      wallet: 'restored',
    });
  });

  it('tells of a report that repeats the status, and of none that was not stored', () => {
    const state = stateWith({ wallets: [walletWith()] });
    expect(effectsOf(state, { installmentId: '1', chequeStatus: 'pending' })).toEqual({
      cheque: { from: 'pending', to: 'pending' },
    });
    expect(effectsOf(state, { installmentId: '2', chequeStatus: 'pending' })).toEqual({});
  });

  it('knows a unit that had no status', () => {
    const { status: _none, ...unit } = unitWith();
    const reservation = reservationWith({ status: 'pending_cheque_collection' });
    expect(
      effectsOf(stateWith({ reservation, unit }), { reservationStatus: 'approved' }),
    ).toMatchObject({
      unit: { from: null, to: 'Sold' },
    });
  });
});
