import { describe, expect, it } from '@jest/globals';
import { before, chequeWith, now, walletWith } from '../../../test/support/reservation-state.js';
import type { Cheque } from './cheque-wallet.schema.js';
import { chequesOf, findCheque, mergeCheques, applyReport } from './cheques.js';

const first = chequeWith({ installmentId: '1' });
const third = chequeWith({ installmentId: '3' });
/** Other programs may store these values instead of a list. */
const notLists = [undefined, null, {}, 'text'] as never[];

describe('a stored list of another program', () => {
  it('is read without items that are not objects', () => {
    expect(chequesOf({ cheques: [null, 'text', 1, undefined, first] as never })).toEqual([first]);
    for (const cheques of notLists) expect(chequesOf({ cheques })).toEqual([]);
  });
});

describe('findCheque', () => {
  const active = walletWith({ cheques: [first] });
  const deleted = walletWith({ isDeleted: true, cheques: [chequeWith(), third] });
  const oldest = walletWith({ isDeleted: true, cheques: [chequeWith({ installmentId: '3' })] });

  it('returns the cheque of the active wallet, then of the last deleted one', () => {
    const wallets = [active, deleted, oldest];
    expect(findCheque(wallets, '1')).toEqual({ wallet: active, cheque: first });
    expect(findCheque(wallets, '3')).toEqual({ wallet: deleted, cheque: third });
  });

  it('returns "missing" when a wallet is active, otherwise "skip"', () => {
    expect(findCheque([deleted, active], '4')).toBe('missing');
    expect(findCheque([deleted], '4')).toBe('skip');
  });
});

describe('mergeCheques', () => {
  const statusHistory = [{ status: 'bounced', changedAt: before, source: 'External API' } as const];
  const details = { chequeNumber: 'A-1', chequeAmount: 5, dueDate: before };
  const stored = chequeWith({ status: 'bounced', ...details, statusHistory });
  const pending = (fields: Partial<Cheque>) => ({
    ...fields,
    status: 'pending',
    statusHistory: [],
  });

  it('adds new cheques as pending, without history', () => {
    const sent = { installmentId: '2', chequeNumber: 'A-2', chequeAmount: 7, dueDate: now };
    const added = mergeCheques([stored], [sent, { installmentId: '3' }]);
    expect(added).toStrictEqual([stored, pending(sent), pending({ installmentId: '3' })]);
    for (const cheques of notLists) {
      expect(mergeCheques(cheques, [sent])).toStrictEqual([pending(sent)]);
    }
  });

  it('sets the sent fields of known cheques and keeps their status and history', () => {
    const sent = { chequeAmount: 0 };
    const merged = mergeCheques([first, stored], [{ installmentId: '1', ...sent }]);
    expect(merged).toStrictEqual([
      { ...first, ...sent },
      { ...stored, ...sent },
    ]);
  });

  it('keeps cheques that are not sent, and items that are not cheques', () => {
    const list = [null, 'text', stored] as never;
    const [none, text, kept] = mergeCheques(list, [{ installmentId: '2' }]);
    expect([none, text]).toEqual([null, 'text']);
    expect(kept).toBe(stored);
  });
});

describe('applyReport', () => {
  const report = { installmentId: '1', chequeStatus: 'collected' } as const;
  const entry = { status: 'collected', changedAt: now, source: 'External API' };

  it('sets the sent fields and adds a history entry for each report', () => {
    const sent = { chequeNumber: 'A-1', chequeAmount: 0 };
    const once = applyReport(first, { ...report, ...sent }, before);
    const statusHistory = [{ ...entry, ...sent, changedAt: before }];
    expect(once).toStrictEqual({ ...first, status: 'collected', ...sent, statusHistory });
    const twice = { ...once, statusHistory: [...statusHistory, entry] };
    expect(applyReport(once, report, now)).toStrictEqual(twice);
  });

  it('keeps the stored history, and creates one when none is stored', () => {
    const historyAfter = (statusHistory: never) =>
      applyReport({ ...first, statusHistory }, report, now).statusHistory;
    const odd = [null, 'text', { status: 'bounced' }];
    expect(historyAfter(odd as never)).toEqual([...odd, entry]);
    for (const stored of notLists) expect(historyAfter(stored)).toEqual([entry]);
  });
});
