import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import {
  callBack,
  type ModelCallback,
  type ModelState,
} from '../../../test/reservations/callback/callback-model.js';
import {
  everySituation,
  modelOf,
  type Situation,
  unitStatuses,
} from '../../../test/reservations/callback/situations.js';
import {
  before,
  chequeWith,
  deleted,
  now,
  reservationWith,
  stateWith,
  unitWith,
  walletWith,
} from '../../../test/support/reservation-state.js';
import type { ReservationState } from '../reservation-state.js';
import { type ReservationStatus, reservationStatuses } from '../reservation-status.js';
import { chequeStatuses } from '../transitions.js';
import { type CallbackError, decideCallback } from './callback-decision.js';
import type { CallbackDto } from './callback.dto.js';
import type { Cheque } from '../cheques/cheque-wallet.schema.js';

const messages: Readonly<Partial<Record<CallbackError, string>>> = {
  notPendingChequeCollection: 'Reservation must be pending cheque collection before OIC approval',
  unitNotFound: 'Unit not found',
  unitAlreadyReserved: 'This unit already reserved',
  chequeNotFound: 'Cheque not found in wallet',
};

/** Returns the records that a decision gets for a state of the model, with the active wallet first. */
function stateOf({ units: [unit], reservations: [own, other], wallets }: ModelState) {
  return stateWith({
    reservation: reservationWith({
      _id: new ObjectId(own?.id),
      status: own?.status as ReservationStatus,
      partnerCollection: { isActive: own?.isInCollection ?? false },
    }),
    unit: unit === undefined || unit.isDeleted ? null : unitWith({ status: unit.status as string }),
    otherStatusesOfUnit: [other?.status as ReservationStatus],
    wallets: wallets
      .toSorted((a, b) => (b.deletion ?? Infinity) - (a.deletion ?? Infinity))
      .map(({ id, deletion, cheques }) =>
        walletWith({
          _id: new ObjectId(id),
          ...(deletion === null ? {} : deleted),
          cheques: cheques.map(({ history, ...cheque }) =>
            chequeWith({ ...cheque, statusHistory: history } as Partial<Cheque>),
          ),
        }),
      ),
  });
}

/** Reduces records to the parts that the model also has. */
const summaryOf = ({ reservation, unit, wallets }: ReservationState) => ({
  reservation: reservation.status,
  unit: unit?.status,
  wallets: new Map(
    wallets.map(({ _id, isDeleted, cheques }) => {
      const modelCheques = cheques?.map(({ statusHistory, ...cheque }) => ({
        ...cheque,
        history: statusHistory?.map(({ changedAt: _at, source: _source, ...entry }) => entry),
      }));
      return [_id.toHexString(), [isDeleted, modelCheques]];
    }),
  ),
});

/** Returns the difference between the decision and the model for one callback, or undefined. */
function deviation(situation: Situation, sent: Omit<ModelCallback, 'reservationId'>) {
  const { model, reservationId } = modelOf(situation);
  const state = stateOf(model);
  const callback = { reservationId, ...sent };
  const { locksUnit, events, message, reservation, cheque } = callBack(model, callback);
  const [own, unit] = [model.reservations[0]?.status, model.units[0]];
  const isApplied = cheque === 'applied';
  const isReservationChanged = events.includes('reservation.updated');
  const unitTime = unit?.status === situation.unit ? before : now;
  // If both steps write the unit, its time changes even if the second one restores its status.
  const hasBothSteps = sent.reservationStatus !== undefined && isApplied;
  const expected = {
    reservation,
    cheque,
    message,
    records: summaryOf(stateOf(model)),
    locksUnit,
    events: events.filter((type) => type.startsWith('wallet')),
    // The time exists only while the reservation has its status (rule RES-8).
    approvedAt: isReservationChanged && own === 'approved' ? now : undefined,
    canceledAt: isReservationChanged && own === 'canceled' ? now : undefined,
    updatedAt: isReservationChanged ? now : before,
    unitUpdatedAt: hasBothSteps || unit?.isDeleted ? undefined : unitTime,
    effects: {
      ...change('reservation', situation.reservation, own),
      ...(isApplied && {
        cheque: { from: chequeBefore(situation, sent.installmentId), to: sent.chequeStatus },
      }),
      ...(!situation.isUnitDeleted && change('unit', situation.unit, unit?.status)),
      ...walletEffect(events),
    },
  };

  const decided = decideCallback(state, callback as CallbackDto);
  const { approvedAt, canceledAt, updatedAt } = decided.state.reservation;
  const found = {
    reservation: decided.reservation,
    cheque: decided.cheque,
    message: decided.error && messages[decided.error],
    records: summaryOf(decided.state),
    locksUnit: decided.state.isUnitLocked,
    events: decided.state.events.map(({ type }) => type),
    approvedAt,
    canceledAt,
    updatedAt,
    unitUpdatedAt: hasBothSteps ? undefined : decided.state.unit?.updatedAt,
    effects: decided.effects,
  };
  // Prototypes are ignored, because the decision creates its objects in a different realm than Jest.
  const isEqual = isDeepStrictEqual(found, expected, { skipPrototype: true });
  return isEqual ? undefined : { situation, callback, found, expected };
}

