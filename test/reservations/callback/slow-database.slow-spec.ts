import { expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { addReservation } from '../../support/builders.js';
import { eventually } from '../../support/eventually.js';
import { startTestService } from '../../support/test-service.js';

it('the log keeps a callback that returned 503 without changes when the database is slow', async () => {
  const service = await startTestService({ DATABASE_DEADLINE_MS: '2000' });
  const { db } = service;
  const tenant = await service.addTenant();
  try {
    const _id = await tenant.add(addReservation, new ObjectId());
    await db.client.withSession(async (session) => {
      session.startTransaction();
      const held = { $set: { held: true } };
      await db.collection('reservations').updateOne({ _id }, held, { session });
      const callback = { reservationId: _id, reservationStatus: 'canceled' };
      await tenant.post('/reservations/webhook', callback).expect(503);
      await session.abortTransaction();
    });
    await eventually(async () => {
      expect(await tenant.stored('reservationCallbacks')).toMatchObject([
        { outcome: { status: 503, reservation: 'unchanged' } },
      ]);
    });
    const { status } = await tenant.storedOne('reservations');
    expect(status).toBe('pending_cheque_collection');
  } finally {
    await service.stop();
  }
});
