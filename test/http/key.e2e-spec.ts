import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operations, unimpliedOperations } from '../../src/tenants/keys/operations.js';
import { addKey } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { sharedService } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';
import { startTestService, type TestService } from '../support/test-service.js';

const service = sharedService();
let limited: TestService;
let tenant: TenantApi;

beforeAll(async () => {
  limited = await startTestService({ RATE_LIMIT_RPS: '7', RATE_LIMIT_BURST: '9' });
  tenant = await limited.addTenant();
});
afterAll(() => limited.stop());

/** Stores a key as another program could, with values of any type. */
const newKey = ({ permissions = {}, ...fields }: Record<string, object | string | Date | null>) =>
  tenant.add(
    addKey,
    { permissions: { allowExternal: true, ...(permissions as object) }, ...fields },
    { bypassDocumentValidation: true },
  );

const dataOf = async (key: string) =>
  (await tenant.with(key).get('/key').expect(200)).body.data as Record<string, unknown>;

describe('GET /key', () => {
  it('returns what the key permits, in every field', async () => {
    const expiresAt = new Date('2099-01-31T00:00:00Z');
    const permissions = { operations: ['units.write', 'catalogue.read', 'unheard'] };
    const key = await newKey({ name: 'CRM', permissions, expiresAt });
    const { _id } = await tenant.storedOne('apiKeys', { name: 'CRM' });
    const { body } = await tenant.with(key).get('/key').set('language', 'ar').expect(200);
    expect(body).toEqual({
      data: {
        _id: String(_id),
        name: 'CRM',
        organization: { _id: tenant.organizationId.toHexString(), name: 'Nile Homes' },
        operations: ['catalogue.read', 'units.write'],
        visibility: 'all',
        signed: false,
        expiresAt: '2099-01-31T00:00:00.000Z',
        rateLimit: { requestsPerSecond: 7, burst: 9 },
        language: 'ar-eg',
      },
    });
  });

  it.each<[object, object]>([
    [{ rateLimit: { rps: 3, burst: 4 } }, { rateLimit: { requestsPerSecond: 3, burst: 4 } }],
    [{ rateLimit: { rps: 0, burst: 1 } }, { rateLimit: null }],
    [{ rateLimit: { rps: -1, burst: 1 } }, { rateLimit: { requestsPerSecond: 7, burst: 9 } }],
    [{ permissions: { visibility: 'public' } }, { visibility: 'public' }],
    [{ permissions: { visibility: 'all' } }, { visibility: 'all' }],
    [{ permissions: { operations: [] } }, { operations: [] }],
    [{ name: 7 }, { name: '' }],
  ])('for a key with %j returns %j', async (stored, shown) => {
    expect(await dataOf(await newKey(stored as never))).toMatchObject(shown);
  });

  it('names the operations of a key without a list', async () => {
    const implied = operations.filter((operation) => !unimpliedOperations.has(operation));
    expect(await dataOf(await newKey({}))).toMatchObject({ operations: implied, expiresAt: null });
  });

  it('needs a valid key', async () => {
    await limited.api('get', '/key').expect(401);
    await tenant.with('unknown').get('/key').expect(401);
    await tenant
      .with(await newKey({ revokedAt: new Date(0) }))
      .get('/key')
      .expect(401);
  });

  it('refuses the addresses and origins that the key excludes', async () => {
    const elsewhere = await newKey({ permissions: { addresses: ['203.0.113.7'] } });
    const { headers } = await tenant.with(elsewhere).get('/key').expect(403);
    expect(headers['x-error-code']).toBe('authentication.address_not_permitted');
    const origin = 'https://key.example';
    const { get } = tenant.with(await newKey({ permissions: { origins: [origin] } }));
    const other = await get('/key').expect(403);
    expect(other.headers['x-error-code']).toBe('authentication.origin_not_permitted');
    const { body } = await get('/key').set('origin', origin).expect(200);
    expect(body.data.operations).toEqual(['leads.write']);
  });

  it('has an entity tag, and refuses unknown parameters', async () => {
    const { get } = tenant.with(await newKey({}));
    const { headers } = await get('/key').expect(200);
    expect(headers['etag']).toMatch(/^"[\w-]+"$/);
    await get('/key')
      .set('if-none-match', headers['etag'] ?? '')
      .expect(304);
    await get('/key?fields=name').expect(400);
  });

  it('shows a change within five seconds', async () => {
    const { get, organizationId } = await service.addTenant();
    await get('/key').expect(200);
    await service.db
      .collection('apiKeys')
      .updateOne({ organizationId }, { $set: { name: 'Renamed' } });
    await eventually(async () => expect((await get('/key')).body.data.name).toBe('Renamed'), 5_000);
  });
});
