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
import { addCheques, addReport, deleteWallet, restoreWallet, touchWallet } from './wallets.js';

const mebibyte = 1_048_576;
const unitId = new ObjectId();

/** A number that fills a wallet to its last byte when it is that of its only cheque. */
function largestNumber(cheque: Cheque): string {
  const wallet = walletWith({ unitId, cheques: [{ ...cheque, chequeNumber: '' }] });
  return 'x'.repeat(4 * mebibyte - BSON.calculateObjectSize(wallet));
}

describe('addReport', () => {
  const report: ChequeReport = { installmentId: '2', chequeStatus: 'collected', chequeAmount: 5 };
  const cheque = chequeWith({ installmentId: '2', chequeNumber: 'A-2' });
  const stored = walletWith({ cheques: [chequeWith(), cheque] });

  it('changes only the cheque and emits its changes', () => {
    const other = walletWith(deleted);
    const state = stateWith({
      wallets: [other, stored],
      events: [{ type: 'wallet.created', wallet: stored }],
    });
    const wallet = {
      ...stored,
      cheques: [
        chequeWith(),
        {
          ...cheque,
          status: 'collected',
          chequeAmount: 5,
          statusHistory: [
            { status: 'collected', chequeAmount: 5, changedAt: now, source: 'External API' },
          ],
        },
      ],
      updatedAt: now,
    };
    const changes = [
      { field: 'cheques.2.status', from: 'pending', to: 'collected' },
      { field: 'cheques.2.chequeAmount', from: null, to: 5 },
    ];
    expect(addReport(state, { wallet: stored, cheque }, report)).toEqual({
      ...state,
      wallets: [other, wallet],
      events: [...state.events, { type: 'wallet.updated', wallet, changes }],
    });
  });

  it('changes only the history when the report equals the last one', () => {
    const repeated = { installmentId: '2', chequeStatus: 'pending' } as const;
    const state = stateWith({ wallets: [stored] });
    const added = addReport(state, { wallet: stored, cheque }, repeated);
    expect(added?.events).toMatchObject([{ type: 'wallet.updated', changes: [] }]);
    expect(added?.wallets[0]?.cheques?.[1]?.statusHistory).toHaveLength(1);
  });

  it('returns null when the wallet exceeds 4 MiB', () => {
    const reported = {
      ...chequeWith(),
      statusHistory: [
        { status: 'pending', chequeAmount: 5, changedAt: now, source: 'External API' } as const,
      ],
      chequeAmount: 5,
    };
    const chequeNumber = largestNumber(reported);
    const isStored = (number: string) => {
      const full = chequeWith({ chequeNumber: number });
      const wallet = walletWith({ unitId, cheques: [full] });
      const repeated = { ...report, installmentId: '1', chequeStatus: 'pending' } as const;
      return (
        addReport(stateWith({ wallets: [wallet] }), { wallet, cheque: full }, repeated) !== null
      );
    };
    expect(isStored(chequeNumber)).toBe(true);
    expect(isStored(`${chequeNumber}x`)).toBe(false);
  });

  it('returns null when an event about the wallet or its reservation exceeds 8 MiB', () => {
    // In JSON a control character takes six bytes.
    const full = chequeWith({ chequeNumber: '\u0001'.repeat((8 * mebibyte) / 6 - 2_000) });
    const wallet = walletWith({ cheques: [full] });
    const repeated = { ...report, installmentId: '1', chequeStatus: 'pending' } as const;
    const isStored = (recordSystemId: string) => {
      const reservation = reservationWith({ recordSystemId });
      const state = stateWith({ reservation, wallets: [wallet] });
      return addReport(state, { wallet, cheque: full }, repeated) !== null;
    };
    expect(isStored('x')).toBe(true);
    expect(isStored('\u0001'.repeat(1_024))).toBe(true);
    expect(isStored('\u0001'.repeat(2_048))).toBe(false);
  });
});

