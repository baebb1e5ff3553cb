import { describe, expect, it } from '@jest/globals';
import type { ChequeStatus } from '../transitions.js';
import type { CallbackEffects } from '../callback/callback-decision.js';
import {
  type TimelineSources,
  reservationTimeline,
  type ShownCallback,
  type TimelineEvent,
  statusPath,
} from './reservation-timeline.js';

const second = 1_000;
const start = Date.UTC(2026, 0, 5);
const at = (seconds: number) => new Date(start + seconds * second);

function callback(
  seconds: number,
  effects: CallbackEffects | undefined,
  payload: ShownCallback['payload'] = {},
  requestId = `request-${seconds}`,
): ShownCallback {
  const did = {
    reservation: 'applied',
    cheque: 'applied',
    errorCode: null,
    messages: [],
    status: 201,
  } as const;
  const outcome = { ...did, ...(effects === undefined ? {} : { effects }) };
  const record = { requestId, payload, refusedFields: [], otherFields: 0 };
  return {
    ...record,
    outcome,
    receivedAt: at(seconds),
    organizationId: 'organization',
    apiKeyId: 'key',
  };
}

function event(
  seconds: number,
  type: string,
  requestId = `request-${seconds}`,
  status?: TimelineEvent['status'],
): TimelineEvent {
  return { type, at: at(seconds), requestId, status };
}

const report = (seconds: number | null, status: ChequeStatus = 'bounced') => ({
  status,
  changedAt: seconds === null ? null : at(seconds).toISOString(),
  source: 'External API',
});
const walletWith = (...statusHistory: ReturnType<typeof report>[]) =>
  ({
    cheques: [{ installmentId: '1', statusHistory }],
  }) as unknown as TimelineSources['wallets'][0];
const kindsOf = (past: Partial<TimelineSources>) =>
  reservationTimeline({ callbacks: [], events: [], wallets: [], ...past }).map(
    ({ kind, at: when }) => `${kind} ${(when.getTime() - start) / second}`,
  );

describe('the timeline of a reservation', () => {
  it('orders callbacks, events and reports by time', () => {
    const callbacks = [callback(30, {}), callback(10, {})];
    const events = [event(20, 'reservation.updated', 'other'), event(0, 'reservation.created')];
    const wallets = [walletWith(report(25))];
    expect(kindsOf({ callbacks, events, wallets })).toEqual([
      'event 0',
      'callback 10',
      'event 20',
      'report 25',
      'callback 30',
    ]);
  });

  it('keeps one entry for a callback with its event and report', () => {
    const payload = { installmentId: '1', chequeStatus: 'bounced' };
    const callbacks = [callback(10, { wallet: 'deleted' }, payload)];
    const events = [event(9, 'wallet.deleted', 'request-10')];
    const wallets = [walletWith(report(9))];
    expect(kindsOf({ callbacks, events, wallets })).toEqual(['callback 10']);
  });

  it('keeps the events of a callback even when its effects are not stored', () => {
    const callbacks = [callback(10, undefined)];
    const events = [event(9, 'wallet.deleted', 'request-10')];
    expect(kindsOf({ callbacks, events })).toEqual(['event 9', 'callback 10']);
  });

  it('keeps the events of another request with the same id separate', () => {
    const callbacks = [callback(100, {}, {}, 'same')];
    expect(kindsOf({ callbacks, events: [event(40, 'wallet.deleted', 'same')] })).toEqual([
      'event 40',
      'callback 100',
    ]);
    expect(kindsOf({ callbacks, events: [event(41, 'wallet.deleted', 'same')] })).toHaveLength(1);
  });

  it('matches each report with one callback of the same cheque, status and time', () => {
    const payload = { installmentId: '1', chequeStatus: 'bounced' };
    const once = [callback(10, {}, payload)];
    const kinds = (reports: ReturnType<typeof report>[], callbacks = once) =>
      kindsOf({ callbacks, wallets: [walletWith(...reports)] });
    expect(kinds([report(9), report(10)])).toEqual(['callback 10', 'report 10']);
    expect(kinds([report(10, 'overdue')])).toEqual(['callback 10', 'report 10']);
    expect(kinds([report(70)])).toEqual(['callback 10', 'report 70']);
    expect(
      kinds([report(10)], [callback(10, {}, { ...payload, installmentId: '2' })]),
    ).toHaveLength(2);
    const { outcome } = callback(10, {});
    const skipped = {
      ...callback(10, {}, payload),
      outcome: { ...outcome, cheque: 'skipped' as const },
    };
    expect(kinds([report(10)], [skipped])).toHaveLength(2);
  });

  it('omits a report without a time', () => {
    expect(kindsOf({ wallets: [walletWith(report(null))] })).toEqual([]);
  });
});

describe('the status path of a reservation', () => {
  const way = (past: Partial<TimelineSources>, status: string) =>
    statusPath(
      reservationTimeline({ callbacks: [], events: [], wallets: [], ...past }),
      status,
    ).map(({ from, to, by }) => `${from ?? ''} -> ${to} (${by})`);

  it('lists the creation and the changes by requests and callbacks', () => {
    const events = [
      event(0, 'reservation.created', 'a', { from: null, to: 'pending' }),
      event(5, 'reservation.updated', 'b', { from: 'pending', to: 'pending_cheque_collection' }),
      event(6, 'wallet.created', 'b'),
    ];
    const callbacks = [
      callback(10, { reservation: { from: 'pending_cheque_collection', to: 'approved' } }),
      callback(20, { reservation: { from: 'approved', to: 'canceled' } }),
      callback(25, { cheque: { from: 'bounced', to: 'bounced' } }),
      callback(30, { reservation: { from: 'canceled', to: 'approved' } }),
    ];
    expect(way({ events, callbacks }, 'approved')).toEqual([
      ' -> pending (request)',
      'pending -> pending_cheque_collection (request)',
      'pending_cheque_collection -> approved (callback)',
      'approved -> canceled (callback)',
      'canceled -> approved (callback)',
    ]);
  });

  it('fills gaps with unknown changes', () => {
    const callbacks = [
      callback(10, { reservation: { from: 'approved', to: 'canceled' } }),
      callback(20, { reservation: { from: 'pending_cheque_collection', to: 'approved' } }),
    ];
    expect(way({ callbacks }, 'expired')).toEqual([
      'approved -> canceled (callback)',
      'canceled -> pending_cheque_collection (unknown)',
      'pending_cheque_collection -> approved (callback)',
      'approved -> expired (unknown)',
    ]);
    expect(way({}, 'pending')).toEqual([' -> pending (unknown)']);
  });

  it('omits events that keep the status', () => {
    const events = [
      event(0, 'reservation.updated', 'a', { from: 'pending', to: 'pending' }),
      event(1, 'reservation.updated', 'b'),
    ];
    expect(way({ events }, 'pending')).toEqual([' -> pending (unknown)']);
  });
});
