import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { addKey, addLead, addTenant, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { openSocket, rawRequest } from '../support/raw-http.js';
import { basePath } from '../support/shared-service.js';
import { startTestService, type TestService } from '../support/test-service.js';

let service: TestService;
let tenant: Tenant;

beforeAll(async () => {
  service = await startTestService();
  tenant = await addTenant(service.db);
});
afterAll(() => service.stop());

const read = (key?: string | string[]) => {
  const request = service.api('get', '/leads/none');
  return key === undefined ? request : request.set('api-key', key as string);
};
const denied = (message: string) => ({ statusCode: 401, message, error: 'Unauthorized' });
const notProvided = denied('Access Denied, API key not provided');
const notValid = denied('Access Denied, API key not valid');
const hour = 3_600_000;

describe('an API key', () => {
  it('returns 401 when it is missing', async () => {
    expect((await read().expect(401)).body).toEqual(notProvided);
    expect((await read('').expect(401)).body).toEqual(notProvided);
  });

  it('is ignored outside the header', async () => {
    const { body } = await service.api('get', `/leads/none?api-key=${tenant.key}`).expect(401);
    expect(body).toEqual(notProvided);
  });

  it('is accepted when it is valid', async () => {
    await read(tenant.key).expect(404);
  });

  it.each<[string, object]>([
    ['is revoked', { revokedAt: new Date(Date.now() - hour) }],
    ['has expired', { expiresAt: new Date(Date.now() - 1) }],
    ['has no external access', { permissions: { allowExternal: false } }],
    ['has no permissions', { permissions: {} }],
    ['has a permission that is not a boolean', { permissions: null }],
  ])('returns 401 when it %s', async (_, fields) => {
    const key = await addKey(service.db, tenant.organizationId, fields);
    expect((await read(key).expect(401)).body).toEqual(notValid);
  });

  it('is accepted before it expires', async () => {
    const expiresAt = new Date(Date.now() + hour);
    await read(await addKey(service.db, tenant.organizationId, { expiresAt })).expect(404);
  });

  it('returns 401 when it is unknown, sent twice, or almost right', async () => {
    const wrong = [
      'nope',
      `${tenant.key}x`,
      tenant.key.toUpperCase(),
      `${tenant.key}, ${tenant.key}`,
    ];
    for (const key of wrong) expect((await read(key).expect(401)).body).toEqual(notValid);
  });

  it('returns 401 when its organization is deleted', async () => {
    const other = await addTenant(service.db);
    await service.db
      .collection('organizations')
      .updateOne({ _id: other.organizationId }, { $set: { isDeleted: true } });
    expect((await read(other.key).expect(401)).body).toEqual(notValid);
  });

  it('returns 401 in the language of the request', async () => {
    const { body } = await read('nope').set('language', 'ar-eg').expect(401);
    expect(body.message).toBe('تم رفض الوصول، مفتاح API غير صالح');
  });

  it('returns 401 within five seconds after its revocation', async () => {
    const key = await addKey(service.db, tenant.organizationId);
    await read(key).expect(404);
    await service.db
      .collection('apiKeys')
      .updateMany({ organizationId: tenant.organizationId }, { $set: { revokedAt: new Date() } });
    await eventually(() => read(key).expect(401), 5_000);
    await service.db
      .collection('apiKeys')
      .updateMany({ organizationId: tenant.organizationId }, { $set: { revokedAt: null } });
  });

  it('stores the time of its last use', async () => {
    const key = await addKey(service.db, tenant.organizationId, { name: 'Used' });
    const lastUsedAt = async () =>
      (await service.db.collection('apiKeys').findOne({ name: 'Used' }))?.['lastUsedAt'];
    expect(await lastUsedAt()).toBeNull();
    await read(key).expect(404);
    await eventually(async () => expect(await lastUsedAt()).toBeInstanceOf(Date));
  });

  it.each([{ revokedAt: new Date(0) }, { expiresAt: new Date(0) }, { permissions: {} }])(
    'with %j is not stored as used when it is rejected',
    async (fields) => {
      const name = JSON.stringify(fields);
      await read(await addKey(service.db, tenant.organizationId, { name, ...fields })).expect(401);
      // A use that is noted is noted before the next key's, which is waited for.
      const other = await addKey(service.db, tenant.organizationId, { name: `${name} other` });
      await read(other).expect(404);
      const used = (key: string) => service.db.collection('apiKeys').findOne({ name: key });
      await eventually(async () => {
        expect((await used(`${name} other`))?.['lastUsedAt']).toBeInstanceOf(Date);
      });
      expect((await used(name))?.['lastUsedAt']).toBeNull();
    },
  );

  it('can contain any UTF-8 text', async () => {
    const key = 'مفتاح-🔑-é';
    const hash = createHash('sha256').update(key).digest('hex');
    await addKey(service.db, tenant.organizationId, { hash });
    await read(Buffer.from(key).toString('latin1')).expect(404);
  });

  it('is valid for its own request only on a shared connection', async () => {
    const other = await addTenant(service.db);
    const recordSystemId = 'of one connection';
    await addLead(service.db, tenant.organizationId, { recordSystemId, leadId: 101 });
    await addLead(service.db, other.organizationId, { recordSystemId, leadId: 202 });
    const path = `/${basePath}/leads/${encodeURIComponent(recordSystemId)}`;
    const keys = [tenant.key, tenant.key, other.key, 'nobody', 'x'.repeat(200), tenant.key];
    const requests = keys.map((key) => rawRequest(`GET ${path}`, [`api-key: ${key}`]));
    const socket = openSocket(service.url);
    let text = '';
    for (const [index, one] of requests.entries()) {
      socket.write(one);
      while (text.split('HTTP/1.1 ').length < index + 2 || !text.endsWith('}')) {
        text += String((await once(socket, 'data'))[0]);
      }
    }
    socket.destroy();
    const found = text.split('HTTP/1.1 ').slice(1);
    expect(found.map((one) => Number(one.slice(0, 3)))).toEqual([200, 200, 200, 401, 401, 200]);
    const numbers = found.map((one) => /"leadId":(\d+)/.exec(one)?.[1]);
    expect(numbers).toEqual(['101', '101', '202', undefined, undefined, '101']);
  });
});

describe('ENFORCE_API_DOMAIN', () => {
  it('accepts a key only on the domain of its organization', async () => {
    const strict = await startTestService({ ENFORCE_API_DOMAIN: 'true' });
    const { key } = await addTenant(strict.db, { apiDomain: 'api.Nile.example' });
    const on = (host: string) =>
      strict.api('get', '/leads/none').set('api-key', key).set('host', host);
    await on('api.nile.example').expect(404);
    await on('API.NILE.EXAMPLE:8443').expect(404);
    expect((await on('api.other.example').expect(401)).body).toEqual(notValid);
    const forwarded = on('api.other.example').set('x-forwarded-host', 'api.nile.example');
    await forwarded.expect(401);
    await strict.stop();
  });
});
