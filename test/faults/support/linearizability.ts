import { isDeepStrictEqual } from 'node:util';
import type { Document } from 'mongodb';
import {
  callBack,
  type ModelCallback,
  type ModelState,
} from '../../reservations/callback/callback-model.js';

/** The fields of a request. `op` decides which parts of the response are compared. */
export interface Input {
  readonly op: string;
  readonly [field: string]: string | number;
}

/** A request of a client with the times of sending and response, and the recorded parts of the response. */
export interface RecordedOperation {
  /** Operations with different keys are independent of each other. */
  readonly key: string;
  readonly call: number;
  readonly return: number;
  readonly input: Input;
  /** Null without a response: the operation may have happened at any time after the call, or never. */
  readonly output: Document | null;
}

/** Returns the state after an operation, or null when the response is impossible in the state before. */
type Step<State> = (before: State, input: Input, output: Document | null) => State | null;

/** Returns the keys for which no order of the operations explains every response. */
export function faultsIn(history: readonly RecordedOperation[]): { key: string; fault: string }[] {
  return [...Map.groupBy(history, ({ key }) => key)].flatMap(([key, operations]) => {
    const fault = key.startsWith('unit')
      ? faultIn(operations, newUnit, stepOfUnit)
      : faultIn(operations, noLead, stepOfLead);
    return fault === null ? [] : [{ key, fault }];
  });
}

/**
 * Searches for an order in which each operation happens between its call and its response. This is the algorithm of
 * Wing and Gong with Lowe's cache of failed attempts.
 *
 * @returns null if there is one, otherwise the longest attempt
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

/** Models the lead with one recordSystemId (rules LEAD-3, LEAD-5 and LEAD-6). */
const noLead = {
  exists: false,
  /** 0 until a response has shown the number. */
  leadId: 0,
  /** The number of the previous lead. Of two leads, the one with the lower number need not be stored first. */
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

/** Returns the lead with the number in the response, or null if the response shows another lead. */
function shownLead(lead: typeof noLead, status: number, { leadId, ...shown }: Document) {
  if (!isDeepStrictEqual(shown, { status, a: lead.a, b: lead.b })) return null;
  const isRight = lead.leadId === 0 ? leadId !== lead.lastId : leadId === lead.leadId;
  return isRight ? { ...lead, leadId, lastId: leadId as number } : null;
}

const pending = 'pending_cheque_collection';
/** The unit has two reservations with a cheque each; the first one is in the partner collection flow. */
const newUnit: ModelState = {
  units: [{ id: 'unit', status: 'Reserved', isDeleted: false }],
  reservations: [0, 1].map((index) => {
    return { id: String(index), unit: 'unit', status: pending, isInCollection: index === 0 };
  }),
  wallets: [0, 1].map((index) => {
    const cheques = [{ installmentId: '1', status: 'pending', history: [] }];
    return { id: String(index), reservation: String(index), deletion: null, cheques };
  }),
};

const stepOfUnit: Step<ModelState> = (before, { op, reservation = 0, ...sent }, output) => {
  const after = structuredClone(before);
  const index = Number(reservation);
  const expected = () => {
    if (op === 'readUnit') return { status: 200, unitStatus: after.units[0]?.status };
    if (op === 'callback') return callBackIn(after, { ...sent, reservationId: String(index) });
    if (op === 'reopen') reopen(after, index);
    return { status: 200, reservation: shownReservation(after, index) };
  };
  const response = expected();
  return output === null || isDeepStrictEqual(output, response) ? after : null;
};

function callBackIn(state: ModelState, callback: ModelCallback): object {
  const request = { installmentId: '1', ...callback };
  const { events: _events, locksUnit: _locks, ...response } = callBack(state, request);
  // Keeps only the length of each history: states that no later response can distinguish must compare equal,
  // or the search would repeat them.
  for (const wallet of state.wallets) {
    wallet.deletion &&= 1;
    wallet.cheques = wallet.cheques.map((cheque) => {
      return { ...cheque, history: cheque.history.map(() => ({ status: '' })) };
    });
  }
  return response;
}

/** Restores a canceled reservation with its wallet, and recomputes the status of the unit (rules RES-7, CALL-11). */
function reopen({ units: [unit], reservations, wallets }: ModelState, index: number): void {
  const [reservation, wallet] = [reservations[index], wallets[index]];
  if (reservation?.status === 'canceled') {
    reservation.status = pending;
    if (wallet !== undefined) wallet.deletion = null;
  }
  const statuses = reservations.map(({ status }) => status);
  const open = statuses.includes(pending) ? 'Reserved' : 'Available';
  if (unit !== undefined) unit.status = statuses.includes('approved') ? 'Sold' : open;
}

function shownReservation({ reservations, wallets }: ModelState, index: number): object {
  const { deletion = null, cheques: [cheque] = [] } = wallets[index] ?? {};
  return {
    status: reservations[index]?.status,
    chequeStatus: cheque?.status,
    reports: cheque?.history.length,
    isWalletDeleted: deletion !== null,
  };
}
