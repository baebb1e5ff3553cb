/**
 * Section 3 of the specification and "Reservation callback" of the decisions as a small model,
 * written from those texts alone: what a callback changes and what is answered.
 */

/** A unit. */
export interface ModelUnit {
  readonly id: string;
  status: string;
  isDeleted: boolean;
}

/** A reservation. */
export interface ModelReservation {
  readonly id: string;
  readonly unit: string;
  status: string;
  /** Whether it is active in the partner collection flow. */
  isInCollection: boolean;
}

/** One entry of a cheque's history. */
export interface ModelEntry {
  readonly status: string;
  readonly chequeNumber?: string;
  readonly chequeAmount?: number;
}

/** A cheque. */
export interface ModelCheque extends ModelEntry {
  readonly installmentId: string;
  readonly history: readonly ModelEntry[];
}

/** A wallet; the one with the highest `deletion` was deleted last, an active one has none. */
export interface ModelWallet {
  readonly id: string;
  readonly reservation: string;
  deletion: number | null;
  cheques: ModelCheque[];
}

/** Everything of one organization. */
export interface World {
  readonly units: ModelUnit[];
  readonly reservations: ModelReservation[];
  readonly wallets: ModelWallet[];
}

/** A callback as it is sent. */
export interface ModelCallback {
  readonly reservationId: string;
  readonly installmentId?: string;
  readonly chequeStatus?: string;
  readonly chequeNumber?: string;
  readonly chequeAmount?: number;
  readonly reservationStatus?: string;
}

/** What is answered, and the types of the outbound events that the callback leaves. */
export interface ModelAnswer {
  readonly status: number;
  readonly message?: string;
  readonly reservation: string;
  readonly cheque: string;
  readonly events: readonly string[];
}

/** Does to the world what a callback does, and gives the answer. */
export function callBack(world: World, callback: ModelCallback): ModelAnswer {
  const events: string[] = [];
  let reservationHeader = 'unchanged';
  let chequeHeader = 'none';
  const answer = (status: number, message?: string): ModelAnswer => ({
    status,
    ...(message === undefined ? {} : { message }),
    reservation: reservationHeader,
    cheque: chequeHeader,
    events,
  });

  const reservation = world.reservations.find(({ id }) => id === callback.reservationId);
  if (reservation === undefined) return answer(404, 'Reservation not found');
  const unit = world.units.find(({ id, isDeleted }) => id === reservation.unit && !isDeleted);
  const others = world.reservations.filter(
    (other) => other.unit === reservation.unit && other !== reservation,
  );
  const walletsOf = world.wallets.filter((wallet) => wallet.reservation === reservation.id);

  const approve = () => {
    reservation.status = 'approved';
    if (unit !== undefined) unit.status = 'Sold';
  };
  const cancel = () => {
    const before = JSON.stringify(world);
    reservation.status = 'canceled';
    if (unit !== undefined && ['Sold', 'Reserved', 'Available'].includes(unit.status)) {
      const statuses = others.map((other) => other.status);
      if (statuses.includes('approved')) unit.status = 'Sold';
      else if (statuses.includes('pending') || statuses.includes('pending_cheque_collection'))
        unit.status = 'Reserved';
      else unit.status = 'Available';
    }
    const active = walletsOf.find((wallet) => wallet.deletion === null);
    if (active !== undefined && reservation.isInCollection) {
      active.deletion = 1 + Math.max(0, ...world.wallets.map(({ deletion }) => deletion ?? 0));
      events.push('wallet.deleted');
    }
    return JSON.stringify(world) !== before;
  };

  switch (callback.reservationStatus) {
    case 'approved':
      if (reservation.status !== 'pending_cheque_collection')
        return answer(422, 'Reservation must be pending cheque collection before OIC approval');
      if (unit === undefined) return answer(404, 'Unit not found');
      approve();
      reservationHeader = 'applied';
      break;
    case 'canceled':
      if (cancel()) reservationHeader = 'applied';
      break;
    case undefined:
      break;
    default:
      reservationHeader = 'ignored';
  }

  const { installmentId, chequeStatus, chequeNumber, chequeAmount } = callback;
  if (installmentId === undefined || chequeStatus === undefined) return answer(201);
  const inOrder = walletsOf.toSorted(
    (a, b) => (b.deletion ?? Infinity) - (a.deletion ?? Infinity) || 0,
  );
  const holds = (wallet: ModelWallet) =>
    wallet.cheques.some((cheque) => cheque.installmentId === installmentId);
  const wallet = inOrder.find(holds);
  if (wallet === undefined) {
    if (inOrder.some(({ deletion }) => deletion === null))
      return answer(404, 'Cheque not found in wallet');
    chequeHeader = 'skipped';
    return answer(201);
  }

  const entry: ModelEntry = {
    status: chequeStatus,
    ...(chequeNumber === undefined ? {} : { chequeNumber }),
    ...(chequeAmount === undefined ? {} : { chequeAmount }),
  };
  const before = wallet.cheques.find((cheque) => cheque.installmentId === installmentId)?.status;
  wallet.cheques = wallet.cheques.map((cheque) =>
    cheque.installmentId === installmentId
      ? { ...cheque, ...entry, history: [...cheque.history, entry] }
      : cheque,
  );
  chequeHeader = 'applied';
  events.push('wallet.updated');

  if (chequeStatus === 'bounced') {
    cancel();
  } else if (chequeStatus === 'collected' && before === 'bounced') {
    if (others.some((other) => other.status === 'approved'))
      return answer(422, 'This unit already reserved');
    if (unit === undefined) return answer(404, 'Unit not found');
    approve();
    if (wallet.deletion !== null && walletsOf.every(({ deletion }) => deletion !== null)) {
      wallet.deletion = null;
      events.push('wallet.restored');
    }
  } else if (chequeStatus === 'collected' && reservation.status === 'pending_cheque_collection') {
    if (unit === undefined) return answer(404, 'Unit not found');
    approve();
  }
  return answer(201);
}
