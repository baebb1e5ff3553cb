import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { MongoServerError } from 'mongodb';
import { IdempotencyService } from '../../../src/core/idempotency/idempotency.service.js';
import { addLead, addTenant, type Tenant } from '../../support/builders.js';
import {
  randomDatabaseUri,
  startTestService,
  type TestService,
} from '../../support/test-service.js';

let service: TestService;
let tenant: Tenant;

beforeAll(async () => {
  service = await startTestService({ RESPONSE_CACHE_BYTES: '0' }, randomDatabaseUri());
  tenant = await addTenant(service.db);
  // Another program's rule, which no request can know.
  const validator = { 'data.forbidden': { $exists: false } };
  await service.db.command({ collMod: 'leads', validator, validationLevel: 'strict' });
});
afterAll(() => service.stop());

const batch = async (leads: readonly object[], others: object = {}) => {
  const { body } = await service
    .api('post', '/leads/batch')
    .set('api-key', tenant.key)
    .send({ leads, ...others })
    .expect(200);
  return body as Record<string, unknown> & { results: Record<string, unknown>[] };
};

it('a lead of a batch that the database refuses fails alone, as in a request of its own', async () => {
  const leads = Array.from({ length: 20 }, (_, index) => ({
    recordSystemId: `lead ${index % 18}`,
    data: { step: index, ...([3, 4, 19].includes(index) ? { forbidden: true } : {}) },
  }));
  await service.api('post', '/leads').set('api-key', tenant.key).send(leads[3]).expect(500);
  const dry = await batch(leads, { dryRun: true });
  const real = await batch(leads);
  expect(real).toMatchObject({ ok: false, created: 16, updated: 1, refused: 3 });
  expect(real.results.map(({ statusCode }) => statusCode)).toEqual(
    dry.results.map(({ statusCode }) => statusCode),
  );
  for (const index of [3, 4, 19]) {
    expect(real.results[index]).toEqual({
      index,
      statusCode: 500,
      message: 'Internal server error',
      error: 'Internal Server Error',
      errorCode: 'server.error',
    });
  }
  // The last one is an update of a lead that was stored before it in the batch.
  const { organizationId } = tenant;
  const stored = await service.db.collection('leads').find({ organizationId }).toArray();
  expect(stored).toHaveLength(16);
  expect(stored.find(({ recordSystemId }) => recordSystemId === 'lead 1')?.['data']).toEqual({
    step: 1,
  });
  expect(await service.db.collection('changeLogs').countDocuments({ organizationId })).toBe(17);
});

it('a batch whose transaction begins anew is answered what was decided last', async () => {
  const { organizationId, key } = await addTenant(service.db);
  const idempotency = service.service.app.get(IdempotencyService);
  const completeGroup = idempotency.completeGroup.bind(idempotency);
  // Between the attempts another instance takes the phone.
  const completing = jest
    .spyOn(idempotency, 'completeGroup')
    .mockImplementationOnce(async (...args: Parameters<typeof completeGroup>) => {
      await completeGroup(...args);
      completing.mockRestore();
      const updatedAt = new Date();
      await addLead(service.db, organizationId, {
        data: { phoneNumber: '01000000001' },
        phoneKeys: ['+201000000001'],
        phoneKeysOf: '["EG","01000000001"]',
        phoneKeysAt: updatedAt,
        updatedAt,
      });
      throw new MongoServerError({
        message: 'no primary',
        code: 10_107,
        errorLabels: ['TransientTransactionError'],
      });
    });
  const send = () =>
    service
      .api('post', '/leads/batch')
      .set({ 'api-key': key, 'idempotency-key': id })
      .send({ leads: [{ phoneNumber: '01000000001' }] })
      .expect(200);
  const id = randomUUID();
  const { body } = await send();
  expect(body).toMatchObject({ created: 0, refused: 1 });
  const again = await send();
  expect(again.body).toEqual(body);
  expect(again.headers['idempotent-replayed']).toBe('true');
  expect(await service.db.collection('leads').countDocuments({ organizationId })).toBe(1);
});
