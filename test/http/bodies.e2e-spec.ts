import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { addCompound, addTenant, type Tenant } from '../support/builders.js';
import { openSocket, readToEnd, sendRaw } from '../support/raw-http.js';
import { basePath, sharedService } from '../support/shared-service.js';

const service = sharedService();
let tenant: Tenant;

beforeAll(async () => {
  tenant = await addTenant(service.db);
});

const post = `POST /${basePath}/leads HTTP/1.1`;
const json = 'Content-Type: application/json';
const withKey = () => ['Host: x', `api-key: ${tenant.key}`];

describe('the API key', () => {
  it.each<[string, string[], string]>([
    ['malformed', [json, 'Content-Length: 1'], '{'],
    ['not JSON', ['Content-Type: text/plain', 'Content-Length: 1'], 'x'],
    ['compressed', [json, 'Content-Encoding: gzip', 'Content-Length: 1'], 'x'],
    ['too large', [json, 'Content-Length: 2000000'], 'x'.repeat(2_000_000)],
    ['nested too deeply', [json, 'Content-Length: 1000000'], '['.repeat(1_000_000)],
  ])('is checked before a body that is %s', async (_, headers, body) => {
    const missing = await sendRaw(service.url, post, ['Host: x', ...headers], body);
    expect([missing.status, missing.headers['x-error-code']]).toEqual([401, 'key.missing']);
    const wrong = ['Host: x', 'api-key: nope', ...headers];
    const invalid = await sendRaw(service.url, post, wrong, body);
    expect([invalid.status, invalid.headers['x-error-code']]).toEqual([401, 'key.invalid']);
    const { status } = await sendRaw(service.url, post, [...withKey(), ...headers], body);
    expect([400, 413, 415]).toContain(status);
  });

  it('is checked before the body is read', async () => {
    const headers = [json, 'Expect: 100-continue', 'Content-Length: 14'];
    const refused = await sendRaw(service.url, post, ['Host: x', ...headers]);
    expect(refused.text).toMatch(/^HTTP\/1\.1 401 /);
    const tooLarge = [...withKey(), json, 'Expect: 100-continue', 'Content-Length: 2000000'];
    expect((await sendRaw(service.url, post, tooLarge)).text).toMatch(/^HTTP\/1\.1 413 /);

    const socket = openSocket(service.url);
    const lines = [post, 'Connection: close', ...withKey(), ...headers];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    const [asked] = (await once(socket, 'data')) as [Buffer];
    expect(asked.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write('{"name":"Mona"');
    expect(await readToEnd(socket.resume())).toMatchObject({ status: 400 });
  });
});

describe('a request body', () => {
  it('is rejected even when it breaks off before the response', async () => {
    const headers = [json, 'Content-Encoding: gzip', 'Transfer-Encoding: chunked'];
    const expecting = [...withKey(), 'Expect: 100-continue', ...headers];
    // From the second request on the key is cached, so all steps run in one event loop turn.
    for (let turn = 0; turn < 3; turn++) {
      expect(await sendRaw(service.url, post, expecting, 'ZZZ\r\n')).toMatchObject({ status: 415 });
    }
  });

  it('gets one response and a closed connection when it does not end', async () => {
    const socket = openSocket(service.url);
    const lines = [post, ...withKey(), 'Content-Type: text/plain', 'Transfer-Encoding: chunked'];
    socket.write(`${lines.join('\r\n')}\r\n\r\n1\r\nx\r\n`);
    socket.once('data', () => socket.write(`GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`));
    const { text, headers } = await readToEnd(socket);
    expect(text.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 415']);
    expect(headers['connection']).toBe('close');
  });

  it.each([
    ['gzip', gzipSync('{}'), 'request.unsupported_content_encoding'],
    ['identity, br', Buffer.from('{}'), 'request.unsupported_content_encoding'],
    ['x', Buffer.from('{}'), 'request.unsupported_content_encoding'],
  ])('returns 415 when encoded as %s', async (encoding, body, code) => {
    const response = await service
      .api('post', '/leads')
      .set({ 'api-key': tenant.key, 'content-encoding': encoding, language: 'ar-eg' })
      .type('json')
      .serialize(() => body as unknown as string)
      .send({});
    expect(response).toMatchObject({
      status: 415,
      headers: { 'x-error-code': code, 'accept-encoding': 'identity' },
      body: { message: 'يجب إرسال محتوى الطلب بدون Content-Encoding' },
    });
  });

  it.each([
    ['application/json; charset=iso-8859-1', 415],
    ['application/json;charset="UTF-16"', 415],
    ['application/json; charset=', 415],
    ['application/json; charset="utf-8"', 201],
    ['application/json; CHARSET=UTF8', 201],
  ])('of type %s returns %i', async (type, status) => {
    const headers = [...withKey(), `Content-Type: ${type}`, 'Content-Length: 2'];
    const response = await sendRaw(service.url, post, headers, '{}');
    expect(response.status).toBe(status);
    if (status === 415) expect(response.headers['x-error-code']).toMatch(/^request\.unsupported_/);
  });

  it('is accepted with the identity encoding', async () => {
    const headers = [...withKey(), json, 'Content-Encoding: Identity', 'Content-Length: 2'];
    expect((await sendRaw(service.url, post, headers, '{}')).status).toBe(201);
  });
});

describe('Host', () => {
  const get = `GET /${basePath}/leads/none`;

  it.each([
    ['missing', 'HTTP/1.1', []],
    ['sent twice', 'HTTP/1.1', ['Host: x', 'host: x']],
    ['sent twice in HTTP/1.0', 'HTTP/1.0', ['Host: x', 'HOST: y']],
  ])('returns 400 when it is %s', async (_, version, hosts) => {
    const headers = [...hosts, `api-key: ${tenant.key}`, 'x-request-id: no-host'];
    expect(await sendRaw(service.url, `${get} ${version}`, headers)).toMatchObject({
      status: 400,
      headers: { 'x-error-code': 'request.host_required', 'x-request-id': 'no-host' },
      body: {
        statusCode: 400,
        message: 'The request must have exactly one Host header',
        error: 'Bad Request',
      },
    });
  });

  it('is optional in HTTP/1.0', async () => {
    const headers = [`api-key: ${tenant.key}`];
    expect((await sendRaw(service.url, `${get} HTTP/1.0`, headers)).status).toBe(404);
  });
});

describe('a response to a request with a key', () => {
  it.each([
    ['GET', '/units', 200],
    ['GET', '/units/export/all', 200],
    ['HEAD', '/compounds', 200],
    ['GET', '/leads/none', 404],
  ])('forbids shared caches: %s %s', async (method, path, status) => {
    const response = await fetch(`${service.url}/${basePath}${path}`, {
      method,
      headers: { 'api-key': tenant.key },
    });
    expect(response.status).toBe(status);
    expect(response.headers.has('x-error-code')).toBe(status >= 400);
    expect(response.headers.get('cache-control')).toBe('private, no-cache');
    const accept = path.endsWith('/all') ? ', accept' : '';
    expect(response.headers.get('vary')).toBe(`api-key, language, accept-encoding${accept}`);
  });

  it('forbids shared caches with 401 and 304 too', async () => {
    const read = () => service.api('get', '/units?limit=1');
    const { headers } = await read().set('api-key', tenant.key).expect(200);
    const tag = { 'api-key': tenant.key, 'if-none-match': headers['etag'] ?? '' };
    for (const response of [await read().expect(401), await read().set(tag).expect(304)]) {
      expect(response.headers).toMatchObject({
        'cache-control': 'private, no-cache',
        vary: 'api-key, language, accept-encoding',
      });
    }
  });
});

describe('HEAD', () => {
  it.each(['br', 'gzip', 'identity', undefined])(
    'returns no other length or entity tag than GET with Accept-Encoding: %s',
    async (encoding) => {
      const { organizationId, key } = await addTenant(service.db);
      for (let number = 0; number < 5; number++)
        await addCompound(service.db, organizationId, { 'en-us': 'x'.repeat(500) });
      const headers = {
        'api-key': key,
        ...(encoding === undefined ? {} : { 'accept-encoding': encoding }),
      };
      for (const [path, status] of [
        ['/compounds', 200],
        ['/compounds/none/units', 404],
        ['/healthz', 200],
      ] as const) {
        const ask = async (method: 'GET' | 'HEAD') => {
          const response = await request(`${service.url}/${basePath}${path}`, { method, headers });
          await response.body.dump();
          expect(response.statusCode).toBe(status);
          return response.headers;
        };
        const [get, head] = [await ask('GET'), await ask('HEAD')];
        if (encoding === undefined) expect(head['content-length']).toBe(get['content-length']);
        expect([undefined, get['content-length']]).toContain(head['content-length']);
        expect(head['etag']).toBe(get['etag']);
      }
    },
  );
});
