import { describe, expect, it } from '@jest/globals';
import { BSON, ObjectId } from 'mongodb';
import {
  chequeWith,
  deleted,
  now,
  reservationWith,
  stateWith,
  walletWith,
} from '../../../test/support/reservation-state.js';
import type { Cheque, ChequeWalletDocument } from './cheque-wallet.schema.js';
import type { ChequeReport } from './cheques.js';
import { addCheques, addReport, touchWallet } from './wallets.js';

const mebibyte = 1_048_576;
const unitId = new ObjectId();

/** Returns the longest cheque number with which the only cheque still fits into a wallet. */
function longestNumber(cheque: Cheque): string {
  const wallet = walletWith({ unitId, cheques: [{ ...cheque, chequeNumber: '' }] });
  return 'x'.repeat(4 * mebibyte - BSON.calculateObjectSize(wallet));
}

describe('addReport', () => {
  const report: ChequeReport = { installmentId: '2', chequeStatus: 'collected', chequeAmount: 5 };
  const repeated = { installmentId: '1', chequeStatus: 'pending', chequeAmount: 5 } as const;
  const history = (status: Cheque['status'], chequeAmount?: number) => [
    {
      status,
      ...(chequeAmount && { chequeAmount }),
      changedAt: now,
      source: 'External API' as const,
    },
  ];
  const cheque = chequeWith({ installmentId: '2', chequeNumber: 'A-2' });
  const stored = walletWith({ cheques: [chequeWith(), cheque] });
  /** Returns whether a wallet with one cheque has room for another report about it. */
  const hasRoom = (chequeNumber: string, recordSystemId = 'x') => {
    const full = chequeWith({ chequeNumber });
    const wallet = walletWith({ unitId, cheques: [full] });
    const reservation = reservationWith({ recordSystemId });
    const state = stateWith({ reservation, wallets: [wallet] });
    return addReport(state, { wallet, cheque: full }, repeated) !== null;
  };

  it('changes only the cheque and emits its changes', () => {
    const other = walletWith(deleted);
    const events = [{ type: 'wallet.created', wallet: stored } as const];
    const state = stateWith({ wallets: [other, stored], events });
    const fields = { status: 'collected', chequeAmount: 5 };
    const reported = { ...cheque, ...fields, statusHistory: history('collected', 5) };
    const wallet = { ...stored, cheques: [chequeWith(), reported], updatedAt: now };
    const changes = [
      { field: 'cheques.2.status', from: 'pending', to: 'collected' },
      { field: 'cheques.2.chequeAmount', from: null, to: 5 },
    ];
    expect(addReport(state, { wallet: stored, cheque }, report)).toEqual({
      ...state,
      wallets: [other, wallet],
      events: [...events, { type: 'wallet.updated', wallet, changes }],
    });
  });

  it('changes only the history when the report equals the last one', () => {
    const state = stateWith({ wallets: [stored] });
    const same = { installmentId: '2', chequeStatus: 'pending' } as const;
    const added = addReport(state, { wallet: stored, cheque }, same);
    expect(added?.events).toMatchObject([{ type: 'wallet.updated', changes: [] }]);
    expect(added?.wallets[0]?.cheques?.[1]).toMatchObject({ statusHistory: history('pending') });
  });

  it('returns null when the wallet exceeds 4 MiB', () => {
    const reported = { ...chequeWith(), chequeAmount: 5, statusHistory: history('pending', 5) };
    const chequeNumber = longestNumber(reported);
    expect(hasRoom(chequeNumber)).toBe(true);
    expect(hasRoom(`${chequeNumber}x`)).toBe(false);
  });

  it('returns null when an event about the wallet or its reservation exceeds 8 MiB', () => {
    // A control character takes six bytes in JSON.
    const chequeNumber = '\u0001'.repeat((8 * mebibyte) / 6 - 2_000);
    expect(hasRoom(chequeNumber, 'x')).toBe(true);
    expect(hasRoom(chequeNumber, '\u0001'.repeat(1_024))).toBe(true);
    expect(hasRoom(chequeNumber, '\u0001'.repeat(2_048))).toBe(false);
  });
});