const change = (field: string, from: string | undefined, to: string | undefined) =>
  from === to ? {} : { [field]: { from: from ?? null, to } };

function walletEffect(events: readonly string[]) {
  const last = events.findLast((type) => /^wallet\.(?:deleted|restored)$/.test(type));
  return last === undefined ? {} : { wallet: last.slice('wallet.'.length) };
}

/** Returns the status of the cheque that a report changes, which is in the first wallet that contains it. */
const chequeBefore = ({ wallets }: Situation, installmentId = '') =>
  wallets.map((cheques) => cheques[installmentId]).find((status) => status !== undefined);

describe('the decision about a callback', () => {
  const requests = [
    ...reservationStatuses.map((reservationStatus) => ({ reservationStatus })),
    ...chequeStatuses.map((chequeStatus) => ({ installmentId: '1', chequeStatus })),
  ];
  it.each(requests)(
    'equals the model of rules CALL-2 to CALL-14 in every situation: %p',
    (request) => {
      const situations = everySituation();
      expect(situations).toHaveLength(6 * 3 * 2 * 6 * 11);
      expect(situations.flatMap((situation) => deviation(situation, request) ?? [])).toEqual([]);
    },
  );

  it('equals the model with any wallets, and both steps in one callback', () => {
    const status = fc.constantFrom<string>(...reservationStatuses);
    const chequeStatus = fc.constantFrom('collected', 'bounced', 'bounced', ...chequeStatuses);
    const options = { minKeys: 1, noNullPrototype: true };
    const cheques = fc.dictionary(fc.constantFrom('1', '2'), chequeStatus, options);
    const situation: fc.Arbitrary<Situation> = fc.record({
      reservation: status,
      other: status,
      isInCollection: fc.boolean(),
      unit: fc.constantFrom(...unitStatuses, ' SOLD\u200F', 'available\r\n'),
      isUnitDeleted: fc.boolean(),
      wallets: fc.array(cheques, { maxLength: 3 }),
      hasActiveWallet: fc.boolean(),
    });
    const callbackFields = {
      installmentId: fc.constantFrom('1', '1', '2', 'unknown'),
      chequeStatus,
      chequeNumber: fc.string(),
      chequeAmount: fc.integer(),
      reservationStatus: status,
    };
    const callback = fc.record(callbackFields, { requiredKeys: [], noNullPrototype: true });
    const recoveryOfOlderWallet: [Situation, object] = [
      {
        reservation: 'canceled',
        other: 'rejected',
        isInCollection: true,
        unit: 'Available',
        isUnitDeleted: false,
        wallets: [{ 2: 'pending' }, { 1: 'bounced' }],
        hasActiveWallet: false,
      },
      { installmentId: '1', chequeStatus: 'collected' },
    ];
    fc.assert(
      fc.property(situation, callback, (given, sent) => {
        expect(deviation(given, sent as Partial<ModelCallback>)).toBeUndefined();
      }),
      { numRuns: 5_000, examples: [recoveryOfOlderWallet] },
    );
  });
});

it('decideCallback skips a report that does not fit into the wallet', () => {
  const state = stateWith({
    wallets: [walletWith({ cheques: [chequeWith({ chequeNumber: 'x'.repeat(5_000_000) })] })],
  });
  const callback = { reservationId: 'r', installmentId: '1', chequeStatus: 'bounced' } as const;
  expect(decideCallback(state, callback)).toEqual({
    reservation: 'unchanged',
    cheque: 'none',
    error: 'walletFull',
    effects: {},
    state,
  });
});
