import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { type Document, ObjectId } from 'mongodb';
import { reservationStatuses } from '../../../src/reservations/reservation-status.js';
import { chequeStatuses } from '../../../src/reservations/transitions.js';
import { addReservation, addUnit, addWallet } from '../../support/builders.js';
import { sharedService } from '../../support/shared-service.js';
import type { TenantApi } from '../../support/tenant-api.js';
import { callBack, type ModelState } from './callback-model.js';
import { everySituation, modelOf } from './situations.js';

const service = sharedService();

const requests = [
  ...reservationStatuses.map((reservationStatus) => ({ reservationStatus })),
  ...['1', 'unknown'].flatMap((installmentId) =>
    chequeStatuses.flatMap((chequeStatus) => {
      const report = { installmentId, chequeStatus, chequeNumber: 'A-1' };
      return [report, { ...report, reservationStatus: 'approved' }];
    }),
  ),
];

/**
 * The table has a cell for each kind of outcome in the model. Another test compares the decision with the model in all
 * situations.
 */
const cells = requests
  .flatMap((request) => everySituation().map((situation) => ({ situation, request })))
  .map((cell) => {
    const { model, reservationId } = modelOf(cell.situation);
    const response = callBack(model, { reservationId, ...cell.request });
    const { locksUnit: _lock, ...outcome } = response;
    const isUnitKept = model.units[0]?.status === cell.situation.unit;
    const transition = [cell.situation.reservation, model.reservations[0]?.status];
    return { ...cell, outcome: JSON.stringify([outcome, isUnitKept]), transition };
  });
const outcomes = new Map(cells.toReversed().map((cell) => [cell.outcome, cell]));

async function store(tenant: TenantApi, { units, reservations, wallets }: ModelState) {
  for (const { id, ...unit } of units) {
    await tenant.add(addUnit, { _id: new ObjectId(id), ...unit });
  }
  for (const { id, unit, status, isInCollection } of reservations) {
    const fields = { status, partnerCollection: { isActive: isInCollection } };
    const _id = new ObjectId(id);
    await tenant.add(addReservation, new ObjectId(unit), { _id, ...fields });
  }
  for (const { id, reservation, deletion, cheques } of wallets) {
    await tenant.add(addWallet, {
      _id: new ObjectId(id),
      reservationId: new ObjectId(reservation),
      unitId: new ObjectId(units[0]?.id),
      cheques: cheques.map(({ history: _none, ...cheque }) => cheque),
      ...(deletion === null ? {} : { isDeleted: true, deletedAt: new Date() }),
    });
  }
}

async function load(tenant: TenantApi): Promise<Document> {
  const [units, reservations, wallets] = await Promise.all(
    ['units', 'reservations', 'chequeWallets'].map((collection) => tenant.stored(collection)),
  );
  return {
    units: units?.map(({ _id, status, isDeleted }) => ({
      id: String(_id),
      status: status ?? undefined,
      isDeleted,
    })),
    reservations: reservations?.map(({ _id, unitId, status, partnerCollection }) => ({
      id: String(_id),
      unit: String(unitId),
      status,
      isInCollection: partnerCollection.isActive,
    })),
    wallets: wallets?.map(({ _id, reservationId, isDeleted, cheques }) => ({
      id: String(_id),
      reservation: String(reservationId),
      deletion: isDeleted ? 1 : null,
      cheques: cheques.map(({ statusHistory, ...cheque }: Document) => ({
        ...cheque,
        history: statusHistory.map(({ changedAt: _at, source: _by, ...entry }: Document) => entry),
      })),
    })),
  };
}

it('the state diagram of the reference shows every status, and exactly the transitions by callbacks', () => {
  const diagram = readFileSync('src/reference/page/reservation-states.svg', 'utf8');
  const arrows = diagram.matchAll(/data-by="callback" data-from="(.*?)" data-to="(.*?)"/g);
  const shown = [...arrows].flatMap(([, from = '', to]) =>
    from.split(' ').map((status) => `${status} -> ${to}`),
  );
  const moves = cells.filter(({ transition: [from, to] }) => from !== to);
  expect(new Set(shown)).toEqual(new Set(moves.map(({ transition }) => transition.join(' -> '))));
  for (const status of reservationStatuses) expect(diagram).toContain(`>${status}</text>`);
});

it('the table covers between 30 and 50 outcomes of the model', () => {
  expect(outcomes.size).toBeGreaterThan(30);
  expect(outcomes.size).toBeLessThan(50);
});

it.each([...outcomes.values()].map(({ request, situation }) => [request, situation] as const))(
  'a callback with %j returns, stores and emits the same as the model for %j',
  async (request, situation) => {
    const tenant = await service.addTenant();
    const { model, reservationId } = modelOf(situation);
    await store(tenant, model);
    const callback = { reservationId, ...request };
    const { status, headers, body } = await tenant.post('/reservations/webhook', callback);
    const { locksUnit: _lock, ...expected } = callBack(model, callback);
    const events = await tenant.stored('outboxEvents');
    expect({
      status,
      message: body.message,
      reservation: headers['x-callback-reservation'],
      cheque: headers['x-callback-cheque'],
      events: events.map(({ type }) => type as string),
    }).toEqual(expected);
    expect(await load(tenant)).toEqual(model);
  },
);
