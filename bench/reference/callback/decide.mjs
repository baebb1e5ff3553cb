// What a callback changes: the reservation first, the cheque after it. A state is what was loaded, and each step
// makes a new one.
import { BSON } from 'mongodb';
import { changesBetween } from '../changes.mjs';
import { details, presentWallet } from './presenter.mjs';

const maxWalletBytes = 4 * 1_048_576;
const open = new Set(['pending', 'pending_cheque_collection']);
const derived = new Set(['Sold', 'Reserved', 'Available']);

/** @returns the state after the callback, what its steps did, and the error that ended it */
export function decide(loaded, callback) {
  const first = changeReservation(loaded, callback.reservationStatus);
  const { installmentId, chequeStatus } = callback;
  if (first.error !== undefined || installmentId === undefined || chequeStatus === undefined) {
    return { cheque: 'none', ...first };
  }
  return { ...first, ...reportCheque(first.state, callback) };
}

function changeReservation(state, requested) {
  if (requested === undefined) return { state, reservation: 'unchanged' };
  if (requested === 'canceled') {
    const changed = deleteWallet(cancel(state));
    return { state: changed, reservation: isSame(state, changed) ? 'unchanged' : 'applied' };
  }
  if (requested !== 'approved') return { state, reservation: 'ignored' };
  const error = approvalError(state);
  if (error !== undefined) return { state, reservation: 'unchanged', error };
  return { state: approve(state), reservation: 'applied' };
}

function approvalError({ reservation, unit }) {
  if (reservation.status !== 'pending_cheque_collection') return 'notPendingChequeCollection';
  return unit === null ? 'unitNotFound' : undefined;
}

function reportCheque(state, callback) {
  const wallet = state.wallets.find(({ cheques }) =>
    cheques.some((one) => isReported(one, callback)),
  );
  if (wallet === undefined) {
    const hasActive = state.wallets.some(({ isDeleted }) => !isDeleted);
    return hasActive ? { cheque: 'none', error: 'chequeNotFound' } : { cheque: 'skipped' };
  }
  const cheque = wallet.cheques.find((one) => isReported(one, callback));
  const reported = addReport(state, wallet, cheque, callback);
  if (reported === null) return { cheque: 'none', error: 'walletFull' };
  const after = consequences(reported, { wallet, cheque, callback, loaded: state });
  const changed = isSame(reported, after.state) ? {} : { reservation: 'applied' };
  return { cheque: 'applied', ...changed, ...after };
}

function consequences(state, { wallet, cheque, callback: { chequeStatus }, loaded }) {
  if (chequeStatus === 'bounced') return { state: deleteWallet(cancel(state)) };
  const recovers = cheque.status === 'bounced';
  const approves = recovers || loaded.reservation.status === 'pending_cheque_collection';
  if (chequeStatus !== 'collected' || !approves) return { state };
  if (recovers && state.otherStatuses.includes('approved'))
    return { state, error: 'unitAlreadyReserved' };
  if (state.unit === null) return { state, error: 'unitNotFound' };
  return { state: recovers ? restoreWallet(approve(state), wallet._id) : approve(state) };
}

function isReported(cheque, { installmentId }) {
  return cheque.installmentId === installmentId;
}

function isSame(before, after) {
  return ['reservation', 'unit', 'wallets'].every((part) => before[part] === after[part]);
}

function approve(state) {
  return withUnit(withStatus(state, 'approved', { approvedAt: state.now }), 'Sold');
}

function cancel(state) {
  const isCanceled = state.reservation.status === 'canceled';
  const changed = isCanceled ? state : withStatus(state, 'canceled', { canceledAt: state.now });
  return withUnit(changed, availability(changed));
}

function withStatus(state, status, times) {
  const { approvedAt: _approved, canceledAt: _canceled, ...fields } = state.reservation;
  return { ...state, reservation: { ...fields, status, ...times, updatedAt: state.now } };
}

function withUnit(state, status) {
  const { unit, now } = state;
  if (unit === null) return state;
  const changed = unit.status === status ? unit : { ...unit, status, updatedAt: now };
  return { ...state, unit: changed, isUnitDecided: true };
}

function availability({ unit, reservation, otherStatuses }) {
  const statuses = [reservation.status, ...otherStatuses];
  if (typeof unit?.status === 'string' && !derived.has(unit.status)) return unit.status;
  if (statuses.includes('approved')) return 'Sold';
  return statuses.some((status) => open.has(status)) ? 'Reserved' : 'Available';
}

function deleteWallet(state) {
  const active = state.wallets.find(({ isDeleted }) => !isDeleted);
  if (state.reservation.partnerCollection?.isActive !== true || active === undefined) return state;
  const { now } = state;
  const wallet = { ...active, isDeleted: true, deletedAt: now, updatedAt: now };
  return withWallet(state, 'wallet.deleted', wallet);
}

function restoreWallet(state, id) {
  const stored = state.wallets.find(({ _id }) => _id.equals(id));
  if (stored === undefined || state.wallets.some(({ isDeleted }) => !isDeleted)) return state;
  const { deletedAt: _deletedAt, ...fields } = stored;
  return withWallet(state, 'wallet.restored', {
    ...fields,
    isDeleted: false,
    updatedAt: state.now,
  });
}

function addReport(state, wallet, cheque, callback) {
  const fields = { status: callback.chequeStatus, ...details(callback) };
  const entry = { ...fields, changedAt: state.now, source: 'External API' };
  const reported = { ...cheque, ...fields, statusHistory: [...cheque.statusHistory, entry] };
  const cheques = wallet.cheques.map((one) => (one === cheque ? reported : one));
  if (BSON.calculateObjectSize({ cheques }) > maxWalletBytes) return null;
  const changed = { ...wallet, cheques, updatedAt: state.now };
  return withWallet(state, 'wallet.updated', changed, chequeChanges(cheque, reported));
}

function chequeChanges(before, after) {
  return changesBetween(compared(before), compared(after)).map((change) => ({
    ...change,
    field: `cheques.${after.installmentId}.${change.field}`,
  }));
}

function compared(cheque) {
  return { status: cheque.status, ...details(cheque) };
}

function withWallet(state, type, wallet, changes) {
  const wallets = state.wallets.map((one) => (one._id.equals(wallet._id) ? wallet : one));
  const event = {
    type,
    data: presentWallet(wallet),
    ...(changes === undefined ? {} : { changes }),
  };
  return { ...state, wallets, events: [...state.events, event] };
}
