import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { operations, unimpliedOperations } from '../../src/tenants/keys/operations.js';
import { addKey } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { documentedOperations } from '../support/operations.js';
import type { TenantApi } from '../support/tenant-api.js';
import { startTestService, type TestService } from '../support/test-service.js';

let service: TestService;
let tenant: TenantApi;
const commands: string[] = [];

beforeAll(async () => {
  service = await startTestService({ TRUST_PROXY: 'true', RATE_LIMIT_RPS: '1000' });
  tenant = await service.addTenant();
  const id = tenant.organizationId.toHexString();
  service.tenantCommands.onCommand(({ name, collection, organizations }) => {
    if (organizations?.includes(id)) commands.push(`${name} ${collection}`);
  });
});
afterAll(() => service.stop());

const keyRoutes = documentedOperations().filter(({ needsKey }) => needsKey);
const routes = keyRoutes.filter(({ keyOperation }) => keyOperation !== null);
type Route = (typeof routes)[number];

/** Sends a request that no endpoint executes, because its body is not JSON and its ids are unknown. */
function send({ method, path, hasBody }: Route, key: string, address = '10.1.2.3') {
  const request = service
    .api(method.toLowerCase() as 'get', path.replaceAll(/\{\w+\}/g, 'nothing'))
    .set({ 'api-key': key, 'x-forwarded-for': address, 'idempotency-key': 'once' });
  return hasBody ? request.set('content-type', 'application/json').send('{') : request;
}

/** Stores a key as another program could, with permissions of any type. */
const keyWith = (permissions: object): Promise<string> => {
  const stored = { permissions: { allowExternal: true, ...permissions } };
  return tenant.add(addKey, stored, { bypassDocumentValidation: true });
};
const permitted = [200, 400, 404];
const unimplied: ReadonlySet<string> = unimpliedOperations;

/** Returns the parts of a response that depend on restrictions. */
const summary = ({ body, headers }: Response) => ({
  body: body as unknown,
  code: headers['x-error-code'],
  isCounted: headers['ratelimit'] !== undefined,
});

const refusal = (message: string, code: string) => ({
  body: { statusCode: 403, message, error: 'Forbidden' },
  code,
  isCounted: true,
});

const operationRefused = ({ keyOperation }: Route) =>
  refusal(`This API key does not permit ${keyOperation}`, 'authentication.operation_not_permitted');

const addressRefused = refusal(
  'This API key may not be used from this address',
  'authentication.address_not_permitted',
);

describe('the operations of a key', () => {
  it('match the operations that endpoints require', () => {
    const needed = new Set(routes.map(({ keyOperation }) => keyOperation));
    expect([...needed].toSorted()).toEqual([...operations].toSorted());
  });

  it.each(operations)('permit only %s, and reject others without a query', async (operation) => {
    const key = await keyWith({ operations: [operation] });
    // These requests also cache the key, so that the refusals below need no query.
    const allowed = routes.filter(({ keyOperation }) => keyOperation === operation);
    for (const route of allowed) expect(permitted).toContain((await send(route, key)).status);
    commands.length = 0;
    for (const route of routes.filter((one) => !allowed.includes(one))) {
      expect(summary(await send(route, key))).toEqual(operationRefused(route));
    }
    expect(commands).toEqual([]);
  });

  it.each([{}, { operations: null }])(
    'permit all but the unimplied operations when none are stored: %j',
    async (permissions) => {
      const key = await keyWith(permissions);
      for (const route of routes) {
        const response = await send(route, key);
        if (!unimplied.has(String(route.keyOperation)))
          expect(permitted).toContain(response.status);
        else expect(summary(response)).toEqual(operationRefused(route));
      }
    },
  );

  it('do not depend on readEvents, which earlier versions stored', async () => {
    const key = await keyWith({ readEvents: true });
    const { body } = await tenant.with(key).get('/events').expect(403);
    expect(body.message).toBe('This API key does not permit events.read');
  });

  it.each([
    [[]],
    [['leads.*', 'LEADS.READ', 7, null]],
    ['leads.read'],
    [{ 0: 'leads.read' }],
    [true],
  ])('permit nothing when %j is stored', async (stored) => {
    const key = await keyWith({ operations: stored });
    for (const route of routes)
      expect(summary(await send(route, key))).toEqual(operationRefused(route));
  });

  it('are not needed to read the key itself', async () => {
    const key = await keyWith({ operations: [] });
    const [route, ...others] = keyRoutes.filter(({ keyOperation }) => keyOperation === null);
    expect([route?.name, others]).toEqual(['GET /key', []]);
    expect((await send(route as Route, key)).status).toBe(200);
  });

  it('apply to HEAD, and to a key in the query of the callback', async () => {
    const key = await keyWith({ operations: ['leads.write'] });
    const units = `${service.url}/external/apis/v1.0/units`;
    const head = await fetch(units, { method: 'HEAD', headers: { 'api-key': key } });
    expect(head.status).toBe(403);
    const callback = service.api('post', `/reservations/webhook?api-key=${key}`);
    const { body } = await callback.set('language', 'ar-eg').send({}).expect(403);
    expect(body.message).toBe('This API key does not permit reservations.callback');
  });

  it('change within seconds for a key in use', async () => {
    const { get } = tenant.with(await keyWith({ operations: ['leads.read'] }));
    await get('/leads/none').expect(404);
    await tenant.set('apiKeys', {}, { 'permissions.operations': ['leads.write'] });
    await eventually(() => get('/leads/none').expect(403));
  });
});

