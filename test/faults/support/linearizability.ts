import { isDeepStrictEqual } from 'node:util';
import type { Document } from 'mongodb';
import { callBack, type ModelState } from '../../reservations/callback/callback-model.js';

/** A request; what its response showed depends on `op`. */
export interface Input {
  readonly op: string;
  readonly [field: string]: string | number;
}

/** A request of a client, when it was sent, when its response came, and what that showed. */
export interface RecordedOperation {
  /** Operations with different keys have nothing in common. */
  readonly key: string;
  readonly call: number;
  readonly return: number;
  readonly input: Input;
  /** Null without a response: it may have happened at any time after the call, or never. */
  readonly output: Document | null;
}

/** The state after an operation; null where there is no such response in the state before. */
type Step<State> = (before: State, input: Input, output: Document | null) => State | null;

/** The faults of a history by key: where no order of its operations explains every response. */
export function faultsOf(history: readonly RecordedOperation[]): { key: string; fault: string }[] {
  return [...Map.groupBy(history, ({ key }) => key)].flatMap(([key, operations]) => {
    const fault = key.startsWith('unit')
      ? faultIn(operations, newUnit, stepOfUnit)
      : faultIn(operations, noLead, stepOfLead);
    return fault === null ? [] : [{ key, fault }];
  });
}

/**
 * Searches for an order in which each operation happens between its call and its response, by the algorithm of Wing
 * and Gong with Lowe's memory of failed attempts.
 *
 * @returns null if there is one, else the longest attempt
 */
function faultIn<State>(
  history: readonly RecordedOperation[],
  initial: State,
  step: Step<State>,
): string | null {
  const operations = history.toSorted((one, other) => one.call - other.call);
  const failed = new Set<string>();
  let closest = { left: Infinity, fault: '' };
  /** @param done a bit for each operation after the `first`, before which all are done */
  const search = (state: State, first: number, done: bigint, left: number): boolean => {
    if (left === 0) return true;
    if (done & 1n) return search(state, first + 1, done >> 1n, left);
    const attempt = JSON.stringify([first, done.toString(36), state]);
    if (failed.has(attempt)) return false;
    const candidates: RecordedOperation[] = [];
    let earliestReturn = Infinity;
    for (let index = first; index < operations.length; index++) {
      const operation = operations[index] as RecordedOperation;
      if (operation.call > earliestReturn) break;
      const bit = 1n << BigInt(index - first);
      if (done & bit) continue;
      const { input, output } = operation;
      if (output !== null) earliestReturn = Math.min(earliestReturn, operation.return);
      candidates.push(operation);
      const after = step(state, input, output);
      const remaining = output === null ? left : left - 1;
      if (after !== null && search(after, first, done | bit, remaining)) return true;
    }
    failed.add(attempt);
    if (left < closest.left) closest = { left, fault: JSON.stringify({ state, candidates }) };
    return false;
  };
  const known = operations.filter(({ output }) => output !== null).length;
  return search(initial, 0, 0n, known) ? null : closest.fault;
}

/** The lead under one recordSystemId (rules LEAD-3, LEAD-5 and LEAD-6). */
const noLead = {
  exists: false,
  /** 0 until a response has shown it. */
  leadId: 0,
  /** Of the last lead with this id. Which of two is stored first does not follow from their numbers. */
  lastId: 0,
  a: 0,
  b: 0,
};

const stepOfLead: Step<typeof noLead> = (before, { op, field = '', value }, output) => {
  const none = { ...noLead, lastId: before.lastId };
  if (op === 'upsert') {
    const after = { ...(before.exists ? before : none), exists: true, [field]: value };
    return output === null ? after : shownLead(after, before.exists ? 200 : 201, output);
  }
  if (!before.exists) return output === null || output['status'] === 404 ? before : null;
  const shown = output === null ? before : shownLead(before, 200, output);
  return op === 'delete' && shown !== null ? { ...none, lastId: shown.lastId } : shown;
};

/** The lead with the number that a response shows; null if the response shows another lead. */
function shownLead(lead: typeof noLead, status: number, { leadId, ...shown }: Document) {
  if (!isDeepStrictEqual(shown, { status, a: lead.a, b: lead.b })) return null;
  const isRight = lead.leadId === 0 ? leadId !== lead.lastId : leadId === lead.leadId;
  return isRight ? { ...lead, leadId, lastId: leadId as number } : null;
}

/** A reservation with the only cheque of its only wallet. */
interface Reservation {
  readonly status: string;
  readonly chequeStatus: string;
  readonly reports: number;
  readonly isWalletDeleted: boolean;
}

const pending = 'pending_cheque_collection';
const newReservation = {
  status: pending,
  chequeStatus: 'pending',
  reports: 0,
  isWalletDeleted: false,
};
/** A unit with two reservations; the first is in the partner collection flow. */
const newUnit = {
  status: 'Reserved' as string | undefined,
  reservations: [newReservation, newReservation] as Reservation[],
};

const stepOfUnit: Step<typeof newUnit> = (before, { op, reservation, ...callback }, output) => {
  const index = Number(reservation);
  const own = before.reservations[index];
  const when = (expected: object | undefined, after: typeof newUnit) =>
    output === null || isDeepStrictEqual(output, expected) ? after : null;
  if (op === 'readUnit') return when({ status: 200, unitStatus: before.status }, before);
  if (op === 'readReservation') return when({ status: 200, reservation: own }, before);
  if (op === 'reopen') {
    const after = reopened(before, index);
    return when({ status: 200, reservation: after.reservations[index] }, after);
  }
  const model: ModelState = {
    units: [{ id: 'unit', status: before.status, isDeleted: false }],
    reservations: before.reservations.map(({ status }, at) => {
      return { id: String(at), unit: 'unit', status, isInCollection: at === 0 };
    }),
    wallets: before.reservations.map(({ chequeStatus, isWalletDeleted }, at) => ({
      id: String(at),
      reservation: String(at),
      deletion: isWalletDeleted ? 1 : null,
      cheques: [{ installmentId: '1', status: chequeStatus, history: [] }],
    })),
  };
  const request = { reservationId: String(index), installmentId: '1', ...callback };
  const { events: _events, locksUnit: _locks, ...expected } = callBack(model, request);
  const reservations = before.reservations.map(({ reports }, at) => {
    const { deletion = null, cheques: [cheque] = [] } = model.wallets[at] ?? {};
    return {
      status: model.reservations[at]?.status ?? '',
      chequeStatus: cheque?.status ?? '',
      reports: reports + (cheque?.history.length ?? 0),
      isWalletDeleted: deletion !== null,
    };
  });
  return when(expected, { status: model.units[0]?.status, reservations });
};

/** By rules RES-7 and CALL-11. */
function reopened({ reservations }: typeof newUnit, index: number): typeof newUnit {
  const after = reservations.map((one, at) =>
    at === index && one.status === 'canceled'
      ? { ...one, status: pending, isWalletDeleted: false }
      : one,
  );
  const statuses = after.map(({ status }) => status);
  const open = statuses.includes(pending) ? 'Reserved' : 'Available';
  return { status: statuses.includes('approved') ? 'Sold' : open, reservations: after };
}
