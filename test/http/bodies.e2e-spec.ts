import { once } from 'node:events';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { addCompound } from '../support/builders.js';
import { openSocket, rawRequest, readToEnd, sendRaw } from '../support/raw-http.js';
import { basePath, sharedService } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';

const service = sharedService();
let tenant: TenantApi;

beforeAll(async () => {
  tenant = await service.addTenant();
});

const json = 'Content-Type: application/json';
const leads = `POST /${basePath}/leads`;
const withKey = (...headers: string[]) => [`api-key: ${tenant.key}`, ...headers];
const post = (headers: readonly string[], body = '') =>
  sendRaw(service.url, `${leads} HTTP/1.1`, ['Host: x', ...headers], body);

describe('the API key', () => {
  it.each<[string, string[], string]>([
    ['malformed', [json, 'Content-Length: 1'], '{'],
    ['not JSON', ['Content-Type: text/plain', 'Content-Length: 1'], 'x'],
    ['compressed', [json, 'Content-Encoding: gzip', 'Content-Length: 1'], 'x'],
    ['too large', [json, 'Content-Length: 2000000'], 'x'.repeat(2_000_000)],
    ['nested too deeply', [json, 'Content-Length: 1000000'], '['.repeat(1_000_000)],
  ])('is checked before a body that is %s', async (_, headers, body) => {
    expect(await post(headers, body)).toMatchObject({
      status: 401,
      headers: { 'x-error-code': 'key.missing' },
    });
    expect(await post(['api-key: nope', ...headers], body)).toMatchObject({
      status: 401,
      headers: { 'x-error-code': 'key.invalid' },
    });
    expect([400, 413, 415]).toContain((await post(withKey(...headers), body)).status);
  });

  it('is checked before the body is read', async () => {
    const headers = [json, 'Expect: 100-continue', 'Content-Length: 14'];
    expect((await post(headers)).text).toMatch(/^HTTP\/1\.1 401 /);
    const tooLarge = [json, 'Expect: 100-continue', 'Content-Length: 2000000'];
    expect((await post(withKey(...tooLarge))).text).toMatch(/^HTTP\/1\.1 413 /);

    const socket = openSocket(service.url);
    socket.write(rawRequest(leads, withKey(...headers, 'Connection: close')));
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(first.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write('{"name":"Mona"');
    expect(await readToEnd(socket.resume())).toMatchObject({ status: 400 });
  });
});

describe('a request body', () => {
  it('gets no 100 Continue in HTTP/1.0, which does not know it', async () => {
    const headers = withKey(json, 'Expect: 100-continue', 'Content-Length: 15');
    const { text } = await sendRaw(service.url, `${leads} HTTP/1.0`, headers, '{"name":"Mona"}');
    expect(text).toMatch(/^HTTP\/1\.1 201 /);
  });

  it('is refused with 415 for its encoding even when its chunks are invalid', async () => {
    const headers = [json, 'Content-Encoding: gzip', 'Transfer-Encoding: chunked'];
    // From the second request on the key is cached, so all checks run in one turn of the event loop.
    for (let turn = 0; turn < 3; turn++) {
      const response = await post(withKey('Expect: 100-continue', ...headers), 'ZZZ\r\n');
      expect(response.status).toBe(415);
    }
  });

  it('gets one response when it does not end, and its connection closes', async () => {
    const socket = openSocket(service.url);
    const headers = withKey('Content-Type: text/plain', 'Transfer-Encoding: chunked');
    socket.write(rawRequest(leads, headers, '1\r\nx\r\n'));
    socket.once('data', () => socket.write(rawRequest('GET /healthz', [])));
    const { text } = await readToEnd(socket);
    expect(text.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 415']);
  });

  it.each(['gzip', 'identity, br', 'x'])(
    'is refused with 415 when encoded as %s',
    async (encoding) => {
      const headers = [
        json,
        `Content-Encoding: ${encoding}`,
        'Content-Length: 2',
        'language: ar-eg',
      ];
      expect(await post(withKey(...headers), '{}')).toMatchObject({
        status: 415,
        headers: {
          'x-error-code': 'request.unsupported_content_encoding',
          'accept-encoding': 'identity',
        },
        body: { message: 'يجب إرسال محتوى الطلب بدون Content-Encoding' },
      });
    },
  );

  it.each([
    ['application/json; charset=iso-8859-1', 415],
    ['application/json; charset=', 415],
    ['application/json; charset="utf-8"', 201],
    ['application/json; CHARSET=UTF8', 201],
  ])('of type %s gets status %i', async (type, status) => {
    const { headers, ...response } = await post(
      withKey(`Content-Type: ${type}`, 'Content-Encoding: Identity', 'Content-Length: 2'),
      '{}',
    );
    expect(response.status).toBe(status);
    if (status === 415) expect(headers['x-error-code']).toMatch(/^request\.unsupported_/);
  });
});

describe('the Host header', () => {
  const get = `GET /${basePath}/leads/none`;

  it.each([
    ['missing', 'HTTP/1.1', []],
    ['sent twice', 'HTTP/1.1', ['Host: x', 'host: x']],
    ['sent twice in HTTP/1.0', 'HTTP/1.0', ['Host: x', 'HOST: y']],
  ])('is refused with 400 when it is %s', async (_, version, hosts) => {
    const headers = [...hosts, ...withKey('x-request-id: no-host')];
    expect(await sendRaw(service.url, `${get} ${version}`, headers)).toMatchObject({
      headers: { 'x-error-code': 'request.host_required', 'x-request-id': 'no-host' },
      body: { statusCode: 400, message: 'The request must have exactly one Host header' },
    });
  });

  it('is optional in HTTP/1.0', async () => {
    expect((await sendRaw(service.url, `${get} HTTP/1.0`, withKey())).status).toBe(404);
  });
});

describe('a response to a request with a key', () => {
  it.each([
    ['GET', '/units?limit=1', 200],
    ['GET', '/units?limit=1', 304],
    ['GET', '/units?limit=1', 401],
    ['GET', '/units/export/all', 200],
    ['HEAD', '/compounds', 200],
    ['GET', '/leads/none', 404],
  ])('forbids shared caches: %s %s with %i', async (method, path, status) => {
    const { headers: first } = await tenant.get(path);
    const response = await fetch(`${service.url}/${basePath}${path}`, {
      method,
      headers: {
        ...(status === 401 ? {} : { 'api-key': tenant.key }),
        ...(status === 304 ? { 'if-none-match': first['etag'] ?? '' } : {}),
      },
    });
    expect(response.status).toBe(status);
    expect(response.headers.has('x-error-code')).toBe(status >= 400);
    expect(response.headers.get('cache-control')).toBe('private, no-cache');
    const accept = path.endsWith('/all') ? ', accept' : '';
    expect(response.headers.get('vary')).toBe(`api-key, language, accept-encoding${accept}`);
  });
});

const long = 'x'.repeat(500);

describe('HEAD', () => {
  const paths = [
    ['/compounds', 200],
    ['/compounds/none/units', 404],
    ['/healthz', 200],
  ] as const;

  it.each(['br', 'gzip', 'identity', undefined])(
    'returns the length and entity tag of GET, or none, with Accept-Encoding: %s',
    async (encoding) => {
      const other = await service.addTenant();
      for (let number = 0; number < 5; number++) await other.add(addCompound, { 'en-us': long });
      const headers = {
        'api-key': other.key,
        ...(encoding === undefined ? {} : { 'accept-encoding': encoding }),
      };
      for (const [path, status] of paths) {
        const headersOf = async (method: 'GET' | 'HEAD') => {
          const response = await request(`${service.url}/${basePath}${path}`, { method, headers });
          await response.body.dump();
          expect(response.statusCode).toBe(status);
          return response.headers;
        };
        const [get, head] = [await headersOf('GET'), await headersOf('HEAD')];
        const unknown = encoding === undefined ? [] : [undefined];
        expect([...unknown, get['content-length']]).toContain(head['content-length']);
        expect(head['etag']).toBe(get['etag']);
      }
    },
  );
});
