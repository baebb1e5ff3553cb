import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Metrics } from '../../src/core/observability/metrics.js';
import { RequestRecorder } from '../../src/operator/request-log/request-recorder.js';
import { startOpsListener } from '../../src/start.js';
import { operations } from '../../src/tenants/keys/operations.js';
import { startTcpProxy } from '../faults/support/tcp-proxy.js';
import { valueIn } from '../operations/metrics-text.js';
import { addKey } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { logLinesWith } from '../support/log-lines.js';
import { documentedOperations } from '../support/operations.js';
import { basePath } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';
import { randomDatabaseUri, startTestService, type TestService } from '../support/test-service.js';

const nile = 'https://nile.example';
const www = 'https://www.nile.example';
const palm = 'https://palm.example';
const local = 'http://localhost:3000';
const unknown = 'https://unknown.example';

let service: TestService;
let tenant: TenantApi;
let key: string;
let plainKey: string;
const commands: string[] = [];

/** Stores a key as another program could, with permissions of any type. */
const keyWith = (permissions: object, fields: object = {}): Promise<string> => {
  const stored = { permissions: { allowExternal: true, ...permissions }, ...fields };
  return tenant.add(addKey, stored, { bypassDocumentValidation: true });
};
const past = new Date(Date.now() - 1_000);
const future = new Date(Date.now() + 3_600_000);

/** Origins that a key of one kind alone names, and whether their pages may send requests. */
const named: readonly (readonly [origin: string, isKnown: boolean, fields: object])[] = [
  ['https://expires.example', true, { expiresAt: future }],
  ['https://expired.example', false, { expiresAt: past }],
  ['https://revoked.example', false, { revokedAt: past }],
  ['https://revoked-later.example', true, { revokedAt: future }],
  ['https://odd-expiry.example', false, { expiresAt: 'never' }],
];
const oddOrigins = ['*', 'null', 'https://*.odd.example', 'https://odd.example/', 7, null];

beforeAll(async () => {
  service = await startTestService(
    { RATE_LIMIT_RPS: '1000', DATABASE_DEADLINE_MS: '3000' },
    randomDatabaseUri(),
  );
  // It also starts the request log.
  await startOpsListener(service.service);
  tenant = await service.addTenant();
  key = await keyWith({ operations: ['leads.write'], origins: [nile, www, local] });
  plainKey = await keyWith({ operations: [...operations] });
  await keyWith({ operations: ['leads.write'], origins: [palm] });
  await keyWith({ operations: ['leads.write'], origins: oddOrigins });
  await keyWith({ origins: 'https://text.example' });
  await keyWith({ origins: ['https://internal.example'], allowExternal: false });
  for (const [origin, , fields] of named) {
    await keyWith({ operations: ['leads.write'], origins: [origin] }, fields);
  }
  service.tenantCommands.onCommand(({ name, collection }) =>
    commands.push(`${name} ${collection}`),
  );
});
afterAll(() => service.stop());

const send = (path: string, method: string, headers: Record<string, string>, body?: string) =>
  fetch(`${service.url}/${basePath}${path}`, { method, headers, ...(body && { body }) });

const preflight = (origin: string, path = '/leads', method = 'POST') =>
  send(path, 'OPTIONS', {
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': 'api-key,content-type',
  });

const lead = JSON.stringify({ recordSystemId: 'form-1', name: 'Mona', fullName: 'x' });

/** Sends a lead as a page of this origin does, and returns what decides whether the page can read the response. */
async function post(origin: string | null, headers: Record<string, string> = {}, body = lead) {
  const response = await send(
    '/leads',
    'POST',
    {
      'content-type': 'application/json',
      ...(origin !== null && { origin }),
      ...headers,
    },
    body,
  );
  return {
    status: response.status,
    code: response.headers.get('x-error-code'),
    allowed: response.headers.get('access-control-allow-origin'),
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}

const corsHeaders = (headers: Headers) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));

