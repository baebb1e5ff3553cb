import { expect, it } from '@jest/globals';
import { MongoClient, ObjectId } from 'mongodb';
import { addReservation, addTenant } from '../../support/builders.js';
import { eventually } from '../../support/eventually.js';
import { startTestService } from '../../support/test-service.js';

it('the callback log records a 503 without changes when the database is slow', async () => {
  const impatientService = await startTestService({ DATABASE_DEADLINE_MS: '2000' });
  const client = await new MongoClient(impatientService.databaseUri).connect();
  const session = client.startSession();
  try {
    const { organizationId, key } = await addTenant(impatientService.db);
    const _id = await addReservation(impatientService.db, organizationId, new ObjectId());
    const reservations = client.db().collection('reservations');
    session.startTransaction();
    await reservations.updateOne({ _id }, { $set: { held: true } }, { session });
    await impatientService
      .api('post', '/reservations/webhook')
      .set('api-key', key)
      .send({ reservationId: _id, reservationStatus: 'canceled' })
      .expect(503);
    await session.abortTransaction();
    await eventually(async () => {
      const kept = impatientService.db.collection('reservationCallbacks');
      expect(await kept.find({ organizationId }).toArray()).toMatchObject([
        { outcome: { status: 503, reservation: 'unchanged' } },
      ]);
    });
    expect(await reservations.findOne({ _id })).toMatchObject({
      status: 'pending_cheque_collection',
    });
  } finally {
    await session.endSession();
    await client.close();
    await impatientService.stop();
  }
});
