import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Db } from 'mongodb';
import { Clock } from '../../src/core/configuration/clock.js';
import { addReserved, addUnit } from '../support/builders.js';
import { range } from '../support/counting.js';
import { eventually } from '../support/eventually.js';
import { rounds } from '../support/rounds.js';
import type { TenantApi } from '../support/tenant-api.js';
import { startTestService, type TestService } from '../support/test-service.js';

/** Every clock and all stored documents have this time. */
const now = new Date('2026-02-01T12:00:00Z');
const times = { createdAt: now, updatedAt: now };

let services: TestService[] = [];
let db: Db;
let tenant: TenantApi;

beforeAll(async () => {
  services = [await startTestService(), await startTestService()];
  for (const { service } of services) {
    jest.spyOn(service.app.get(Clock), 'now').mockReturnValue(now);
  }
  db = (services[0] as TestService).db;
  tenant = await (services[0] as TestService).addTenant();
});
afterAll(async () => {
  jest.restoreAllMocks();
  for (const service of services) await service.stop();
});

const post = (turn: number, path: string, body: object) =>
  (services[turn % 2] as TestService).api('post', path).set('api-key', tenant.key).send(body);

describe('two instances within one millisecond', () => {
  it.each(range(rounds(4, 20)))(
    'approve one of two recoveries during repeated upserts (round %i)',
    async (round) => {
      const unitId = await tenant.add(addUnit, { status: 'Sold', ...times });
      const bounced = { status: 'canceled', cheque: 'bounced', isDeleted: true, ...times };
      const deals = [`deal-${round}-1`, `deal-${round}-2`];
      const ids = await Promise.all(
        deals.map((recordSystemId) =>
          tenant.add(addReserved, unitId, { ...bounced, recordSystemId }),
        ),
      );
      const report = { installmentId: '1', chequeStatus: 'collected' };
      const responses = await Promise.all([
        ...ids.map((reservationId, turn) =>
          post(turn, '/reservations/webhook', { reservationId, ...report }),
        ),
        ...range(8).map((turn) =>
          post(turn, '/reservations', { recordSystemId: deals[turn % 2], status: 'pending' }),
        ),
      ]);
      const statuses = responses.map(({ status }) => status);
      expect(statuses.slice(0, 2).toSorted()).toEqual([201, 422]);
      expect(statuses.slice(2)).toEqual(range(8).map(() => 200));
      const stored = await tenant.stored('reservations', { unitId });
      expect(stored.map(({ status }) => status).toSorted()).toEqual(['approved', 'canceled']);
      expect(await tenant.storedOne('units', { _id: unitId })).toMatchObject({ status: 'Sold' });
    },
  );

  it('keep a concurrent report when the reservation becomes pending_cheque_collection', async () => {
    const unitId = await tenant.add(addUnit, times);
    const reservation = { status: 'pending', recordSystemId: 'deal', ...times };
    const reservationId = await tenant.add(addReserved, unitId, reservation);
    const countAborted = async () =>
      (await db.admin().serverStatus())['transactions'].totalAborted as number;
    await db.client.withSession(async (session) => {
      session.startTransaction();
      const collected = { status: 'collected', source: 'External API', changedAt: now };
      const report = {
        $set: { 'cheques.0.status': 'collected', updatedAt: now },
        $push: { 'cheques.0.statusHistory': collected },
      } as object;
      await db.collection('chequeWallets').updateOne({ reservationId }, report, { session });
      const before = await countAborted();
      let isOver = false;
      const sent = { recordSystemId: 'deal', status: 'pending_cheque_collection' };
      const upsert = post(0, '/reservations', sent)
        .expect(200)
        .then((response) => response)
        .finally(() => (isOver = true));
      await eventually(async () => expect(isOver || (await countAborted()) > before).toBe(true));
      await session.commitTransaction();
      expect((await upsert).body.reservation.chequeWallet.cheques).toMatchObject([
        { status: 'collected', statusHistory: [{ status: 'collected' }] },
      ]);
    });
  });
});