describe('addCheques', () => {
  it('creates the wallet of a reservation, also without a unit', () => {
    for (const own of [unitId, undefined]) {
      const state = stateWith({ reservation: reservationWith({ unitId: own as ObjectId }) });
      const { organizationId, _id: reservationId } = state.reservation;
      const wallet: ChequeWalletDocument = {
        _id: expect.any(ObjectId) as unknown as ObjectId,
        organizationId,
        reservationId,
        unitId: own ?? null,
        cheques: [chequeWith({ chequeNumber: 'A-1' })],
        isDeleted: false,
        createdAt: now,
        updatedAt: now,
      };
      const events = [{ type: 'wallet.created', wallet }];
      const added = addCheques(state, [{ installmentId: '1', chequeNumber: 'A-1' }]);
      expect(added).toEqual({ ...state, wallets: [wallet], events });
    }
  });

  it('extends the active wallet, otherwise the last deleted one', () => {
    const [last, older] = [walletWith(deleted), walletWith(deleted)];
    const state = stateWith({ wallets: [last, older] });
    const cheques = [chequeWith({ chequeAmount: 5 }), chequeWith({ installmentId: '2' })];
    const wallet = { ...last, cheques, updatedAt: now };
    const changes = [
      { field: 'cheques.1.chequeAmount', from: null, to: 5 },
      { field: 'cheques.2.status', from: null, to: 'pending' },
    ];
    const requests = [{ installmentId: '1', chequeAmount: 5 }, { installmentId: '2' }];
    expect(addCheques(state, requests)).toEqual({
      ...state,
      wallets: [wallet, older],
      events: [{ type: 'wallet.updated', wallet, changes }],
    });
  });

  it('returns the same state when nothing changes or no cheques are sent', () => {
    const same = { installmentId: '1', chequeAmount: 5 };
    const stored = stateWith({ wallets: [walletWith({ cheques: [chequeWith(same)] })] });
    expect(addCheques(stored, [same])).toBe(stored);
    for (const state of [stored, stateWith()]) expect(addCheques(state, [])).toBe(state);
  });

  it('returns null when the wallet exceeds 4 MiB', () => {
    const request = { installmentId: '1', chequeAmount: 5 };
    const created = (chequeNumber: string) =>
      addCheques(stateWith(), [{ installmentId: '1', chequeNumber }]);
    const extended = (chequeNumber: string) => {
      const wallet = walletWith({ unitId, cheques: [chequeWith({ chequeNumber })] });
      return addCheques(stateWith({ wallets: [wallet] }), [request]);
    };
    for (const [add, cheque] of [
      [created, chequeWith()],
      [extended, chequeWith(request)],
    ] as const) {
      const largest = longestNumber(cheque);
      expect(add(largest)).not.toBeNull();
      expect(add(`${largest}x`)).toBeNull();
    }
  });

  it('returns null when the event with its changes exceeds 8 MiB', () => {
    const many = Array.from({ length: 500 }, (_, index) => {
      return { installmentId: `${index}${'\u0001'.repeat(1_000)}`, chequeAmount: 1 };
    });
    const state = stateWith({ wallets: [walletWith()] });
    for (const cheques of [many.slice(0, 200), many]) {
      expect(addCheques(stateWith(), cheques)).not.toBeNull();
    }
    expect(addCheques(state, many.slice(0, 200))).not.toBeNull();
    expect(addCheques(state, many)).toBeNull();
  });
});

describe('touchWallet', () => {
  it('replaces the lock of the first wallet and emits nothing', () => {
    const [first, second] = [walletWith(), walletWith(deleted)];
    const touched = touchWallet(stateWith({ wallets: [first, second] }));
    expect(touched.wallets).toEqual([{ ...first, statusLock: expect.any(ObjectId) }, second]);
    expect(touched.events).toEqual([]);
    const [again] = touchWallet(touched).wallets;
    expect(again?.statusLock).not.toEqual(touched.wallets[0]?.statusLock);
    const without = stateWith();
    expect(touchWallet(without)).toBe(without);
  });
});