describe('addCheques', () => {
  it('creates the wallet of a reservation', () => {
    const state = stateWith({ reservation: reservationWith({ unitId }) });
    const made = addCheques(state, [{ installmentId: '1', chequeNumber: 'A-1' }]);
    const wallet: ChequeWalletDocument = {
      _id: expect.any(ObjectId) as unknown as ObjectId,
      organizationId: state.reservation.organizationId,
      reservationId: state.reservation._id,
      unitId,
      cheques: [chequeWith({ chequeNumber: 'A-1' })],
      isDeleted: false,
      createdAt: now,
      updatedAt: now,
    };
    expect(made).toEqual({
      ...state,
      wallets: [wallet],
      events: [{ type: 'wallet.created', wallet }],
    });
  });

  it('creates the wallet of a reservation without a unit', () => {
    const { unitId: _unitId, ...reservation } = reservationWith();
    const made = addCheques(stateWith({ reservation }), [{ installmentId: '1' }]);
    expect(made?.wallets).toMatchObject([{ unitId: null }]);
  });

  it('extends the active wallet, otherwise the last deleted one', () => {
    const [last, older] = [walletWith(deleted), walletWith(deleted)];
    const state = stateWith({ wallets: [last, older] });
    const wallet = {
      ...last,
      cheques: [chequeWith({ chequeAmount: 5 }), chequeWith({ installmentId: '2' })],
      updatedAt: now,
    };
    const changes = [
      { field: 'cheques.1.chequeAmount', from: null, to: 5 },
      { field: 'cheques.2.status', from: null, to: 'pending' },
    ];
    expect(
      addCheques(state, [{ installmentId: '1', chequeAmount: 5 }, { installmentId: '2' }]),
    ).toEqual({
      ...state,
      wallets: [wallet, older],
      events: [{ type: 'wallet.updated', wallet, changes }],
    });
  });

  it('returns the same state when nothing changes or no cheques are sent', () => {
    const state = stateWith({
      wallets: [walletWith({ cheques: [chequeWith({ chequeAmount: 5 })] })],
    });
    expect(addCheques(state, [{ installmentId: '1', chequeAmount: 5 }])).toBe(state);
    expect(addCheques(state, [])).toBe(state);
    const without = stateWith();
    expect(addCheques(without, [])).toBe(without);
  });

  it('returns null when the wallet exceeds 4 MiB', () => {
    const chequeNumber = largestNumber(chequeWith());
    const made = (number: string) =>
      addCheques(stateWith(), [{ installmentId: '1', chequeNumber: number }]);
    expect(made(chequeNumber)).not.toBeNull();
    expect(made(`${chequeNumber}x`)).toBeNull();
    const largest = largestNumber(chequeWith({ chequeAmount: 5 }));
    const extended = (number: string) => {
      const wallet = walletWith({ unitId, cheques: [chequeWith({ chequeNumber: number })] });
      return addCheques(stateWith({ wallets: [wallet] }), [
        { installmentId: '1', chequeAmount: 5 },
      ]);
    };
    expect(extended(largest)).not.toBeNull();
    expect(extended(`${largest}x`)).toBeNull();
  });

  it('returns null when the event with its changes exceeds 8 MiB', () => {
    const ids = Array.from({ length: 500 }, (_, index) => `${index}${'\u0001'.repeat(1_000)}`);
    const few = ids.slice(0, 200).map((installmentId) => ({ installmentId, chequeAmount: 1 }));
    expect(addCheques(stateWith(), few)).not.toBeNull();
    const state = stateWith({ wallets: [walletWith()] });
    expect(addCheques(state, few)).not.toBeNull();
    const many = ids.map((installmentId) => ({ installmentId, chequeAmount: 1 }));
    expect(addCheques(stateWith(), many)).not.toBeNull();
    expect(addCheques(state, many)).toBeNull();
  });
});

describe('deleteWallet', () => {
  const reservation = reservationWith({ partnerCollection: { isActive: true } });

  it('deletes the active wallet in the partner collection flow', () => {
    const [older, active] = [walletWith(deleted), walletWith()];
    const state = stateWith({ reservation, wallets: [older, active] });
    const wallet = { ...active, isDeleted: true, deletedAt: now, updatedAt: now };
    expect(deleteWallet(state)).toEqual({
      ...state,
      wallets: [older, wallet],
      events: [{ type: 'wallet.deleted', wallet }],
    });
  });

  it('returns the same state when no wallet is active or the flow is not set', () => {
    const without = stateWith({ reservation, wallets: [walletWith(deleted)] });
    expect(deleteWallet(without)).toBe(without);
    for (const partnerCollection of [null, {}, { isActive: false }]) {
      const wallets = [walletWith()];
      const state = stateWith({ reservation: reservationWith({ partnerCollection }), wallets });
      expect(deleteWallet(state)).toBe(state);
    }
    const unsaid = stateWith({ wallets: [walletWith()] });
    expect(deleteWallet(unsaid)).toBe(unsaid);
  });
});

describe('restoreWallet', () => {
  const [last, older] = [walletWith(deleted), walletWith(deleted)];
  const active = (wallet: ChequeWalletDocument) => {
    const { deletedAt: _deletedAt, ...fields } = wallet;
    return { ...fields, isDeleted: false, updatedAt: now };
  };

  it('restores the named wallet, otherwise the last deleted one', () => {
    const state = stateWith({ wallets: [last, older] });
    expect(restoreWallet(state)).toStrictEqual({
      ...state,
      wallets: [active(last), older],
      events: [{ type: 'wallet.restored', wallet: active(last) }],
    });
    expect(restoreWallet(state, older._id).wallets).toStrictEqual([last, active(older)]);
  });

  it('returns the same state when no wallet exists or one is active', () => {
    const none = stateWith();
    expect(restoreWallet(none)).toBe(none);
    const state = stateWith({ wallets: [last] });
    expect(restoreWallet(state, older._id)).toBe(state);
    const withActive = stateWith({ wallets: [walletWith(), last, older] });
    expect(restoreWallet(withActive, last._id)).toBe(withActive);
    expect(restoreWallet(withActive)).toBe(withActive);
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
