import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { Client } from 'undici';
import { addKey, addLead } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { basePath } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';
import { startTestService, type TestService } from '../support/test-service.js';

let service: TestService;
let tenant: TenantApi;

beforeAll(async () => {
  service = await startTestService();
  tenant = await service.addTenant();
});
afterAll(() => service.stop());

const read = (key: string) => tenant.with(key).get('/leads/none');
const newKey = (fields: object) => tenant.add(addKey, fields);
const unauthorized = (message: string) => ({ statusCode: 401, message, error: 'Unauthorized' });
const notProvided = unauthorized('Access Denied, API key not provided');
const notValid = unauthorized('Access Denied, API key not valid');
const hour = 3_600_000;

describe('an API key', () => {
  it('is refused with 401 when it is missing, empty, or outside the header', async () => {
    const inQuery = service.api('get', `/leads/none?api-key=${tenant.key}`);
    for (const sent of [service.api('get', '/leads/none'), read(''), inQuery]) {
      expect((await sent.expect(401)).body).toEqual(notProvided);
    }
  });

  it.each<[string, object]>([
    ['is revoked', { revokedAt: new Date(Date.now() - hour) }],
    ['has expired', { expiresAt: new Date(Date.now() - 1) }],
    ['has no external access', { permissions: { allowExternal: false } }],
    ['has no permissions', { permissions: {} }],
    ['has null as permissions', { permissions: null }],
  ])('is refused with 401 and its last use is not stored when it %s', async (name, fields) => {
    expect((await read(await newKey({ ...fields, name })).expect(401)).body).toEqual(notValid);
    // Uses are stored in order: once the second key has one, the first would have one too.
    await read(await newKey({ name: `not ${name}` })).expect(404);
    await eventually(async () => {
      const other = await tenant.storedOne('apiKeys', { name: `not ${name}` });
      expect(other['lastUsedAt']).toBeInstanceOf(Date);
    });
    expect(await tenant.storedOne('apiKeys', { name })).toMatchObject({ lastUsedAt: null });
  });

  it('is accepted before it expires', async () => {
    await read(await newKey({ expiresAt: new Date(Date.now() + hour) })).expect(404);
  });

  it('is refused with 401 when it is unknown, sent twice, or slightly different', async () => {
    const { key } = tenant;
    for (const wrong of ['nope', `${key}x`, key.toUpperCase(), `${key}, ${key}`]) {
      expect((await read(wrong).expect(401)).body).toEqual(notValid);
    }
    const { body } = await read('nope').set('language', 'ar-eg').expect(401);
    expect(body.message).toBe('رُفض الوصول: مفتاح API غير صالح');
  });

  it('is refused with 401 when its organization is deleted', async () => {
    const other = await service.addTenant();
    const organization = { _id: other.organizationId };
    await service.db
      .collection('organizations')
      .updateOne(organization, { $set: { isDeleted: true } });
    expect((await other.get('/leads/none').expect(401)).body).toEqual(notValid);
  });

  it('is refused with 401 within five seconds after its revocation', async () => {
    const key = await newKey({ name: 'Revoked' });
    await read(key).expect(404);
    await tenant.set('apiKeys', { name: 'Revoked' }, { revokedAt: new Date() });
    await eventually(() => read(key).expect(401), 5_000);
  });

  it('is accepted with any UTF-8 text', async () => {
    const key = 'مفتاح-🔑-é';
    await newKey({ hash: createHash('sha256').update(key).digest('hex') });
    await read(Buffer.from(key).toString('latin1')).expect(404);
  });

  it('applies only to its own request on a shared connection', async () => {
    const other = await service.addTenant();
    await tenant.add(addLead, { recordSystemId: 'shared', leadId: 101 });
    await other.add(addLead, { recordSystemId: 'shared', leadId: 202 });
    const connection = new Client(service.url);
    let connections = 0;
    connection.on('connect', () => (connections += 1));
    const numbers: unknown[] = [];
    for (const key of [tenant.key, tenant.key, other.key, 'nobody', 'x'.repeat(200), tenant.key]) {
      const path = `/${basePath}/leads/shared`;
      const sent = { method: 'GET', path, headers: { 'api-key': key } } as const;
      const { statusCode, body } = await connection.request(sent);
      const { lead } = (await body.json()) as { lead?: { leadId: number } };
      numbers.push(lead?.leadId ?? statusCode);
    }
    await connection.close();
    expect([connections, numbers]).toEqual([1, [101, 101, 202, 401, 401, 101]]);
  });
});

describe('ENFORCE_API_DOMAIN', () => {
  it('accepts a key only on the domain of its organization', async () => {
    const strict = await startTestService({ ENFORCE_API_DOMAIN: 'true' });
    const { get } = await strict.addTenant({ apiDomain: 'api.Nile.example' });
    const requestTo = (host: string) => get('/leads/none').set('host', host);
    await requestTo('api.nile.example').expect(404);
    await requestTo('API.NILE.EXAMPLE:8443').expect(404);
    await requestTo('api.nile.example.').expect(404);
    await requestTo('api.nile.example.:8443').expect(404);
    await requestTo('api.nile.example..').expect(401);
    await requestTo('.').expect(401);
    const forwarded = requestTo('api.other.example').set('x-forwarded-host', 'api.nile.example');
    expect((await forwarded.expect(401)).body).toEqual(notValid);
    await strict.stop();
  });
});
