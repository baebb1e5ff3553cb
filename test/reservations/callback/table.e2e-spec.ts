import { beforeAll, expect, it } from '@jest/globals';
import type { Document, ObjectId } from 'mongodb';
import { reservationStatuses } from '../../../src/availability/availability.js';
import { chequeStatuses } from '../../../src/reservations/transitions.js';
import {
  addReservation,
  addTenant,
  addUnit,
  addWallet,
  type Tenant,
} from '../../support/builders.js';
import { sharedService } from '../../support/shared-service.js';
import { callBack, type ModelCallback, type ModelState } from './callback-model.js';
import { everySituation, modelOf, reservationId as modelId, type Situation } from './situations.js';

interface Cell {
  readonly situation: Situation;
  readonly request: Omit<ModelCallback, 'reservationId'>;
}

const service = sharedService();
let tenant: Tenant;

beforeAll(async () => {
  tenant = await addTenant(service.db);
});

const requests = [
  ...reservationStatuses.map((reservationStatus) => ({ reservationStatus })),
  ...['1', 'unknown'].flatMap((installmentId) =>
    chequeStatuses.flatMap((chequeStatus) => {
      const report = { installmentId, chequeStatus, chequeNumber: 'A-1' };
      return [report, { ...report, reservationStatus: 'approved' }];
    }),
  ),
];

/** The response of a cell, and what the database then holds. */
function expectationOf({ situation, request }: Cell) {
  const model = modelOf(situation);
  const { locksUnit: _lock, ...response } = callBack(model, {
    reservationId: modelId,
    ...request,
  });
  return { response, stored: summary(model) };
}

function summary({ units: [unit], reservations: [reservation], wallets: [wallet] }: ModelState) {
  return {
    unit: unit?.status,
    reservation: reservation?.status,
    isWalletDeleted: wallet && wallet.deletion !== null,
    cheque: wallet?.cheques[0]?.status,
    history: wallet?.cheques[0]?.history,
  };
}

/** A cell for each kind of outcome that the model has; the decision is compared with it in all cells. */
const cells = new Map<string, Cell>();
for (const request of requests) {
  for (const situation of everySituation()) {
    const { response, stored } = expectationOf({ situation, request });
    const key = JSON.stringify([response, stored.unit === situation.unit]);
    if (!cells.has(key)) cells.set(key, { situation, request });
  }
}

async function store({ wallets: [cheques], ...situation }: Situation): Promise<ObjectId[]> {
  const { organizationId } = tenant;
  const { db } = service;
  const unitId = await addUnit(db, organizationId, {
    status: situation.unit,
    isDeleted: situation.isUnitDeleted,
  });
  const reservationId = await addReservation(db, organizationId, unitId, {
    status: situation.reservation,
    partnerCollection: { isActive: situation.isInCollection },
  });
  await addReservation(db, organizationId, unitId, { status: situation.other });
  if (cheques === undefined) return [unitId, reservationId];
  const walletId = await addWallet(db, organizationId, {
    reservationId,
    unitId,
    cheques: [{ installmentId: '1', status: cheques['1'] }],
    ...(situation.hasActiveWallet ? {} : { isDeleted: true, deletedAt: new Date() }),
  });
  return [unitId, reservationId, walletId];
}

async function load([unitId, reservationId, walletId]: readonly ObjectId[]) {
  const find = (collection: string, _id: ObjectId | undefined) =>
    service.db.collection(collection).findOne<Document>({ _id: { $eq: _id ?? null } } as Document);
  const [unit, reservation, wallet, events] = await Promise.all([
    find('units', unitId),
    find('reservations', reservationId),
    find('chequeWallets', walletId),
    service.db
      .collection('outboxEvents')
      .find({ 'data._id': { $in: [reservationId, walletId].map(String) } })
      .sort({ _id: 1 })
      .toArray(),
  ]);
  const [cheque] = wallet?.['cheques'] ?? [];
  return {
    events: events.map(({ type }) => type as string),
    stored: {
      unit: unit?.['status'] ?? undefined,
      reservation: reservation?.['status'],
      isWalletDeleted: wallet?.['isDeleted'],
      cheque: cheque?.status,
      history: cheque?.statusHistory.map(
        ({ changedAt: _at, source: _source, ...entry }: Document) => entry,
      ),
    },
  };
}

it('the model has between 30 and 50 outcomes', () => {
  expect(cells.size).toBeGreaterThan(30);
  expect(cells.size).toBeLessThan(50);
});

it.each([...cells.values()].map((cell) => [JSON.stringify(cell), cell] as const))(
  'a callback returns, stores and emits the same as the model: %s',
  async (_name, cell) => {
    const ids = await store(cell.situation);
    const reservationId = ids[1]?.toHexString();
    const { status, headers, body } = await service
      .api('post', '/reservations/webhook')
      .set('api-key', tenant.key)
      .send({ reservationId, ...cell.request });
    const { events, stored } = await load(ids);
    const { message } = body as { message?: string };
    const response = {
      status,
      ...(message === undefined ? {} : { message }),
      reservation: headers['x-callback-reservation'],
      cheque: headers['x-callback-cheque'],
      events,
    };
    expect({ response, stored }).toEqual(expectationOf(cell));
  },
);
