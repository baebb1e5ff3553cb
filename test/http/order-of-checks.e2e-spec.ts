import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ModulesContainer, Reflector } from '@nestjs/core';
import { Clock } from '../../src/core/configuration/clock.js';
import { addKey, addReservation, addUnit, mayReadEvents } from '../support/builders.js';
import { documentedOperations } from '../support/operations.js';
import { sendRaw } from '../support/raw-http.js';
import { basePath } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';
import { startTestService, type TestService } from '../support/test-service.js';

let service: TestService;
let tenant: TenantApi;
let elsewhere: string;
let otherOrigin: string;
let reader: string;
/** The key has used up its limit. */
let exhausted: string;

const all = documentedOperations();
const routes = all.filter(({ needsKey }) => needsKey);
type Route = (typeof routes)[number];

beforeAll(async () => {
  service = await startTestService();
  const now = new Date();
  // A bucket must not refill during the test.
  service.service.app.get(Clock).now = () => now;
  tenant = await service.addTenant({ key: mayReadEvents });
  const keyWith = (permissions: object, fields: object = {}) =>
    tenant.add(addKey, { permissions: { allowExternal: true, ...permissions }, ...fields });
  const nowhere = { addresses: ['203.0.113.7'], operations: [] };
  elsewhere = await keyWith({ ...nowhere, origins: ['https://order.example'] });
  otherOrigin = await keyWith({ operations: [], origins: ['https://order.example'] });
  reader = await keyWith({ operations: [] });
  exhausted = await keyWith(nowhere, { rateLimit: { rps: 1, burst: 1 } });
  await tenant.with(exhausted).get('/leads/none').expect(403);
});
afterAll(() => service.stop());

/** The faults of a request; those after the expected one must not matter. */
interface Faults {
  readonly method?: string;
  readonly suffix?: string;
  readonly key?: string;
  readonly type?: string;
  readonly length?: number;
  readonly body?: string;
  readonly query?: string;
  readonly id?: string;
}

const tooLarge = 2_000_000;
const unparsable = { type: 'text/plain', length: tooLarge, body: '{' };

async function codeOf({ method, path, hasBody }: Route, faults: Faults): Promise<string> {
  const { suffix = '', key, body = '{', query = '?nonsense=1', id = 'nothing' } = faults;
  const url = `/${basePath}${path.replaceAll(/\{\w+\}/g, id)}${suffix}${query}`;
  const { type = 'application/json', length = body.length } = faults;
  const headers = ['Host: x', ...(key === undefined ? [] : [`api-key: ${key}`])];
  const bodyHeaders = [`Content-Type: ${type}`, `Content-Length: ${length}`];
  const sendsBody = hasBody || faults.method !== undefined;
  if (sendsBody) headers.push(...bodyHeaders);
  const padded = length > body.length ? body.padEnd(length) : body;
  const line = `${faults.method ?? method} ${url} HTTP/1.1`;
  const response = await sendRaw(service.url, line, headers, sendsBody ? padded : '');
  return `${response.status} ${response.headers['x-error-code']}`;
}

/** A value that no field of a body accepts. */
const wrong = { wrong: [] };
const hasId = ({ path }: Route) => path.includes('{');

/** A request that only validation refuses, though its ids are unknown. */
function invalid({ name, method, positions }: Route): Faults {
  if (method === 'DELETE') return { id: 'a%00b', query: '' };
  if (method !== 'POST') return { query: name === 'GET /compounds' ? '?page=0' : '?nonsense=1' };
  const fields = positions.flatMap(({ place, steps }) => (place === 'body' ? [steps[0]] : []));
  return { body: JSON.stringify(Object.fromEntries(fields.map((field) => [field, wrong]))) };
}

describe('the first failed check decides the response', () => {
  describe.each(all)('$name', (route) => {
    it('to another method and to another path, whatever else is wrong', async () => {
      expect(await codeOf(route, { method: 'PUT', ...unparsable })).toBe(
        '405 route.method_not_allowed',
      );
      expect(await codeOf(route, { suffix: '/', ...unparsable })).toBe('404 route.not_found');
    });
  });

  describe.each(routes)('$name', (route) => {
    it('to a missing or unknown key, before limits, permissions and the body', async () => {
      expect(await codeOf(route, unparsable)).toBe('401 key.missing');
      expect(await codeOf(route, { key: 'unknown', ...unparsable })).toBe('401 key.invalid');
    });

    it('to a key beyond its rate, then from elsewhere, then from another origin', async () => {
      const codes = [];
      for (const key of [exhausted, elsewhere, otherOrigin]) {
        codes.push(await codeOf(route, { key, ...unparsable }));
      }
      expect(codes).toEqual([
        '429 request.rate_limited',
        '403 authentication.address_not_permitted',
        '403 authentication.origin_not_permitted',
      ]);
    });

    it('to values that break rules, before it looks for the record', async () => {
      expect(await codeOf(route, { key: tenant.key, ...invalid(route) })).toBe(
        '400 validation.failed',
      );
    });
  });

  it.each(routes.filter(({ keyOperation }) => keyOperation !== null))(
    '$name: to a key without the operation, before the body',
    async (route) => {
      expect(await codeOf(route, { key: reader, ...unparsable })).toBe(
        '403 authentication.operation_not_permitted',
      );
    },
  );

  describe.each(routes.filter(({ hasBody }) => hasBody))('$name', (route) => {
    it('to a body that cannot be read, by its length, its type, its text', async () => {
      const codes = [];
      for (const faults of [unparsable, { type: 'text/plain' }, {}, { body: '[]' }]) {
        codes.push(await codeOf(route, { key: tenant.key, ...faults }));
      }
      expect(codes).toEqual([
        '413 request.body_too_large',
        '415 request.unsupported_media_type',
        '400 request.malformed_json',
        '400 request.body_not_object',
      ]);
    });
  });

  it.each(routes.filter(hasId))('$name: to an unknown record', async (route) => {
    const query = route.method === 'GET' ? '' : '?nonsense=1';
    expect(await codeOf(route, { key: tenant.key, query })).toMatch(/^404 \w+\.not_found$/);
  });

  it('to a callback: validation, then existence, then state', async () => {
    const unitId = await tenant.add(addUnit, { status: 'Sold' });
    const approved = await tenant.add(addReservation, unitId, { status: 'approved' });
    const codes = [];
    for (const report of [
      { reservationId: 'none', reservationStatus: 'unheard' },
      { reservationId: 'none', reservationStatus: 'approved' },
      { reservationId: approved.toHexString(), reservationStatus: 'approved' },
    ]) {
      const { headers } = await tenant.post('/reservations/webhook', report);
      codes.push(headers['x-error-code']);
    }
    expect(codes).toEqual([
      'validation.failed',
      'reservation.not_found',
      'reservation.not_pending_cheque_collection',
    ]);
  });
});

it('each handler of a controller is one of these routes', () => {
  const reflector = service.service.app.get(Reflector);
  const modules = [...service.service.app.get(ModulesContainer).values()];
  const prototypes = modules
    .flatMap(({ controllers }) => [...controllers.values()])
    .map(({ metatype }) => metatype?.prototype as Record<string, object>);
  const handlers = prototypes.flatMap((prototype) =>
    Object.getOwnPropertyNames(prototype).filter(
      (name) => reflector.get<unknown>('method', prototype[name] as () => void) !== undefined,
    ),
  );
  expect(handlers).toHaveLength(all.length);
});
