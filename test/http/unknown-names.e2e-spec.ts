import { beforeAll, describe, expect, it } from '@jest/globals';
import { mayReadEvents } from '../support/builders.js';
import { documentedOperations, type Operation } from '../support/operations.js';
import { sharedService } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';

const service = sharedService();
let tenant: TenantApi;

beforeAll(async () => {
  tenant = await service.addTenant({ key: mayReadEvents });
});

const tolerantReads = ['GET /compounds', 'GET /healthz'];
const [tolerant = [], strict = []] = [true, false].map((isTolerant) =>
  documentedOperations().filter(
    ({ name, method }) => isTolerant === (method !== 'GET' || tolerantReads.includes(name)),
  ),
);

/** Sends a request with the required fields of the body. */
const sendTo = ({ method, path, hasBody, exampleBody }: Operation, query = '') => {
  const name = method.toLowerCase() as 'get' | 'post' | 'delete';
  const sent = tenant[name](`${path.replace(/\{\w+\}/, 'none')}${query}`);
  return hasBody ? sent.send(exampleBody) : sent;
};

describe('an unknown query parameter', () => {
  it.each(strict)('returns 400 at $name', async (operation) => {
    const { body } = await sendTo(operation, '?surprise=1').expect(400);
    expect(body.message[0]).toBe('surprise is not a known parameter');
  });

  it.each(tolerant)('is ignored and reported at $name', async (operation) => {
    const plain = await sendTo(operation);
    const { status, headers } = await sendTo(operation, '?utm_source=news&fbclid=x&surprise');
    expect([status, headers['x-error-code']]).toEqual([
      plain.status,
      plain.headers['x-error-code'],
    ]);
    expect(headers['x-ignored-fields']).toBe('utm_source, fbclid, surprise');
    expect(plain.headers).not.toHaveProperty('x-ignored-fields');
  });

  it('is reported before ignored fields of the body', async () => {
    const { headers } = await tenant.post('/leads?ts=1', { phone: '1', name: 'Mona' }).expect(201);
    expect(headers['x-ignored-fields']).toBe('ts, phone');
  });

  it('is reported with other errors in the language of the request', async () => {
    const { body } = await tenant.get('/units?colour=red&page=0').set('language', 'ar-eg');
    expect(body.message).toEqual(['colour ليس معاملًا معروفًا', 'يجب أن تكون قيمة page رقمًا موجبًا']);
  });

  it('is ignored and reported by the list of compounds', async () => {
    const { headers } = await tenant.get('/compounds?surprise=1&x%C3%A9=2&page=1').expect(200);
    expect(headers['x-ignored-fields']).toBe('surprise, x?');
    const known = await tenant.get('/compounds?page=1').expect(200);
    expect(known.headers).not.toHaveProperty('x-ignored-fields');
  });

  it('is not reported for an empty API key in the query of a callback', async () => {
    const callback = { reservationId: 'x' };
    await tenant.post('/reservations/webhook?api-key=', callback).expect(404);
  });
});

describe('an unknown field', () => {
  const fields = (prefix: string) =>
    Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`${prefix}${index}`, 1]));
  const long = 'x'.repeat(100);

  it('is refused with at most twenty names, each cut at 64 characters', async () => {
    const messages = async (body: object) =>
      (await tenant.post('/units', body).expect(400)).body.message as string[];
    expect(await messages(fields(long))).toEqual([`${'x'.repeat(64)} is not a known field`]);
    expect(await messages(fields('f'))).toHaveLength(20);
  });

  it.each(['$t(http.badRequest)', '$t(', '{property}', '{{x}}', '{0}', '$&'])(
    'is named literally when its name is the placeholder %s',
    async (name) => {
      const { body } = await tenant.post('/units', { [name]: 1 }).expect(400);
      expect(body.message).toEqual([`${name} is not a known field`]);
    },
  );

  it('is reported with at most twenty names, each cut at 64 characters', async () => {
    const { headers } = await tenant.post('/leads', { name: 'Mona', ...fields(long) }).expect(201);
    expect(headers['x-ignored-fields']).toBe(Array(20).fill('x'.repeat(64)).join(', '));
  });

  it('is ignored and reported in a lead, except inside free-form objects', async () => {
    const free = { data: { anything: { goes: 1 } }, additionalData: { here: 'too' } };
    const sent = { phone: '01001234567', name: 'Mona', leadSource: 'x', 'a,bé': 1, ...free };
    const { body, headers } = await tenant.post('/leads', sent).expect(201);
    expect(headers['x-ignored-fields']).toBe('phone, leadSource, a?b?');
    expect(body.lead.data).toEqual({ name: 'Mona', anything: { goes: 1 } });
    const plain = await tenant.post('/leads', { name: 'Mona' }).expect(201);
    expect(plain.headers).not.toHaveProperty('x-ignored-fields');
  });

  it('is ignored and reported in a callback, whether it succeeds or fails', async () => {
    const callback = { reservationId: 'none', cheque_status: 'collected' };
    const { headers } = await tenant.post('/reservations/webhook', callback).expect(404);
    expect(headers['x-ignored-fields']).toBe('cheque_status');
  });

  it('is reported by the replay of the response, too', async () => {
    const send = () =>
      tenant
        .post('/leads?ts=1', { name: 'Mona', phone: '1' })
        .set('idempotency-key', 'ignored-names')
        .expect('x-ignored-fields', 'ts, phone');
    await send().expect(201);
    await send().expect('idempotent-replayed', 'true');
  });

  it('is documented as ignored or refused', async () => {
    const document = (await (await fetch(`${service.url}/docs/openapi.json`)).json()) as {
      components: { schemas: Record<string, { additionalProperties?: boolean }> };
    };
    const allowsOthers = (name: string) => document.components.schemas[name]?.additionalProperties;
    const closed = ['UpsertUnitDto', 'UpsertReservationDto', 'ChequeRequestDto', 'UnitIdReference'];
    expect(closed.map(allowsOthers)).toEqual(closed.map(() => false));
    expect(['UpsertLeadDto', 'CallbackDto'].map(allowsOthers)).toEqual([true, true]);
  });
});
