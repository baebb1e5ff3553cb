/**
 * This small model of rules CALL-2 to CALL-14 was written from the text of docs/rules.md alone. It computes the
 * changes and the response of a callback.
 */

export interface ModelUnit {
  readonly id: string;
  status: string | undefined;
  isDeleted: boolean;
}

export interface ModelReservation {
  readonly id: string;
  readonly unit: string;
  status: string;
  /** True when the reservation is active in the partner collection flow. */
  isInCollection: boolean;
}

/** An entry in the history of a cheque. */
export interface ModelEntry {
  readonly status: string;
  readonly chequeNumber?: string;
  readonly chequeAmount?: number;
}

export interface ModelCheque extends ModelEntry {
  readonly installmentId: string;
  readonly history: readonly ModelEntry[];
}

/** A wallet. The one with the highest `deletion` was deleted last, and an active one has null. */
export interface ModelWallet {
  readonly id: string;
  readonly reservation: string;
  deletion: number | null;
  cheques: ModelCheque[];
}

/** All records of one organization. */
export interface ModelState {
  readonly units: ModelUnit[];
  readonly reservations: ModelReservation[];
  readonly wallets: ModelWallet[];
}

export interface ModelCallback {
  readonly reservationId: string;
  readonly installmentId?: string;
  readonly chequeStatus?: string;
  readonly chequeNumber?: string;
  readonly chequeAmount?: number;
  readonly reservationStatus?: string;
}

/** The response, the types of the outbound events, and whether the unit is locked (rule CALL-12). */
export interface ModelResponse {
  readonly status: number;
  readonly message?: string;
  readonly reservation: string;
  readonly cheque: string;
  readonly events: readonly string[];
  readonly locksUnit: boolean;
}

/** Applies a callback to the state and returns the response. */
export function callBack(modelState: ModelState, callback: ModelCallback): ModelResponse {
  const events: string[] = [];
  let reservationHeader = 'unchanged';
  let chequeHeader = 'none';
  let locksUnit = false;
  const response = (status: number, message?: string): ModelResponse => ({
    status,
    ...(message === undefined ? {} : { message }),
    reservation: reservationHeader,
    cheque: chequeHeader,
    events,
    locksUnit,
  });

  const reservation = modelState.reservations.find(({ id }) => id === callback.reservationId);
  if (reservation === undefined) return response(404, 'Reservation not found');
  const unit = modelState.units.find(({ id, isDeleted }) => id === reservation.unit && !isDeleted);
  const others = modelState.reservations.filter(
    (other) => other.unit === reservation.unit && other !== reservation,
  );
  const ownWallets = modelState.wallets.filter((wallet) => wallet.reservation === reservation.id);

  /** The event is emitted once, before the events of wallets; only a change of the reservation itself emits it. */
  const emitReservation = () => {
    if (events[0] !== 'reservation.updated') events.unshift('reservation.updated');
    reservationHeader = 'applied';
  };
  const lockUnit = () => (locksUnit = unit !== undefined);
  const approve = () => {
    emitReservation();
    lockUnit();
    reservation.status = 'approved';
    if (unit !== undefined) unit.status = 'Sold';
  };
  const cancel = () => {
    if (reservation.status !== 'canceled') emitReservation();
    lockUnit();
    reservation.status = 'canceled';
    const word = unit?.status?.replaceAll(/[\s\u{200F}]/gu, '').toLowerCase();
    if (unit !== undefined && [undefined, 'sold', 'reserved', 'available'].includes(word)) {
      const statuses = others.map((other) => other.status);
      if (statuses.includes('approved')) unit.status = 'Sold';
      else if (statuses.includes('pending') || statuses.includes('pending_cheque_collection'))
        unit.status = 'Reserved';
      else unit.status = 'Available';
    }
    const active = ownWallets.find((wallet) => wallet.deletion === null);
    if (active !== undefined && reservation.isInCollection) {
      active.deletion = 1 + Math.max(0, ...modelState.wallets.map(({ deletion }) => deletion ?? 0));
      events.push('wallet.deleted');
    }
  };

  switch (callback.reservationStatus) {
    case 'approved':
      if (reservation.status !== 'pending_cheque_collection')
        return response(422, 'Reservation must be pending cheque collection before OIC approval');
      if (unit === undefined) return response(404, 'Unit not found');
      approve();
      break;
    case 'canceled':
      cancel();
      break;
    case undefined:
      break;
    default:
      reservationHeader = 'ignored';
  }

  const { installmentId, chequeStatus, chequeNumber, chequeAmount } = callback;
  if (installmentId === undefined || chequeStatus === undefined) return response(201);
  const inOrder = ownWallets.toSorted(
    (a, b) => (b.deletion ?? Infinity) - (a.deletion ?? Infinity) || 0,
  );
  const hasCheque = (wallet: ModelWallet) =>
    wallet.cheques.some((cheque) => cheque.installmentId === installmentId);
  const wallet = inOrder.find(hasCheque);
  if (wallet === undefined) {
    if (inOrder.some(({ deletion }) => deletion === null))
      return response(404, 'Cheque not found in wallet');
    chequeHeader = 'skipped';
    return response(201);
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
    if (others.some((other) => other.status === 'approved')) {
      lockUnit();
      return response(422, 'This unit already reserved');
    }
    if (unit === undefined) return response(404, 'Unit not found');
    approve();
    if (wallet.deletion !== null && ownWallets.every(({ deletion }) => deletion !== null)) {
      wallet.deletion = null;
      events.push('wallet.restored');
    }
  } else if (chequeStatus === 'collected' && reservation.status === 'pending_cheque_collection') {
    if (unit === undefined) return response(404, 'Unit not found');
    approve();
  }
  return response(201);
}
