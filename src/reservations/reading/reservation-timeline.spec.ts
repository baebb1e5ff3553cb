import { describe, expect, it } from '@jest/globals';
import type { ChequeStatus } from '../transitions.js';
import type { CallbackEffects } from '../callback/callback-decision.js';
import {
  type TimelineSources,
  reservationTimeline,
  type CallbackEntry,
  type TimelineEvent,
  statusPath,
} from './reservation-timeline.js';

const second = 1_000;
const start = Date.UTC(2026, 0, 5);
const at = (seconds: number) => new Date(start + seconds * second);

function callback(
  seconds: number,
  effects: CallbackEffects | undefined,
  payload: CallbackEntry['payload'] = {},
  requestId = `request-${seconds}`,
): CallbackEntry {
  const applied = { reservation: 'applied', cheque: 'applied', errorCode: null } as const;
  return {
    requestId,
    payload,
    refusedFields: [],
    otherFields: 0,
    outcome: { ...applied, messages: [], status: 201, ...(effects && { effects }) },
    receivedAt: at(seconds),
    organizationId: 'organization',
    apiKeyId: 'key',
  };
}

const event = (
  seconds: number,
  type: string,
  requestId: string,
  status?: TimelineEvent['status'],
): TimelineEvent => ({ type, at: at(seconds), requestId, status });

type Report = [seconds: number | null, status?: ChequeStatus];
const timelineOf = (
  callbacks: CallbackEntry[],
  events: TimelineEvent[],
  reports: readonly Report[] = [],
) => {
  const statusHistory = reports.map(([seconds, status = 'bounced']) => {
    const changedAt = seconds === null ? null : at(seconds).toISOString();
    return { status, changedAt, source: 'External API' };
  });
  const wallet = { cheques: [{ installmentId: '1', statusHistory }] };
  const wallets = [wallet] as unknown as TimelineSources['wallets'];
  return reservationTimeline({ callbacks, events, wallets });
};

describe('the timeline of a reservation', () => {
  const payload = { installmentId: '1', chequeStatus: 'bounced' };
  const reported = callback(10, { wallet: 'deleted' }, payload);
  const skipped = { ...reported, outcome: { ...reported.outcome, cheque: 'skipped' as const } };
  const forOtherCheque = callback(10, {}, { ...payload, installmentId: '2' });
  const withoutEffects = callback(10, undefined);
  const sameRequest = callback(100, {}, {}, 'same');
  const [late, early] = [callback(30, {}), callback(10, {})];
  const [created, deleted] = [event(0, 'created', 'first'), event(9, 'deleted', 'request-10')];

  // Each timeline entry is written as the first letter of its kind and its second.
  it.each<[string, string, CallbackEntry[], TimelineEvent[], Report[]]>([
    ['entries by time', 'e 0, c 10, r 25, c 30', [late, early], [created], [[25]]],
    ['one entry for a callback with its event and report', 'c 10', [reported], [deleted], [[9]]],
    ['events of a callback without stored effects', 'e 9, c 10', [withoutEffects], [deleted], []],
    ['an event of an earlier request', 'e 40, c 100', [sameRequest], [event(40, 'x', 'same')], []],
    ['one entry within a minute', 'c 100', [sameRequest], [event(41, 'x', 'same')], []],
    ['one of two reports', 'c 10, r 10', [reported], [], [[9], [10]]],
    ['a report of another status', 'c 10, r 10', [reported], [], [[10, 'overdue']]],
    ['a report of another time', 'c 10, r 70', [reported], [], [[70]]],
    ['a report of another cheque', 'c 10, r 10', [forOtherCheque], [], [[10]]],
    ['a report that a callback skipped', 'c 10, r 10', [skipped], [], [[10]]],
    ['no report without a time', '', [], [], [[null]]],
  ])('shows %s', (_title, expected, ...sources) => {
    const entries = timelineOf(...sources).map(({ kind, at: when }) => {
      return `${kind.charAt(0)} ${(when.getTime() - start) / second}`;
    });
    expect(entries.join(', ')).toBe(expected);
  });
});

describe('the status path of a reservation', () => {
  const pathOf = (callbacks: CallbackEntry[], events: TimelineEvent[], status: string) =>
    statusPath(timelineOf(callbacks, events), status).map(
      ({ from, to, by }) => `${from ?? ''} -> ${to} (${by})`,
    );

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
    ];
    expect(pathOf(callbacks, events, 'canceled')).toEqual([
      ' -> pending (request)',
      'pending -> pending_cheque_collection (request)',
      'pending_cheque_collection -> approved (callback)',
      'approved -> canceled (callback)',
    ]);
  });

  it('fills gaps with unknown changes', () => {
    const callbacks = [
      callback(10, { reservation: { from: 'approved', to: 'canceled' } }),
      callback(20, { reservation: { from: 'pending_cheque_collection', to: 'approved' } }),
    ];
    expect(pathOf(callbacks, [], 'expired')).toEqual([
      'approved -> canceled (callback)',
      'canceled -> pending_cheque_collection (unknown)',
      'pending_cheque_collection -> approved (callback)',
      'approved -> expired (unknown)',
    ]);
  });

  it('omits events that keep the status', () => {
    const events = [
      event(0, 'reservation.updated', 'a', { from: 'pending', to: 'pending' }),
      event(1, 'reservation.updated', 'b'),
    ];
    expect(pathOf([], events, 'pending')).toEqual([' -> pending (unknown)']);
  });
});
