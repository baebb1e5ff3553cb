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
  reservationId,
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
import { type ReservationStatus, reservationStatuses } from '../../availability/availability.js';
import { chequeStatuses } from '../transitions.js';
import { type CallbackError, decideCallback } from './callback-decision.js';
import type { CallbackDto } from './callback.dto.js';

const messages: Readonly<Partial<Record<CallbackError, string>>> = {
  notPendingChequeCollection: 'Reservation must be pending cheque collection before OIC approval',
  unitNotFound: 'Unit not found',
  unitAlreadyReserved: 'This unit already reserved',
  chequeNotFound: 'Cheque not found in wallet',
};

/** The state that a decision gets for a model: wallets with the active one first. */
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
          cheques: cheques.map(({ installmentId, status }) =>
            chequeWith({ installmentId, status: status as 'pending' }),
          ),
        }),
      ),
  });
}

/** The parts of a state that a model has too. */
const summaryOfState = ({ reservation, unit, wallets }: ReservationState) => ({
  reservation: reservation.status,
  unit: unit?.status,
  wallets: wallets
    .map(({ _id, isDeleted, cheques }) => [
      _id.toHexString(),
      isDeleted,
      cheques?.map(({ installmentId, statusHistory, ...facts }) => ({
        installmentId,
        ...facts,
        history: statusHistory?.map(({ changedAt: _at, source: _source, ...entry }) => entry),
      })),
    ])
    .toSorted(),
});

const summaryOfModel = ({ reservations, units: [unit], wallets }: ModelState) => ({
  reservation: reservations[0]?.status,
  unit: unit?.isDeleted ? undefined : unit?.status,
  wallets: wallets.map(({ id, deletion, cheques }) => [id, deletion !== null, cheques]).toSorted(),
});

/** The difference between decision and model for one callback, or undefined. */
function difference(situation: Situation, callback: Omit<ModelCallback, 'reservationId'>) {
  const model = modelOf(situation);
  const state = stateOf(model);
  const { locksUnit, events, message, reservation, cheque } = callBack(model, {
    reservationId,
    ...callback,
  });
  const isApplied = cheque === 'applied';
  // A unit that the second step gives back its status has been written by both.
  const hasBothSteps = callback.reservationStatus !== undefined && isApplied;
  const expected = {
    reservation,
    cheque,
    message,
    left: summaryOfModel(model),
    locksUnit,
    events: events.filter((type) => type.startsWith('wallet')),
    isReservationChanged: events.includes('reservation.updated'),
    times: timesOf(situation, events, model),
    unitUpdatedAt: hasBothSteps ? undefined : unitTimeOf(situation, model),
    effects: {
      ...change('reservation', situation.reservation, model.reservations[0]?.status),
      ...(isApplied && {
        cheque: {
          from: chequeBefore(situation, callback.installmentId),
          to: callback.chequeStatus,
        },
      }),
      ...(!situation.isUnitDeleted && change('unit', situation.unit, model.units[0]?.status)),
      ...walletEffect(events),
    },
  };

  const decided = decideCallback(state, { reservationId, ...callback } as CallbackDto);
  const { reservation: left, isUnitLocked } = decided.state;
  const { approvedAt, canceledAt, updatedAt } = left;
  const found = {
    reservation: decided.reservation,
    cheque: decided.cheque,
    message: decided.error && messages[decided.error],
    left: summaryOfState(decided.state),
    locksUnit: isUnitLocked,
    events: decided.state.events.map(({ type }) => type),
    isReservationChanged: left !== state.reservation,
    times: { approvedAt, canceledAt, updatedAt },
    unitUpdatedAt: hasBothSteps ? undefined : decided.state.unit?.updatedAt,
    effects: decided.effects,
  };
  // The decision's objects are of another realm than those of Jest.
  const isEqual = isDeepStrictEqual(found, expected, { skipPrototype: true });
  return isEqual ? undefined : { situation, callback, found, expected };
}

/** A time is there only while the reservation has its status (rule RES-8). */
function timesOf(situation: Situation, events: readonly string[], model: ModelState) {
  const isChanged = events.includes('reservation.updated');
  const status = model.reservations[0]?.status;
  return {
    approvedAt: isChanged && status === 'approved' ? now : undefined,
    canceledAt: isChanged && status === 'canceled' ? now : undefined,
    updatedAt: isChanged ? now : before,
  };
}

function unitTimeOf(situation: Situation, { units: [unit] }: ModelState): Date | undefined {
  if (situation.isUnitDeleted) return undefined;
  return unit?.status === situation.unit ? before : now;
}

const change = (field: string, from: string | undefined, to: string | undefined) =>
  from === to ? {} : { [field]: { from: from ?? null, to } };

function walletEffect(events: readonly string[]) {
  const last = events.findLast((type) => /^wallet\.(?:deleted|restored)$/.test(type));
  return last === undefined ? {} : { wallet: last.slice('wallet.'.length) };
}

/** The status of the cheque that a report changes: the wallets are in the order of the search. */
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
      expect(situations.flatMap((situation) => difference(situation, request) ?? [])).toEqual([]);
    },
  );

  it('equals the model with any wallets, and both steps in one callback', () => {
    const cheque = fc.constantFrom('bounced', 'bounced', ...chequeStatuses);
    const cheques = fc.dictionary(fc.constantFrom('1', '2'), cheque, {
      minKeys: 1,
      noNullPrototype: true,
    });
    const status = fc.constantFrom<string>(...reservationStatuses);
    const situation: fc.Arbitrary<Situation> = fc.record({
      reservation: status,
      other: status,
      isInCollection: fc.boolean(),
      unit: fc.constantFrom(...unitStatuses),
      isUnitDeleted: fc.boolean(),
      wallets: fc.array(cheques, { maxLength: 3 }),
      hasActiveWallet: fc.boolean(),
    });
    const installmentId = fc.constantFrom('1', '1', '2', 'unknown');
    const report = fc.record(
      {
        installmentId,
        chequeStatus: fc.constantFrom('collected', 'bounced', ...chequeStatuses),
        chequeNumber: fc.string(),
        chequeAmount: fc.integer(),
      },
      { requiredKeys: ['installmentId'], noNullPrototype: true },
    );
    const callback = fc.oneof(
      report,
      fc.tuple(report, status).map(([fields, sent]) => ({ ...fields, reservationStatus: sent })),
      fc.constant({}),
    );
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
        expect(difference(given, sent as Partial<ModelCallback>)).toBeUndefined();
      }),
      { numRuns: 5_000, examples: [recoveryOfOlderWallet] },
    );
  });
});

it('skips a report that does not fit into the wallet', () => {
  const state = stateWith({
    wallets: [walletWith({ cheques: [chequeWith({ chequeNumber: 'x'.repeat(5_000_000) })] })],
  });
  const callback = { reservationId, installmentId: '1', chequeStatus: 'bounced' } as const;
  expect(decideCallback(state, callback)).toEqual({
    reservation: 'unchanged',
    cheque: 'none',
    error: 'walletFull',
    effects: {},
    state,
  });
});