describe('a preflight', () => {
  it.each([nile, www, palm, local])(
    'from %s, which a key names, returns 204 with the methods and headers',
    async (origin) => {
      for (const path of ['/leads', '/leads/batch', '/leads?x=1']) {
        const { status, headers } = await preflight(origin, path);
        expect([status, corsHeaders(headers)]).toEqual([
          204,
          {
            'access-control-allow-origin': origin,
            'access-control-allow-methods': 'POST',
            'access-control-allow-headers':
              'api-key, content-type, idempotency-key, language, x-request-id',
            'access-control-expose-headers': expect.stringContaining('x-error-code'),
            'access-control-max-age': '600',
          },
        ]);
        expect(headers.get('vary')).toMatch(/\borigin\b/i);
      }
    },
  );

  it.each([
    unknown,
    'null',
    '*',
    'http://nile.example',
    'https://nile.example:8443',
    'https://NILE.example',
    'https://nile.example/',
    'https://x.nile.example',
    'https://*.odd.example',
    'https://odd.example/',
    'https://text.example',
    'https://internal.example',
    'http://localhost',
  ])('from %s, which no key names, returns 405 and permits nothing', async (origin) => {
    const { status, headers } = await preflight(origin);
    expect([status, headers.get('x-error-code'), corsHeaders(headers)]).toEqual([
      405,
      'route.preflight_refused',
      {},
    ]);
    expect(headers.get('vary')).toMatch(/\borigin\b/i);
  });

  it.each(named)('from %s returns 204: %s', async (origin, isKnown) => {
    expect((await preflight(origin)).status).toBe(isKnown ? 204 : 405);
  });

  it('to any other endpoint returns 405', async () => {
    const paths = documentedOperations()
      .filter(({ keyOperation }) => keyOperation !== 'leads.write')
      .map(({ path }) => path.replaceAll(/\{\w+\}/g, 'x'))
      .filter((path) => path !== '/leads');
    for (const path of paths) {
      const { status, headers } = await preflight(nile, path);
      expect([path, status, corsHeaders(headers)]).toEqual([path, 405, {}]);
      expect(headers.get('vary')).not.toMatch(/\borigin\b/i);
    }
    for (const path of ['/nothing', '/leads/']) {
      const { status, headers } = await preflight(nile, path);
      expect([path, status, corsHeaders(headers)]).toEqual([path, 404, {}]);
      expect(headers.get('x-error-code')).toBe('route.not_found');
    }
  });

  it('for another method than POST returns 405', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'post', '']) {
      expect([method, (await preflight(nile, '/leads', method)).status]).toEqual([method, 405]);
    }
    const { status, headers } = await send('/leads', 'OPTIONS', { origin: nile });
    expect([status, headers.get('x-error-code')]).toEqual([405, 'route.method_not_allowed']);
  });

  it('needs one query for any number of origins within three seconds', async () => {
    const loads = () => valueIn(service.service.app.get(Metrics), 'page_origin_loads_total');
    const before = (await loads()) ?? 0;
    commands.length = 0;
    const origins = Array.from({ length: 1_000 }, (_, index) => `https://x${index}.example`);
    const startedAt = performance.now();
    const responses = await Promise.all(origins.map((origin) => preflight(origin)));
    const most = 1 + Math.ceil((performance.now() - startedAt) / 3_000);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([405]));
    const queries = commands.filter((command) => command === 'find apiKeys').length;
    expect(queries).toBeLessThanOrEqual(most);
    expect(((await loads()) ?? 0) - before).toBe(queries);
    expect(await valueIn(service.service.app.get(Metrics), 'page_origins')).toBe(6);
  });

  it('knows a new origin, and forgets the one of a revoked key, within five seconds', async () => {
    const origin = 'https://new.example';
    const isKnown = async () => (await preflight(origin)).status === 204;
    expect(await isKnown()).toBe(false);
    await keyWith({ operations: ['leads.write'], origins: [origin] }, { name: 'New' });
    await eventually(async () => expect(await isKnown()).toBe(true), 5_000);
    await tenant.set('apiKeys', { name: 'New' }, { revokedAt: new Date() });
    await eventually(async () => expect(await isKnown()).toBe(false), 5_000);
  });
});

