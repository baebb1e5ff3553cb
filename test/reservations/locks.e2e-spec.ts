import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Db } from 'mongodb';
import { Clock } from '../../src/core/configuration/clock.js';
import { addReserved, addTenant, addUnit, type Tenant } from '../support/builders.js';
import { range } from '../support/counting.js';
import { eventually } from '../support/eventually.js';
import { rounds } from '../support/rounds.js';
import { startTestService, type TestService } from '../support/test-service.js';

/** The time of all that is stored, and of every clock. */
const now = new Date('2026-02-01T12:00:00Z');
const times = { createdAt: now, updatedAt: now };

let services: TestService[] = [];
let db: Db;

beforeAll(async () => {
  services = [await startTestService(), await startTestService()];
  for (const { service } of services) {
    jest.spyOn(service.app.get(Clock), 'now').mockReturnValue(now);
  }
  db = (services[0] as TestService).db;
});
afterAll(async () => {
  jest.restoreAllMocks();
  for (const service of services) await service.stop();
});

const post = (turn: number, { key }: Tenant, path: string, body: object) =>
  (services[turn % 2] as TestService).api('post', path).set('api-key', key).send(body);

describe('two instances within one millisecond', () => {
  it.each(range(rounds(4, 20)))(
    'approve one of two recoveries during repeated upserts (round %i)',
    async () => {
      const tenant = await addTenant(db);
      const unitId = await addUnit(db, tenant.organizationId, { status: 'Sold', ...times });
      const bounced = { status: 'canceled', cheque: 'bounced', isDeleted: true };
      const deals = ['deal-1', 'deal-2'];
      const recoveries = [];
      for (const recordSystemId of deals) {
        recoveries.push({
          reservationId: await addReserved(db, tenant.organizationId, unitId, {
            ...bounced,
            recordSystemId,
            ...times,
          }),
          installmentId: '1',
          chequeStatus: 'collected',
        });
      }
      const repeats = range(8).map((turn) =>
        post(turn, tenant, '/reservations', { recordSystemId: deals[turn % 2], status: 'pending' }),
      );
      const responses = await Promise.all([
        ...recoveries.map((body, turn) => post(turn, tenant, '/reservations/webhook', body)),
        ...repeats,
      ]);
      const statuses = responses.map(({ status }) => status);
      expect(statuses.slice(0, 2).toSorted()).toEqual([201, 422]);
      expect(statuses.slice(2)).toEqual(repeats.map(() => 200));
      const { organizationId } = tenant;
      const stored = await db.collection('reservations').find({ organizationId }).toArray();
      expect(stored.map(({ status }) => status).toSorted()).toEqual(['approved', 'canceled']);
      expect(await db.collection('units').findOne({ _id: unitId })).toMatchObject({
        status: 'Sold',
      });
    },
  );

  it('keep a parallel report when the reservation becomes pending_cheque_collection', async () => {
    const tenant = await addTenant(db);
    const unitId = await addUnit(db, tenant.organizationId, times);
    const reservation = { status: 'pending', recordSystemId: 'deal', ...times };
    const reservationId = await addReserved(db, tenant.organizationId, unitId, reservation);
    const aborted = async () =>
      (await db.admin().serverStatus())['transactions'].totalAborted as number;
    const session = db.client.startSession();
    try {
      session.startTransaction();
      const collected = { status: 'collected', source: 'External API', changedAt: now };
      const report = {
        $set: { 'cheques.0.status': 'collected', updatedAt: now },
        $push: { 'cheques.0.statusHistory': collected },
      } as object;
      await db.collection('chequeWallets').updateOne({ reservationId }, report, { session });
      const before = await aborted();
      let isOver = false;
      const upsert = post(0, tenant, '/reservations', {
        recordSystemId: 'deal',
        status: 'pending_cheque_collection',
      })
        .then((response) => response)
        .finally(() => (isOver = true));
      await eventually(async () => expect(isOver || (await aborted()) > before).toBe(true));
      await session.commitTransaction();
      const { status, body } = await upsert;
      expect(status).toBe(200);
      expect(body.reservation.chequeWallet.cheques).toMatchObject([
        { status: 'collected', statusHistory: [{ status: 'collected' }] },
      ]);
    } finally {
      await session.endSession();
    }
  });
});
