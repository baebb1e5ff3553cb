import { describe, expect, it } from '@jest/globals';
import { before, chequeWith, now, walletWith } from '../../../test/support/reservation-state.js';
import { chequeReport, chequesOf, findCheque, mergedCheques, reportedCheque } from './cheques.js';

const first = chequeWith({ installmentId: '1' });
const second = chequeWith({ installmentId: '2' });
const third = chequeWith({ installmentId: '3' });

describe('chequeReport', () => {
  it('returns installment, status, number and amount when sent', () => {
    const report = {
      installmentId: '1',
      chequeStatus: 'collected',
      chequeNumber: 'A-1',
      chequeAmount: 5,
    } as const;
    const sent = { ...report, reservationId: 'r', reservationStatus: 'canceled' } as const;
    expect(chequeReport(sent)).toEqual(report);
  });

  it('returns undefined when installment or status is missing', () => {
    expect(chequeReport({ reservationId: 'r', chequeStatus: 'collected' })).toBeUndefined();
    expect(chequeReport({ reservationId: 'r', installmentId: '1' })).toBeUndefined();
  });
});

describe('a stored list of another program', () => {
  const junk = [null, 'text', 1, undefined];

  it('is read without items that are not objects', () => {
    expect(chequesOf({ cheques: [...junk, first] as never })).toEqual([first]);
  });

  it('is read as empty when it is not a list', () => {
    for (const stored of [undefined, null, {}, 'text']) {
      expect(chequesOf({ cheques: stored as never })).toEqual([]);
    }
  });
});

describe('findCheque', () => {
  const active = walletWith({ cheques: [first, second] });
  const deleted = walletWith({ isDeleted: true, cheques: [chequeWith(), third] });
  const oldest = walletWith({ isDeleted: true, cheques: [chequeWith({ installmentId: '3' })] });

  it('returns the cheque of the active wallet, then of the last deleted one', () => {
    const wallets = [active, deleted, oldest];
    expect(findCheque(wallets, '1')).toEqual({ wallet: active, cheque: first });
    expect(findCheque(wallets, '3')).toEqual({ wallet: deleted, cheque: third });
  });

  it('returns missing when a wallet is active, otherwise skip', () => {
    expect(findCheque([active, deleted], '4')).toBe('missing');
    expect(findCheque([deleted, active], '4')).toBe('missing');
    expect(findCheque([deleted], '4')).toBe('skip');
    expect(findCheque([], '1')).toBe('skip');
  });
});

describe('mergedCheques', () => {
  const stored = chequeWith({
    status: 'bounced',
    chequeNumber: 'A-1',
    chequeAmount: 5,
    dueDate: before,
    statusHistory: [{ status: 'bounced', changedAt: before, source: 'External API' }],
  });

  it('adds new cheques as pending, without history', () => {
    const sent = { installmentId: '2', chequeNumber: 'A-2', chequeAmount: 7, dueDate: now };
    expect(mergedCheques([stored], [sent, { installmentId: '3' }])).toStrictEqual([
      stored,
      { ...sent, status: 'pending', statusHistory: [] },
      { installmentId: '3', status: 'pending', statusHistory: [] },
    ]);
  });

  it('sets the sent fields of known cheques and keeps their status and history', () => {
    expect(mergedCheques([first, stored], [{ installmentId: '1', chequeAmount: 0 }])).toStrictEqual(
      [
        { ...first, chequeAmount: 0 },
        { ...stored, chequeAmount: 0 },
      ],
    );
  });

  it('keeps cheques that are not named, and items that are not cheques', () => {
    const [none, text, kept] = mergedCheques([null, 'text', stored] as never, [
      { installmentId: '2' },
    ]);
    expect([none, text]).toEqual([null, 'text']);
    expect(kept).toBe(stored);
  });

  it('creates a list when none is stored', () => {
    for (const cheques of [undefined, null, 'text'] as never[]) {
      expect(mergedCheques(cheques, [{ installmentId: '2' }])).toHaveLength(1);
    }
  });
});

describe('reportedCheque', () => {
  const report = { installmentId: '1', chequeStatus: 'collected' } as const;
  const entry = { status: 'collected', changedAt: now, source: 'External API' };

  it('sets the sent fields and adds them to the history', () => {
    const sent = { chequeNumber: 'A-1', chequeAmount: 0 };
    const once = reportedCheque(first, { ...report, ...sent }, before);
    expect(once).toStrictEqual({
      ...first,
      status: 'collected',
      ...sent,
      statusHistory: [{ ...entry, ...sent, changedAt: before }],
    });
    // An equal report is another entry.
    expect(reportedCheque(once, report, now)).toStrictEqual({
      ...once,
      statusHistory: [...(once.statusHistory ?? []), entry],
    });
  });

  it('keeps the stored history, and creates one when none is stored', () => {
    const odd = [null, 'text', { status: 'bounced' }] as never;
    const reported = reportedCheque(chequeWith({ statusHistory: odd }), report, now);
    expect(reported.statusHistory).toEqual([null, 'text', { status: 'bounced' }, entry]);
    for (const statusHistory of [undefined, null, 'text'] as never[]) {
      const begun = reportedCheque({ ...first, statusHistory }, report, now);
      expect(begun.statusHistory).toEqual([entry]);
    }
  });
});
