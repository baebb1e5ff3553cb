import { ObjectId } from 'mongodb';
import { reservationStatuses } from '../../../src/reservations/reservation-status.js';
import { chequeStatuses } from '../../../src/reservations/transitions.js';
import type { ModelState } from './callback-model.js';

/** The unit statuses that follow from reservations, one that only an operator sets, and none. */
export const unitStatuses = ['Available', 'Reserved', 'Sold', 'Blocked', undefined];

/** The fields of one reservation, its unit, the unit's other reservation and the wallets. */
export interface Situation {
  readonly reservation: string;
  readonly isInCollection: boolean;
  readonly unit: string | undefined;
  readonly isUnitDeleted: boolean;
  readonly other: string;
  /** Each wallet maps installments to cheque statuses. Only the first wallet may be active. */
  readonly wallets: readonly Readonly<Record<string, string>>[];
  readonly hasActiveWallet: boolean;
}

/** Returns the model of a situation. Callbacks concern its first reservation. */
export function modelOf({ wallets, ...situation }: Situation) {
  const { isInCollection, hasActiveWallet } = situation;
  const newId = () => new ObjectId().toHexString();
  const [reservation, unit] = [newId(), newId()];
  const model: ModelState = {
    units: [{ id: unit, status: situation.unit, isDeleted: situation.isUnitDeleted }],
    reservations: [
      { id: reservation, unit, status: situation.reservation, isInCollection },
      { id: newId(), unit, status: situation.other, isInCollection },
    ],
    wallets: wallets.map((cheques, index) => ({
      id: newId(),
      reservation,
      deletion: index === 0 && hasActiveWallet ? null : wallets.length - index,
      cheques: Object.entries(cheques).map(([installmentId, status]) => {
        return { installmentId, status, history: [] };
      }),
    })),
  };
  return { model, reservationId: reservation };
}

/** Returns every combination of the reservation, its related records and its one cheque, if it has a wallet. */
export function everySituation(): Situation[] {
  const both = [true, false];
  const wallets = [
    { wallets: [], hasActiveWallet: false },
    ...chequeStatuses.flatMap((cheque) =>
      both.map((hasActiveWallet) => ({ wallets: [{ 1: cheque }], hasActiveWallet })),
    ),
  ];
  const units = [
    ...unitStatuses.map((unit) => ({ unit, isUnitDeleted: false })),
    { unit: 'Reserved', isUnitDeleted: true },
  ];
  const others = ['approved', 'pending_cheque_collection', 'rejected'];
  return reservationStatuses.flatMap((reservation) =>
    others.flatMap((other) =>
      both.flatMap((isInCollection) =>
        units.flatMap((unit) =>
          wallets.map((wallet) => ({ reservation, other, isInCollection, ...unit, ...wallet })),
        ),
      ),
    ),
  );
}
