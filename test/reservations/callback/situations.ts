import { ObjectId } from 'mongodb';
import { reservationStatuses } from '../../../src/availability/availability.js';
import { chequeStatuses } from '../../../src/reservations/transitions.js';
import type { ModelState } from './callback-model.js';

/** The unit statuses that follow from reservations, one of an operator, and none. */
export const unitStatuses = ['Available', 'Reserved', 'Sold', 'Blocked', undefined];

const newId = () => new ObjectId().toHexString();
export const reservationId = newId();
const [unitId, otherId] = [newId(), newId()];

/** The fields of one reservation, of its unit, of the unit's other reservation and of the wallets. */
export interface Situation {
  readonly reservation: string;
  readonly isInCollection: boolean;
  readonly unit: string | undefined;
  readonly isUnitDeleted: boolean;
  readonly other: string;
  /** Status of the cheques by installment, for each wallet; the first may be active. */
  readonly wallets: readonly Readonly<Record<string, string>>[];
  readonly hasActiveWallet: boolean;
}

/** Makes the model of a situation, with the same ids of reservation and unit each time. */
export function modelOf({ wallets, ...situation }: Situation): ModelState {
  const { reservation: status, isInCollection, other } = situation;
  return {
    units: [{ id: unitId, status: situation.unit, isDeleted: situation.isUnitDeleted }],
    reservations: [
      { id: reservationId, unit: unitId, status, isInCollection },
      { id: otherId, unit: unitId, status: other, isInCollection },
    ],
    wallets: wallets.map((cheques, index) => ({
      id: newId(),
      reservation: reservationId,
      deletion: index === 0 && situation.hasActiveWallet ? null : wallets.length - index,
      cheques: Object.entries(cheques).map(([installmentId, cheque]) => {
        return { installmentId, status: cheque, history: [] };
      }),
    })),
  };
}

const both = [true, false];

/** Every combination of the reservation, its surroundings and its one cheque, if it has a wallet. */
export function everySituation(): Situation[] {
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
