import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { MongoServerError } from 'mongodb';
import { IdempotencyService } from '../../../src/core/idempotency/idempotency.service.js';
import { derivePhoneKeys } from '../../../src/leads/phones/lead-phones.js';
import { addLead } from '../../support/builders.js';
import { range } from '../../support/counting.js';
import type { TenantApi } from '../../support/tenant-api.js';
import {
  randomDatabaseUri,
  startTestService,
  type TestService,
} from '../../support/test-service.js';

let service: TestService;
let tenant: TenantApi;

/** Turns a validation rule of another program on or off. The service cannot check it in advance. */
const setValidation = (validationLevel: 'strict' | 'off') =>
  service.db.command({
    collMod: 'leads',
    validator: { 'data.forbidden': { $exists: false } },
    validationLevel,
  });

beforeAll(async () => {
  service = await startTestService({}, randomDatabaseUri());
  await setValidation('strict');
});
beforeEach(async () => {
  tenant = await service.addTenant();
});
afterAll(() => service.stop());

const forbidden = { data: { forbidden: true } };
const batchWith = (leads: object[]) => {
  const id = randomUUID();
  return () => tenant.post('/leads/batch', { leads }).set('idempotency-key', id);
};

describe('a lead that the database refuses', () => {
  it('makes POST /leads/batch return 500 and store nothing, and can be sent again', async () => {
    const send = batchWith([{ name: 'Mona' }, forbidden]);
    const { headers } = await send().expect(500);
    expect(headers['x-error-code']).toBe('server.error');
    for (const collection of ['leads', 'clients', 'changeLogs', 'outboxEvents']) {
      expect(await tenant.count(collection)).toBe(0);
    }
    await setValidation('off');
    await send().expect(200);
    await setValidation('strict');
    expect([await tenant.count('leads'), await tenant.count('changeLogs')]).toEqual([2, 2]);
  });

  it('makes only its own POST /leads request of a group return 500', async () => {
    const isForbidden = (index: number) => index % 7 === 3;
    const responses = await Promise.all(
      range(20).map((index) => tenant.post('/leads', isForbidden(index) ? forbidden : {})),
    );
    const statuses = range(20).map((index) => (isForbidden(index) ? 500 : 201));
    expect(responses.map(({ status }) => status)).toEqual(statuses);
    expect(await tenant.count('leads')).toBe(17);
  });
});

describe('POST /leads/batch whose transaction is repeated', () => {
  it('returns the decisions of the last attempt', async () => {
    const idempotency = service.service.app.get(IdempotencyService);
    const completeAll = idempotency.completeAll.bind(idempotency);
    const data = { phoneNumber: '01000000001' };
    // Another instance stores the phone between the attempts.
    const completing = jest
      .spyOn(idempotency, 'completeAll')
      .mockImplementationOnce(async (...args: Parameters<typeof completeAll>) => {
        await completeAll(...args);
        completing.mockRestore();
        const updatedAt = new Date();
        const derived = { ...derivePhoneKeys(data, 'EG'), phoneKeysAt: updatedAt, updatedAt };
        await tenant.add(addLead, { data, ...derived });
        const errorLabels = ['TransientTransactionError'];
        throw new MongoServerError({ message: 'no primary', code: 10_107, errorLabels });
      });
    const send = batchWith([data]);
    const { body } = await send().expect(200);
    expect(body).toMatchObject({ created: 0, refused: 1 });
    const again = await send().expect(200);
    expect(again.body).toEqual(body);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(await tenant.count('leads')).toBe(1);
  });
});
