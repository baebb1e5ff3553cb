import { beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { addTenant, type Tenant } from '../support/builders.js';
import { basePath, sharedService } from '../support/shared-service.js';

const service = sharedService();
let tenant: Tenant;

beforeAll(async () => {
  const permissions = { allowExternal: true, readEvents: true };
  tenant = await addTenant(service.db, { key: { permissions } });
});

const send = (method: 'get' | 'post' | 'delete', path: string, language = 'en-us') =>
  service.api(method, path).set({ 'api-key': tenant.key, language });
const validationFailed = (...message: string[]) => ({
  statusCode: 400,
  message,
  error: 'Bad Request',
});

describe('an unknown query parameter', () => {
  it('returns 400 at every endpoint except the list of compounds', async () => {
    const { paths } = (await (
      await fetch(`${service.url}/docs/openapi.json`)
    ).json()) as OpenAPIObject;
    const statuses: Record<string, unknown> = {};
    for (const [path, operations] of Object.entries(paths)) {
      for (const method of ['get', 'post', 'delete'] as const) {
        if (operations[method] === undefined) continue;
        const filled = path.slice(basePath.length + 1).replace(/\{\w+\}/, 'none');
        const sent = send(method, `${filled}?surprise=1`);
        const response = await (method === 'post' ? sent.send({ reservationId: 'none' }) : sent);
        statuses[`${method} ${filled}`] = [
          response.status,
          (response.body.message as unknown[] | undefined)?.[0],
        ];
      }
    }
    const { 'get /compounds': compounds, ...others } = statuses;
    expect(compounds).toEqual([200, undefined]);
    expect(Object.keys(others).length).toBeGreaterThan(9);
    for (const [operation, outcome] of Object.entries(others)) {
      expect([operation, outcome]).toEqual([operation, [400, 'surprise is not a known parameter']]);
    }
  });

  it('is reported with other errors in the language of the request', async () => {
    const { body } = await send('get', '/units?colour=red&page=0', 'ar-eg').expect(400);
    expect(body.message).toEqual(['colour ليس معاملًا معروفًا', 'يجب أن تكون قيمة page رقمًا موجبًا']);
  });

  it('is ignored and reported by the list of compounds', async () => {
    const { headers } = await send('get', '/compounds?surprise=1&x%C3%A9=2&page=1').expect(200);
    expect(headers['x-ignored-fields']).toBe('surprise, x?');
    expect((await send('get', '/compounds?page=1')).headers).not.toHaveProperty('x-ignored-fields');
  });

  it('can be the API key where only the header counts', async () => {
    const { body } = await send('get', '/leads/none?api-key=x').expect(400);
    expect(body).toEqual(validationFailed('api-key is not a known parameter'));
    await send('post', '/reservations/webhook?api-key=').send({ reservationId: 'x' }).expect(404);
  });
});

describe('an unknown field', () => {
  it('is reported for at most twenty names, which are shortened', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `${index}`.padStart(100, 'x'));
    const body = Object.fromEntries(names.map((name) => [name, 1]));
    const { message } = (await send('post', '/units').send(body).expect(400)).body;
    expect(message).toEqual(
      Array(20)
        .fill(`${'x'.repeat(64)} is not a known field`)
        .slice(0, 1),
    );
    const short = Object.fromEntries(names.map((_, index) => [`f${index}`, 1]));
    const told = (await send('post', '/units').send(short).expect(400)).body.message;
    expect(told).toHaveLength(20);
  });

  it('is ignored and reported in a lead, except inside free-form objects', async () => {
    const { body, headers } = await send('post', '/leads')
      .send({
        phone: '01001234567',
        name: 'Mona',
        leadSource: 'x',
        'a,bé': 1,
        data: { anything: { goes: 1 } },
        additionalData: { here: 'too' },
      })
      .expect(201);
    expect(headers['x-ignored-fields']).toBe('phone, leadSource, a?b?');
    expect(body.lead.data).toEqual({ name: 'Mona', anything: { goes: 1 } });
    const plain = await send('post', '/leads').send({ name: 'Mona' }).expect(201);
    expect(plain.headers).not.toHaveProperty('x-ignored-fields');
  });

  it('is named in x-ignored-fields for at most twenty names, each cut at 64 characters', async () => {
    const fields = Array.from({ length: 30 }, (_, index) => [`${'x'.repeat(100)}${index}`, 1]);
    const lead = { name: 'Mona', ...(Object.fromEntries(fields) as object) };
    const { headers } = await send('post', '/leads').send(lead).expect(201);
    expect(headers['x-ignored-fields']).toBe(Array(20).fill('x'.repeat(64)).join(', '));
  });

  it('is ignored and reported in a callback, whether it succeeds or fails', async () => {
    const callback = { reservationId: 'none', cheque_status: 'collected' };
    const { headers } = await send('post', '/reservations/webhook').send(callback).expect(404);
    expect(headers['x-ignored-fields']).toBe('cheque_status');
  });

  it('is documented as ignored or rejected', async () => {
    const { components } = (await (
      await fetch(`${service.url}/docs/openapi.json`)
    ).json()) as OpenAPIObject;
    const isOpen = (name: string) =>
      (components?.schemas?.[name] as { additionalProperties?: boolean } | undefined)
        ?.additionalProperties;
    const strict = ['UpsertUnitDto', 'UpsertReservationDto', 'ChequeRequestDto', 'UnitIdReference'];
    expect(strict.map(isOpen)).toEqual(strict.map(() => false));
    expect(['UpsertLeadDto', 'CallbackDto'].map(isOpen)).toEqual([true, true]);
  });
});