describe('a request of a page', () => {
  it.each([nile, www, local])('from %s sends a lead and can be read', async (origin) => {
    const response = await post(origin, { 'api-key': key });
    expect([200, 201]).toContain(response.status);
    expect(response.allowed).toBe(origin);
    expect(response.headers.get('access-control-expose-headers')?.split(', ')).toEqual([
      'x-request-id',
      'x-error-code',
      'x-ignored-fields',
      'idempotent-replayed',
      'retry-after',
      'ratelimit',
      'ratelimit-policy',
    ]);
    expect(response.headers.get('x-ignored-fields')).toBe('fullName');
    expect(response.headers.get('vary')).toMatch(/\borigin\b/i);
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  });

  it.each([palm, unknown, 'null', 'HTTPS://nile.example', `${nile}, ${www}`, null])(
    'from %s, which its key does not name, returns 403 and stores nothing',
    async (origin) => {
      commands.length = 0;
      const response = await post(origin, { 'api-key': key }, '{"recordSystemId":"elsewhere"}');
      const { status, code, allowed, body } = response;
      expect([status, code, allowed]).toEqual([
        403,
        'authentication.origin_not_permitted',
        origin === palm ? palm : null,
      ]);
      const message = 'This API key may not be used from this origin';
      expect(body).toEqual({ statusCode: 403, message, error: 'Forbidden' });
      expect(await tenant.count('leads', { recordSystemId: 'elsewhere' })).toBe(0);
    },
  );

  it('from another origin is logged with its key, for the operator too', async () => {
    await post(palm, { 'api-key': key, 'x-request-id': 'from-palm' });
    const { _id } = await tenant.storedOne('apiKeys', { 'permissions.origins': nile });
    const errorCodes = ['authentication.origin_not_permitted'];
    await eventually(() =>
      expect(logLinesWith(service.logged(), 'from-palm')).toMatchObject([
        { status: 403, errorCodes, apiKeyId: String(_id) },
      ]),
    );
    await service.service.app.get(RequestRecorder).store();
    const [logged] = await tenant.stored('requestLog', { requestId: 'from-palm' });
    expect(logged).toMatchObject({ apiKeyId: _id, status: 403, errorCodes });
  });

  it('can read every error', async () => {
    const tooLarge = JSON.stringify({ name: 'x'.repeat(2_000_000) });
    const limited = await keyWith(
      { operations: ['leads.write'], origins: [nile] },
      { rateLimit: { rps: 1, burst: 1 } },
    );
    const nowhere = { operations: ['leads.write'], origins: [nile], addresses: ['203.0.113.7'] };
    await post(nile, { 'api-key': limited });
    const responses = [
      await post(nile, { 'api-key': key }, '{"email":"wrong"}'),
      await post(nile, { 'api-key': key }, '{'),
      await post(nile, {}),
      await post(nile, { 'api-key': 'unknown' }),
      await post(nile, { 'api-key': await keyWith(nowhere) }),
      await post(nile, { 'api-key': key }, tooLarge),
      await post(nile, { 'api-key': key, 'content-type': 'text/plain' }),
      await post(nile, { 'api-key': limited }),
    ];
    expect(responses.map(({ status, code, allowed }) => [status, code, allowed])).toEqual(
      [
        [400, 'validation.failed'],
        [400, 'request.malformed_json'],
        [401, 'key.missing'],
        [401, 'key.invalid'],
        [403, 'authentication.address_not_permitted'],
        [413, 'request.body_too_large'],
        [415, 'request.unsupported_media_type'],
        [429, 'request.rate_limited'],
      ].map((one) => [...one, nile]),
    );
    const arabic = await post(palm, { 'api-key': key, language: 'ar-eg' });
    expect(arabic.body['message']).toMatch(/Origin/);
  });

  it('stores one lead for the same Idempotency-Key, and can read the replay', async () => {
    const headers = { 'api-key': key, 'idempotency-key': 'form-2' };
    const body = JSON.stringify({ name: 'Twice' });
    const first = await post(nile, headers, body);
    const second = await post(www, headers, body);
    expect([first.status, second.status, second.allowed]).toEqual([201, 201, www]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
  });

  it('is compressed when asked for, with every part of vary', async () => {
    const data = { notes: 'long '.repeat(1_000) };
    const { headers, allowed } = await post(
      nile,
      { 'api-key': key, 'accept-encoding': 'gzip' },
      JSON.stringify({ recordSystemId: 'long', data }),
    );
    expect([headers.get('content-encoding'), allowed]).toEqual(['gzip', nile]);
    const vary = headers.get('vary')?.toLowerCase().split(', ') ?? [];
    expect(vary.toSorted()).toEqual(['accept-encoding', 'api-key', 'language', 'origin']);
  });

  it('cannot be read with a key without origins, which works as on a server', async () => {
    for (const origin of [nile, unknown]) {
      const { status, allowed } = await post(origin, { 'api-key': plainKey });
      expect([status, allowed]).toEqual([200, null]);
    }
    const { headers } = await send('/leads/form-1', 'GET', { origin: nile, 'api-key': plainKey });
    expect(corsHeaders(headers)).toEqual({});
  });

  it('cannot be read where it is no POST of a lead', async () => {
    for (const [path, method] of [
      ['/leads/form-1', 'GET'],
      ['/leads/form-1', 'HEAD'],
      ['/key', 'GET'],
    ] as const) {
      const { headers } = await send(path, method, { origin: nile, 'api-key': key });
      expect([path, corsHeaders(headers)]).toEqual([path, {}]);
    }
  });
});

describe('a key with origins', () => {
  it.each([[['leads.write', 'leads.read', 'leads.delete']], [null], [undefined]])(
    'permits leads.write alone when the stored operations are %j',
    async (stored) => {
      const { get, post: postWith } = tenant.with(
        await keyWith({ operations: stored, origins: [nile] }),
      );
      await postWith('/leads', { recordSystemId: 'form-1' }).set('origin', nile).expect(200);
      const { body } = await get('/leads/form-1').set('origin', nile).expect(403);
      expect(body.message).toBe('This API key does not permit leads.read');
    },
  );

  it.each([[['leads.read']], [[]]])('permits nothing when it may only %j', async (stored) => {
    const restricted = tenant.with(await keyWith({ operations: stored, origins: [nile] }));
    await restricted.post('/leads', { name: 'Mona' }).set('origin', nile).expect(403);
    await restricted.get('/leads/form-1').set('origin', nile).expect(403);
  });

  it.each([
    [oddOrigins],
    [nile],
    [{ 0: nile }],
    [true],
    [[`${nile}/`]],
    [['HTTPS://NILE.EXAMPLE']],
  ])('is closed when the stored origins are %j', async (origins) => {
    const closed = await keyWith({ operations: ['leads.write'], origins });
    for (const origin of [nile, '*', 'null', `${nile}/`, null]) {
      const { code } = await post(origin, { 'api-key': closed });
      expect(code).toBe('authentication.origin_not_permitted');
    }
  });

  it.each([[[]], [null]])('works as one without when %j is stored', async (origins) => {
    const open = await keyWith({ operations: ['leads.write'], origins });
    expect((await post(null, { 'api-key': open })).status).toBe(200);
  });

  it('is judged after its rate limit and addresses, and before its operations', async () => {
    const restricted = async (permissions: object, fields = {}) =>
      tenant
        .with(await keyWith({ operations: [], origins: [nile], ...permissions }, fields))
        .get('/leads/none')
        .then(({ headers }) => [headers['x-error-code'], headers['ratelimit'] !== undefined]);
    const addresses = ['203.0.113.7'];
    expect(await restricted({ addresses })).toEqual(['authentication.address_not_permitted', true]);
    expect(await restricted({})).toEqual(['authentication.origin_not_permitted', true]);
  });
});

it('a preflight, and the request after it, get a 503 in time from a hanging database', async () => {
  const uri = new URL(randomDatabaseUri());
  const port = Number(/mongodb-(\d+)\.sock/.exec(uri.href)?.[1]);
  const proxy = await startTcpProxy(port);
  const cut = await startTestService(
    { DATABASE_DEADLINE_MS: '3000' },
    `mongodb://127.0.0.1:${proxy.port}${uri.pathname}?directConnection=true`,
  );
  const other = await cut.addTenant();
  const permissions = { allowExternal: true, operations: ['leads.write'], origins: [nile] };
  const pageKey = await other.add(addKey, { permissions });
  const call = (method: string, headers: Record<string, string> = {}) =>
    fetch(`${cut.url}/${basePath}/leads`, {
      method,
      headers: { origin: nile, 'access-control-request-method': 'POST', ...headers },
      ...(method === 'POST' && { body: '{}' }),
    });
  proxy.pause();
  const startedAt = performance.now();
  const [first, ...others] = await Promise.all(Array.from({ length: 20 }, () => call('OPTIONS')));
  expect(performance.now() - startedAt).toBeLessThan(3_000);
  expect([first, ...others].map((response) => response?.status)).toEqual(Array(20).fill(503));
  expect(first?.headers.get('retry-after')).toBe('1');
  proxy.resume();
  await eventually(async () => expect((await call('OPTIONS')).status).toBe(204));

  // The origins that were known can still read the failure.
  proxy.pause();
  const sent = await call('POST', { 'api-key': pageKey, 'content-type': 'application/json' });
  expect([sent.status, sent.headers.get('access-control-allow-origin')]).toEqual([503, nile]);
  proxy.resume();
  await cut.stop();
  proxy.stop();
});
