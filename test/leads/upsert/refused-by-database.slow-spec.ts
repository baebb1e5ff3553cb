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
  service = await startTestService({}, randomDatabaseUri());
  tenant = await addTenant(service.db);
  // A rule of another program, which no request can know.
  const validator = { 'data.forbidden': { $exists: false } };
  await service.db.command({ collMod: 'leads', validator, validationLevel: 'strict' });
});
afterAll(() => service.stop());

const forbidden = { recordSystemId: 'forbidden', data: { forbidden: true } };
const count = (collection: string) =>
  service.db.collection(collection).countDocuments({ organizationId: tenant.organizationId });

it('POST /leads/batch returns 500 and stores nothing when the database rejects a lead', async () => {
  const id = randomUUID();
  const send = (lead: object) =>
    service
      .api('post', '/leads/batch')
      .set({ 'api-key': tenant.key, 'idempotency-key': id })
      .send({ leads: [{ recordSystemId: 'a', name: 'Mona' }, lead] });
  const { headers } = await send(forbidden).expect(500);
  expect(headers['x-error-code']).toBe('server.error');
  for (const collection of ['leads', 'clients', 'changeLogs', 'outboxEvents']) {
    expect(await count(collection)).toBe(0);
  }
  await service.db.command({ collMod: 'leads', validationLevel: 'off' });
  await send(forbidden).expect(200);
  await service.db.command({ collMod: 'leads', validationLevel: 'strict' });
  expect([await count('leads'), await count('changeLogs')]).toEqual([2, 2]);
});

it('POST /leads returns 500 only for the grouped lead that the database rejects', async () => {
  const { organizationId, key } = await addTenant(service.db);
  const leads = Array.from({ length: 20 }, (_, index) => ({
    recordSystemId: `lead ${index}`,
    ...(index % 7 === 3 ? forbidden : {}),
  }));
  const responses = await Promise.all(
    leads.map((lead) => service.api('post', '/leads').set('api-key', key).send(lead)),
  );
  expect(responses.map(({ status }) => status)).toEqual(
    leads.map((_lead, index) => (index % 7 === 3 ? 500 : 201)),
  );
  expect(await service.db.collection('leads').countDocuments({ organizationId })).toBe(17);
});

it('POST /leads/batch returns the decisions of the last transaction attempt', async () => {
  const { organizationId, key } = await addTenant(service.db);
  const idempotency = service.service.app.get(IdempotencyService);
  const completeAll = idempotency.completeAll.bind(idempotency);
  // Between the attempts another instance takes the phone.
  const completing = jest
    .spyOn(idempotency, 'completeAll')
    .mockImplementationOnce(async (...args: Parameters<typeof completeAll>) => {
      await completeAll(...args);
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
