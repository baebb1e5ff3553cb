import { describe, expect, it } from '@jest/globals';
import { chequeWith, deleted, walletWith } from '../../../test/support/reservation-state.js';
import { differencesOf, unmentionedCheques } from './ledger-comparison.js';
import type { LedgerEntryDto } from './reconciliation.dto.js';

const place = { index: 7, reservationId: 'r', installmentId: '1' };
const { index, ...cheque } = place;
const compare = (
  entry: Omit<LedgerEntryDto, 'installmentId' | 'reservationId'>,
  wallets: Parameters<typeof differencesOf>[1],
) => differencesOf({ index, entry: { ...cheque, ...entry } }, wallets);

describe('an entry of a ledger', () => {
  it('is reported when its reservation or cheque is missing', () => {
    expect(compare({ chequeStatus: 'overdue' }, undefined)).toEqual([
      { ...place, kind: 'reservation_missing', ours: null, theirs: 'overdue' },
    ]);
    const others = walletWith({ cheques: [chequeWith({ installmentId: '2' })] });
    for (const wallets of [[], [others], [{ ...others, isDeleted: true }]]) {
      expect(compare({ chequeStatus: 'overdue' }, wallets)).toEqual([
        { ...place, kind: 'cheque_missing', ours: null, theirs: 'overdue' },
      ]);
    }
  });

  const stored = chequeWith({ status: 'collected', chequeNumber: 'A-1', chequeAmount: 5 });
  const same = { chequeStatus: 'collected', chequeNumber: 'A-1', chequeAmount: 5 } as const;

  it('matches when all sent fields are equal', () => {
    const wallets = [walletWith({ cheques: [stored] })];
    expect(compare(same, wallets)).toEqual([]);
    expect(compare({ chequeStatus: 'collected' }, wallets)).toEqual([]);
  });

  it('is reported with differences in status, number and amount', () => {
    const wallets = [walletWith({ cheques: [stored] })];
    expect(
      compare({ chequeStatus: 'bounced', chequeNumber: 'A-2', chequeAmount: 0 }, wallets),
    ).toEqual([
      { ...place, kind: 'status', ours: 'collected', theirs: 'bounced' },
      { ...place, kind: 'number', ours: 'A-1', theirs: 'A-2' },
      { ...place, kind: 'amount', ours: 5, theirs: 0 },
    ]);
  });

  it('is reported with a difference when number or amount is not stored', () => {
    const wallets = [walletWith({ cheques: [chequeWith({ status: 'collected' })] })];
    expect(compare(same, wallets)).toEqual([
      { ...place, kind: 'number', ours: null, theirs: 'A-1' },
      { ...place, kind: 'amount', ours: null, theirs: 5 },
    ]);
  });

  it('is compared with the cheque that a callback would find', () => {
    const wallets = [
      walletWith({ cheques: [chequeWith({ installmentId: '2' })] }),
      walletWith({ ...deleted, cheques: [stored] }),
      walletWith({ ...deleted, cheques: [chequeWith({ status: 'bounced' })] }),
    ];
    expect(compare(same, wallets)).toEqual([]);
  });
});

describe('unmentionedCheques', () => {
  const wallet = walletWith({
    cheques: [chequeWith(), chequeWith({ installmentId: '2', status: 'overdue' })],
  });
  const first = { reservationId: 'r', installmentId: '1', status: 'pending' };
  const second = { reservationId: 'r', installmentId: '2', status: 'overdue' };

  it('returns the unmentioned cheques of the current wallet', () => {
    const older = walletWith({ ...deleted, cheques: [chequeWith({ installmentId: '3' })] });
    expect(unmentionedCheques('r', [wallet, older])).toEqual([first, second]);
    expect(unmentionedCheques('r', [wallet, older], new Set(['1', '3']))).toEqual([second]);
    expect(unmentionedCheques('r', [wallet], new Set(['1', '2']))).toEqual([]);
  });

  it('returns none without a wallet', () => {
    expect(unmentionedCheques('r', [])).toEqual([]);
  });
});