describe('the allowed addresses of a key', () => {
  const anyRoute = routes[0] as Route;
  const cases: readonly (readonly [stored: unknown, address: string, isPermitted: boolean])[] = [
    [null, '203.0.113.9', true],
    [['203.0.113.9'], '203.0.113.9', true],
    [['203.0.113.9'], '203.0.113.8', false],
    [['203.0.113.9'], '::ffff:203.0.113.9', true],
    [['::ffff:203.0.113.9'], '203.0.113.9', true],
    [['::ffff:203.0.113.0/120'], '203.0.113.77', true],
    [['203.0.113.0/24', '198.51.100.7/32'], '203.0.113.255', true],
    [['203.0.113.0/24', '198.51.100.7/32'], '198.51.100.7', true],
    [['203.0.113.77/24'], '203.0.113.1', true],
    [['0.0.0.0/0'], '203.0.113.1', true],
    [['0.0.0.0/0'], '2001:db8::1', false],
    [['2001:db8::/32'], '2001:DB8:1::1', true],
    [['2001:db8::/32'], '2001:db9::1', false],
    [['2001:db8::1'], '2001:db8:0:0:0:0:0:1', true],
    [['0.0.0.0/0', '::/0'], 'unknown', false],
    [[], '203.0.113.1', true],
    [[7], '203.0.113.1', false],
    [['203.0.113.1', 7], '203.0.113.1', true],
    ['203.0.113.1', '203.0.113.1', false],
    [{ 0: '203.0.113.1' }, '203.0.113.1', false],
    [['203.0.113.1/33', '203.0.113', '203.0.113.1/', '10', 'localhost', 7], '203.0.113.1', false],
    [['nonsense', '203.0.113.1'], '203.0.113.1', true],
  ];

  it.each(cases)('%j permit a request from %s: %s', async (stored, address, isPermitted) => {
    const key = await keyWith({ addresses: stored, operations: [...operations] });
    const response = await send(anyRoute, key, address);
    if (isPermitted) expect(permitted).toContain(response.status);
    else expect(summary(response)).toEqual(addressRefused);
  });

  it('are checked for every endpoint before its operation', async () => {
    const key = await keyWith({ addresses: ['203.0.113.0/24'], operations: ['leads.read'] });
    for (const route of keyRoutes) {
      const elsewhere = await send(route, key, '198.51.100.1');
      expect(summary(elsewhere)).toEqual(addressRefused);
      const response = await send(route, key, '203.0.113.1');
      if ([null, 'leads.read'].includes(route.keyOperation))
        expect(permitted).toContain(response.status);
      else expect(summary(response)).toEqual(operationRefused(route));
    }
  });
});
