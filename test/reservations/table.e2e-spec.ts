import { describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { chequeStatuses, reservationStatuses } from '../../src/reservations/states.js';
import { addTenant } from '../support/builders.js';
import { sharedService } from '../support/shared-service.js';
import { callBack, type ModelCallback, type World } from './section-3.js';
import { load, normalized, store } from './stored-world.js';

/** One cell of the table: what is there, and what is sent. */
interface Cell {
  readonly reservation: string;
  readonly cheque: string;
  readonly wallet: 'active' | 'soft-deleted' | 'missing';
  readonly unit: 'present' | 'deleted';
  readonly isInCollection: boolean;
  readonly isUnitTaken: boolean;
  readonly sent: Partial<ModelCallback>;
}

const service = sharedService();

const both = [true, false];
const units = ['present', 'deleted'] as const;

/** Every cell about a sent reservation status. */
const reservationCells: Cell[] = reservationStatuses.flatMap((reservation) =>
  reservationStatuses.flatMap((reservationStatus) =>
    (['active', 'soft-deleted', 'missing'] as const).flatMap((wallet) =>
      surroundings({
        reservation,
        cheque: 'pending',
        wallet,
        sent: { reservationStatus },
      }),
    ),
  ),
);

/** Every cell about a sent cheque status; a missing wallet has no cheque in any state. */
const chequeCells: Cell[] = reservationStatuses.flatMap((reservation) =>
  chequeStatuses.flatMap((chequeStatus) => [
    ...chequeStatuses.flatMap((cheque) =>
      (['active', 'soft-deleted'] as const).flatMap((wallet) =>
        surroundings({ reservation, cheque, wallet, sent: { installmentId: '1', chequeStatus } }),
      ),
    ),
    ...surroundings({
      reservation,
      cheque: 'pending',
      wallet: 'missing',
      sent: { installmentId: '1', chequeStatus },
    }),
  ]),
);

function surroundings(fixed: Pick<Cell, 'reservation' | 'cheque' | 'wallet' | 'sent'>): Cell[] {
  // Other reservations of the unit can matter only where something is approved or recomputed.
  const { reservationStatus, chequeStatus } = fixed.sent;
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

function worldOf(cell: Cell): World {
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

/** Runs all cells, a few at a time, and lists those that differ from the model. */
async function differences(cells: readonly Cell[]): Promise<object[]> {
  const { organizationId, key } = await addTenant(service.db);
  const worlds = cells.map(worldOf);
  await store(service.db, organizationId, {
    units: worlds.flatMap((world) => world.units),
    reservations: worlds.flatMap((world) => world.reservations),
    wallets: worlds.flatMap((world) => world.wallets),
  });
  const answers = new Map<Cell, object>();
  const waiting = cells.entries();
  const runner = async () => {
    for (const [index, cell] of waiting) {
      const reservationId = worlds[index]?.reservations[0]?.id;
      const { status, body, headers } = await service
        .api('post', '/reservations/webhook')
        .set('api-key', key)
        .send({ ...cell.sent, reservationId });
      answers.set(cell, {
        status,
        ...(status === 201 ? {} : { message: body.message }),
        reservation: headers['x-callback-reservation'],
        cheque: headers['x-callback-cheque'],
      });
    }
  };
  await Promise.all(Array.from({ length: 12 }, runner));

  const stored = await load(service.db, organizationId);
  return cells.flatMap((cell, index) => {
    const world = worlds[index] as World;
    const sent = { ...cell.sent, reservationId: world.reservations[0]?.id ?? '' };
    const { events: _events, ...answer } = callBack(world, sent);
    const expected = { answer, world: normalized(world) };
    const found = { answer: answers.get(cell), world: sliceOf(stored, world) };
    try {
      expect(found).toEqual(expected);
      return [];
    } catch {
      return [{ cell, found, expected }];
    }
  });
}

/** What is stored of the reservations of one cell. */
function sliceOf(stored: World, { units: [unit], reservations: [reservation] }: World): World {
  return normalized({
    units: stored.units.filter(({ id }) => id === unit?.id),
    reservations: stored.reservations.filter((one) => one.unit === unit?.id),
    wallets: stored.wallets.filter((one) => one.reservation === reservation?.id),
  });
}

describe('the table of section 3, with every cell that it leaves implicit', () => {
  it.each(reservationStatuses)('reservationStatus %s', async (status) => {
    const cells = reservationCells.filter(({ sent }) => sent.reservationStatus === status);
    expect(cells).toHaveLength(status === 'approved' || status === 'canceled' ? 144 : 72);
    expect(await differences(cells)).toEqual([]);
  });

  it.each(chequeStatuses)('chequeStatus %s', async (status) => {
    const cells = chequeCells.filter(({ sent }) => sent.chequeStatus === status);
    expect(cells).toHaveLength(isCollectedOrBounced(status) ? 528 : 264);
    expect(await differences(cells)).toEqual([]);
  });
});
