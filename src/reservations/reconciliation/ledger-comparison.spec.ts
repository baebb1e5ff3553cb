import { describe, expect, it } from '@jest/globals';
import { chequeWith, deleted, walletWith } from '../../../test/support/reservation-state.js';
import { compareEntry, unmentionedCheques } from './ledger-comparison.js';
import type { LedgerEntryDto } from './reconciliation.dto.js';

const position = { index: 7, reservationId: 'r', installmentId: '1' };
const { index, ...cheque } = position;
type Entry = Omit<LedgerEntryDto, 'installmentId' | 'reservationId'>;
/** Returns the kind of each difference with the stored and the sent value. */
const compare = (entry: Entry, wallets: Parameters<typeof compareEntry>[1]) =>
  compareEntry({ index, entry: { ...cheque, ...entry } }, wallets).map(
    ({ kind, ours, theirs, ...rest }) => {
      expect(rest).toEqual(position);
      return [kind, ours, theirs];
    },
  );

describe('an entry of a ledger', () => {
  const sent = { chequeStatus: 'collected', chequeNumber: 'A-1', chequeAmount: 5 } as const;
  const { chequeStatus: status, ...details } = sent;
  const matching = walletWith({ cheques: [chequeWith({ status, ...details })] });
  const others = walletWith({ cheques: [chequeWith({ installmentId: '2' })] });

  it('is reported when its reservation or cheque is missing', () => {
    expect(compare(sent, undefined)).toEqual([['reservation_missing', null, 'collected']]);
    for (const wallets of [[], [others], [{ ...others, isDeleted: true }]]) {
      expect(compare(sent, wallets)).toEqual([['cheque_missing', null, 'collected']]);
    }
  });

  it('matches when all sent fields equal the cheque that a callback would find', () => {
    expect(compare({ chequeStatus: 'collected' }, [matching])).toEqual([]);
    const older = walletWith({ ...deleted, cheques: [chequeWith({ status: 'bounced' })] });
    expect(compare(sent, [others, { ...matching, ...deleted }, older])).toEqual([]);
  });

  it('is reported with differences in status, number and amount', () => {
    const other = { chequeStatus: 'bounced', chequeNumber: 'A-2', chequeAmount: 0 } as const;
    expect(compare(other, [matching])).toEqual([
      ['status', 'collected', 'bounced'],
      ['number', 'A-1', 'A-2'],
      ['amount', 5, 0],
    ]);
    const withoutDetails = walletWith({ cheques: [chequeWith({ status })] });
    expect(compare(sent, [withoutDetails])).toEqual([
      ['number', null, 'A-1'],
      ['amount', null, 5],
    ]);
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
    expect(unmentionedCheques('r', [])).toEqual([]);
  });
});
