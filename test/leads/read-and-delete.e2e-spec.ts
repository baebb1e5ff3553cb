import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addTenant, type Tenant } from '../support/builders.js';
import { rounds } from '../support/rounds.js';
import { basePath, sharedService } from '../support/shared-service.js';

const service = sharedService();
let tenant: Tenant;
let other: Tenant;

beforeAll(async () => {
  tenant = await addTenant(service.db);
  other = await addTenant(service.db);
});

const post = (body: object) => service.api('post', '/leads').set('api-key', tenant.key).send(body);
const stored = (recordSystemId: string) =>
  service.db.collection('leads').findOne({ organizationId: tenant.organizationId, recordSystemId });
const at = (id: string) => `/leads/${encodeURIComponent(id)}`;
const read = (id: string, key = tenant.key) => service.api('get', at(id)).set('api-key', key);
const remove = (id: string, key = tenant.key) => service.api('delete', at(id)).set('api-key', key);

const notFound = { statusCode: 404, message: 'Lead not found', error: 'Not Found' };

describe('GET /leads?recordSystemId=', () => {
  beforeAll(async () => {
    tenant = await addTenant(service.db);
  });
  afterAll(async () => {
    tenant = await addTenant(service.db);
  });
  const find = (id: string) =>
    service
      .api('get', `/leads?recordSystemId=${encodeURIComponent(id)}`)
      .set('api-key', tenant.key);

  it('returns the same lead as the path for every id', async () => {
    const ids = fc.oneof(
      fc.constantFrom('.', '..', '../x', './.', '%2e%2e', '+', ' ', '&=?#', '[]', 'a,b', '\\'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
    );
    await fc.assert(
      fc.asyncProperty(ids, async (id) => {
        fc.pre(!id.includes('\0'));
        const sent = { recordSystemId: id, name: 'Mona' };
        const { body } = await post(sent);
        const found = await find(id).expect(200);
        expect(found.body).toEqual({ ok: true, lead: body.lead });
        expect(found.body.lead.recordSystemId).toBe(id);
        // These name another path.
        if (['.', '..'].includes(id)) return;
        const byPath = await read(id).expect(200);
        expect([byPath.text, byPath.headers['etag']]).toEqual([found.text, found.headers['etag']]);
      }),
      { numRuns: rounds(60, 1_000) },
    );
  });

  it('supports If-None-Match, HEAD, language and api-key', async () => {
    await post({ recordSystemId: '..', name: 'Mona' });
    const { headers } = await find('..').expect(200);
    await find('..').set('if-none-match', String(headers['etag'])).expect(304);
    const url = `${service.url}/${basePath}/leads?recordSystemId=..`;
    const head = await fetch(url, { method: 'HEAD', headers: { 'api-key': tenant.key } });
    expect([head.status, head.headers.get('etag')]).toEqual([200, headers['etag']]);
    const missing = await find('none').set('language', 'ar-eg').expect(404);
    expect(missing.body.message).toBe('العميل المحتمل غير موجود');
    expect((await find('none').expect(404)).body).toEqual(notFound);
    await find('..').set('api-key', 'nonsense').expect(401);
  });
});

describe('GET /leads/:recordSystemId', () => {
  it('returns the lead as the last POST returned it', async () => {
    const { body } = await post({ recordSystemId: 'read', name: 'Mona' });
    expect((await read('read').expect(200)).body).toEqual({ ok: true, lead: body.lead });
  });

  it.each([
    ['slashes', 'a/b//c'],
    ['percent signs', '100%25 %2F'],
    ['emoji', 'lead-🏠👨‍👩‍👧'],
    ['Arabic', 'عميل ١'],
    ['dots', '..'],
    ['question mark, hash, plus and space', 'a?b#c+d e'],
    ['1,000 characters with slashes, emoji and percent signs', 'x/🏠%'.repeat(200)],
    ['1,024 characters of three bytes', 'ع'.repeat(1_024)],
    ['1,024 characters of four bytes', '🏠'.repeat(1_024)],
  ])('finds an id with %s', async (_, id) => {
    await post({ recordSystemId: id, name: 'Mona' }).expect(201);
    expect((await read(id).expect(200)).body.lead.recordSystemId).toBe(id);
    expect((await remove(id).expect(200)).body.lead.recordSystemId).toBe(id);
  });

  it('returns 404 for an unknown id and for another organization', async () => {
    await post({ recordSystemId: 'ours' }).expect(201);
    expect((await read('unknown').expect(404)).body).toEqual(notFound);
    expect((await read('ours', other.key).expect(404)).body).toEqual(notFound);
  });

  it('rejects invalid percent-encoding', async () => {
    const path = service.api('get', '/leads/%E0%A4%A').set('api-key', tenant.key);
    const { body, headers } = await path.set('language', 'ar-eg').expect(400);
    expect(headers).toMatchObject({ 'content-language': 'ar-eg' });
    expect(body).toEqual({
      statusCode: 400,
      message: 'تعذّر فهم الطلب',
      error: 'Bad Request',
    });
  });
});

describe('DELETE /leads/:recordSystemId', () => {
  it('soft-deletes the lead once and returns its previous state', async () => {
    const { body } = await post({ recordSystemId: 'gone', name: 'Mona' });
    expect((await remove('gone').expect(200)).body).toEqual({
      ok: true,
      operation: 'delete',
      lead: body.lead,
    });
    expect(await stored('gone')).toMatchObject({
      isDeleted: true,
      deletedAt: expect.any(Date),
      isActive: true,
      leadId: body.lead.leadId,
    });
    expect((await remove('gone').expect(404)).body).toEqual(notFound);
    expect((await read('gone').expect(404)).body).toEqual(notFound);
  });

  it('allows a later POST to create a new lead', async () => {
    const first = await post({ recordSystemId: 'again', name: 'Old' }).expect(201);
    await remove('again').expect(200);
    const second = await post({ recordSystemId: 'again', email: 'new@example.com' }).expect(201);
    expect(second.body.lead.leadId).toBeGreaterThan(first.body.lead.leadId);
    expect(second.body.lead._id).not.toBe(first.body.lead._id);
    expect(second.body.lead.data).toEqual({ email: 'new@example.com' });
  });

  it('returns 404 for the lead of another organization', async () => {
    await post({ recordSystemId: 'kept' }).expect(201);
    expect((await remove('kept', other.key).expect(404)).body).toEqual(notFound);
    await read('kept').expect(200);
  });

  it.each(['application/json', 'application/x-www-form-urlencoded', 'text/plain', '?'])(
    'accepts the content type %s without a body',
    async (type) => {
      await post({ recordSystemId: 'typed' }).expect(201);
      await remove('typed').set('content-type', type).expect(200);
    },
  );
});
