import { describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { chequeStatuses, reservationStatuses } from '../../../src/reservations/statuses.js';
import { addTenant } from '../../support/builders.js';
import { isFull } from '../../support/rounds.js';
import { sharedService } from '../../support/shared-service.js';
import { callbackClient } from './callback-client.js';
import { callBack, type ModelCallback, type ModelState } from './callback-model.js';
import { load, normalized, store } from './stored-model.js';

/** One cell of the table: what is there, and the request. */
interface Cell {
  readonly reservation: string;
  readonly cheque: string;
  readonly wallet: 'active' | 'soft-deleted' | 'missing';
  readonly unit: 'present' | 'deleted';
  readonly isInCollection: boolean;
  readonly isUnitTaken: boolean;
  readonly request: Partial<ModelCallback>;
}

const service = sharedService();
const send = callbackClient(service);

const both = [true, false];
const units = ['present', 'deleted'] as const;

/** Every cell about a request reservation status. */
const reservationCells: Cell[] = reservationStatuses.flatMap((reservation) =>
  reservationStatuses.flatMap((reservationStatus) =>
    (['active', 'soft-deleted', 'missing'] as const).flatMap((wallet) =>
      surroundings({
        reservation,
        cheque: 'pending',
        wallet,
        request: { reservationStatus },
      }),
    ),
  ),
);

/** Every cell about a request cheque status; a missing wallet has no cheque in any state. */
const chequeCells: Cell[] = reservationStatuses.flatMap((reservation) =>
  chequeStatuses.flatMap((chequeStatus) => [
    ...chequeStatuses.flatMap((cheque) =>
      (['active', 'soft-deleted'] as const).flatMap((wallet) =>
        surroundings({
          reservation,
          cheque,
          wallet,
          request: { installmentId: '1', chequeStatus },
        }),
      ),
    ),
    ...surroundings({
      reservation,
      cheque: 'pending',
      wallet: 'missing',
      request: { installmentId: '1', chequeStatus },
    }),
  ]),
);

function surroundings(fixed: Pick<Cell, 'reservation' | 'cheque' | 'wallet' | 'request'>): Cell[] {
  // Other reservations of the unit can matter only where something is approved or recomputed.
  const { reservationStatus, chequeStatus } = fixed.request;
  const isDecisive = ['approved', 'canceled'].includes(reservationStatus ?? '');
  const others = isDecisive || isCollectedOrBounced(chequeStatus) ? both : [false];
  return units.flatMap((unit) =>
    both.flatMap((isInCollection) =>
      others.map((isUnitTaken) => ({ ...fixed, unit, isInCollection, isUnitTaken })),
    ),
  );
}

function isCollectedOrBounced(chequeStatus: string | undefined): boolean {
  return chequeStatus === 'collected' || chequeStatus === 'bounced';
}

function modelStateOf(cell: Cell): ModelState {
  const [unit, reservation, other, wallet] = Array.from({ length: 4 }, () =>
    new ObjectId().toHexString(),
  ) as [string, string, string, string];
  return {
    units: [{ id: unit, status: 'Reserved', isDeleted: cell.unit === 'deleted' }],
    reservations: [
      { id: reservation, unit, status: cell.reservation, isInCollection: cell.isInCollection },
      { id: other, unit, status: cell.isUnitTaken ? 'approved' : 'rejected', isInCollection: true },
    ],
    wallets:
      cell.wallet === 'missing'
        ? []
        : [
            {
              id: wallet,
              reservation,
              deletion: cell.wallet === 'active' ? null : 1,
              cheques: [{ installmentId: '1', status: cell.cheque, history: [] }],
            },
          ],
  };
}

/**
 * All cells about one requested status; in the short form as many as it takes to see each pair of
 * states of the reservation and the cheque, and each outcome that the model has for either.
 */
function chosenOf(cells: readonly Cell[]): readonly Cell[] {
  if (isFull) return cells;
  const seen = new Set<string>();
  return cells.filter((cell) => {
    const { reservation, cheque } = cell;
    const outcome = outcomeOf(cell);
    const pairs = [
      [reservation, cheque],
      [reservation, '', outcome],
      ['', cheque, outcome],
    ];
    const before = seen.size;
    for (const pair of pairs) seen.add(pair.join());
    return seen.size > before;
  });
}

function outcomeOf(cell: Cell): string {
  const modelState = modelStateOf(cell);
  const [reservation] = modelState.reservations;
  const { events: _events, ...response } = callBack(modelState, {
    ...cell.request,
    reservationId: reservation?.id ?? '',
  });
  const unit = modelState.units[0]?.status;
  const deletions = modelState.wallets.map(({ deletion }) => deletion);
  return JSON.stringify([response, unit, deletions]);
}

/** Runs cells, a few at a time, and lists those that differ from the model. */
async function differences(cells: readonly Cell[]): Promise<object[]> {
  const { organizationId, key } = await addTenant(service.db);
  const modelStates = cells.map(modelStateOf);
  await store(service.db, organizationId, {
    units: modelStates.flatMap((modelState) => modelState.units),
    reservations: modelStates.flatMap((modelState) => modelState.reservations),
    wallets: modelStates.flatMap((modelState) => modelState.wallets),
  });
  const responses = new Map<Cell, object>();
  const waiting = cells.entries();
  const runner = async () => {
    for (const [index, cell] of waiting) {
      const reservationId = modelStates[index]?.reservations[0]?.id;
      responses.set(cell, await send(key, { ...cell.request, reservationId }));
    }
  };
  await Promise.all(Array.from({ length: 12 }, runner));

  const stored = await load(service.db, organizationId);
  return cells.flatMap((cell, index) => {
    const modelState = modelStates[index] as ModelState;
    const request = { ...cell.request, reservationId: modelState.reservations[0]?.id ?? '' };
    const { events: _events, ...response } = callBack(modelState, request);
    const expected = { response, modelState: normalized(modelState) };
    const found = { response: responses.get(cell), modelState: sliceOf(stored, modelState) };
    try {
      expect(found).toEqual(expected);
      return [];
    } catch {
      return [{ cell, found, expected }];
    }
  });
}

/** What is stored of the reservations of one cell. */
function sliceOf(
  stored: ModelState,
  { units: [unit], reservations: [reservation] }: ModelState,
): ModelState {
  return normalized({
    units: stored.units.filter(({ id }) => id === unit?.id),
    reservations: stored.reservations.filter((one) => one.unit === unit?.id),
    wallets: stored.wallets.filter((one) => one.reservation === reservation?.id),
  });
}

describe('the tables of rules CALL-4 and CALL-5, with every cell that they leave implicit', () => {
  it.each(reservationStatuses)('reservationStatus %s', async (status) => {
    const cells = reservationCells.filter(({ request }) => request.reservationStatus === status);
    expect(cells).toHaveLength(status === 'approved' || status === 'canceled' ? 144 : 72);
    expect(await differences(chosenOf(cells))).toEqual([]);
  });

  it.each(chequeStatuses)('chequeStatus %s', async (status) => {
    const cells = chequeCells.filter(({ request }) => request.chequeStatus === status);
    expect(cells).toHaveLength(isCollectedOrBounced(status) ? 528 : 264);
    expect(await differences(chosenOf(cells))).toEqual([]);
  });
});
