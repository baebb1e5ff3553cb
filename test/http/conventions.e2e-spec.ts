import { once } from 'node:events';
import { STATUS_CODES } from 'node:http';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import request from 'supertest';
import { errorLists } from '../../src/reference/error-tables.js';
import { eventTypes } from '../../src/events/outbox/event-types.js';
import { addCatalogue, addTenant, mayReadEvents, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { logLinesWith } from '../support/log-lines.js';
import { openSocket, rawRequest, readToEnd, readWhatCame, sendRaw } from '../support/raw-http.js';
import { basePath, sharedService } from '../support/shared-service.js';
import { startTestService } from '../support/test-service.js';

const service = sharedService();
let tenant: Tenant;

beforeAll(async () => {
  tenant = await addTenant(service.db);
});

const lead = () => service.api('get', '/leads/none').set('api-key', tenant.key);

const anyResponse = () => [
  service.api('get', '/healthz'),
  service.api('get', '/leads/none'),
  service.api('post', '/leads').set('content-type', 'application/json').send('{'),
  service.api('post', '/leads').type('form').send('a=b'),
  service.api('get', '/leads/%zz'),
  request(service.url).get('/nowhere'),
];

describe('x-request-id', () => {
  it('is new in every response', async () => {
    const ids: string[] = [];
    for (const response of anyResponse()) ids.push((await response).headers['x-request-id'] ?? '');
    expect(ids.every((id) => /^[\w-]{36}$/.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is the sent value when it is a valid token', async () => {
    for (const response of anyResponse()) {
      expect((await response.set('x-request-id', 'site:7/a=b+c')).headers['x-request-id']).toBe(
        'site:7/a=b+c',
      );
    }
  });

  it.each(['', 'a b', '<script>', 'é'.normalize(), 'x'.repeat(129), '{"a":1}'])(
    'is replaced when it is %p',
    async (id) => {
      const sent = lead().set('x-request-id', Buffer.from(id).toString('latin1'));
      expect((await sent).headers['x-request-id']).toMatch(/^[\w-]{36}$/);
    },
  );
});

describe('the language header', () => {
  it.each([
    [undefined, 'en-us'],
    ['en-us', 'en-us'],
    ['AR-EG', 'ar-eg'],
    ['Ar-Eg', 'ar-eg'],
    ['ar', 'en-us'],
    ['ar-eg,en-us', 'en-us'],
    ['fr-fr', 'en-us'],
    ['__proto__', 'en-us'],
    ['x'.repeat(14_000), 'en-us'],
  ])('%p counts as %s', async (header, language) => {
    const response = await (header === undefined ? lead() : lead().set('language', header));
    expect(response.headers).toMatchObject({ 'content-language': language });
    expect(response.status).toBe(404);
  });
});

describe('an unknown route', () => {
  it.each(['/external', '/external/apis/v1.0/nope?api-key=secret', '/external/apis/v2.0/leads'])(
    '%s returns 404 without quoting the path',
    async (path) => {
      const { body } = await request(service.url).get(path).expect(404);
      expect(body).toEqual({
        statusCode: 404,
        message: 'There is no such endpoint',
        error: 'Not Found',
      });
    },
  );

  it('returns a message in the language of the request', async () => {
    const { body } = await request(service.url).get('/nope').set('language', 'ar-eg').expect(404);
    expect(body.message).toBe('لا توجد نقطة وصول بهذا العنوان');
  });

  it.each([
    ['PUT', '/leads', 'POST, GET, HEAD'],
    ['GET', '/reservations', 'POST'],
    ['PATCH', '/leads/a%2Fb?x=1', 'GET, HEAD, DELETE'],
    ['OPTIONS', '/compounds', 'GET, HEAD'],
    ['DELETE', '/units', 'POST, GET, HEAD'],
    ['PROPFIND', '/units/export/all', 'GET, HEAD'],
    ['GET', '/reservations/webhook', 'POST'],
    ['HEAD', '/reservations/webhook', 'POST'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['PUT', '/%6Ceads', 'POST, GET, HEAD'],
    ['GET', '/reservations/%77ebhook', 'POST'],
  ])('returns 405 without a key for another method: %s %s', async (...row) => {
    const [method, path, allow] = row;
    const response = await sendRaw(service.url, `${method} /${basePath}${path} HTTP/1.1`, [
      'Host: x',
    ]);
    expect(response).toMatchObject({ status: 405, headers: { allow } });
    if (method === 'HEAD') return;
    expect(response.body).toEqual({
      statusCode: 405,
      message: 'The method is not allowed here',
      error: 'Method Not Allowed',
    });
  });

  it('returns 404 for an absolute URL too', async () => {
    const line = `GET http://x.example/${basePath}/reservations/webhook HTTP/1.1`;
    const response = await sendRaw(service.url, line, ['Host: x']);
    expect(response).toMatchObject({ status: 405, headers: { allow: 'POST' } });
  });

  it('returns 404 before other checks', async () => {
    const headers = ['Host: x', 'Content-Type: application/json', 'Content-Length: 1'];
    const status = async (requestLine: string) =>
      (await sendRaw(service.url, `${requestLine} HTTP/1.1`, headers, '{')).status;
    expect(await status('POST /nowhere')).toBe(404);
    expect(await status(`PUT /${basePath}/leads`)).toBe(405);
    for (const method of ['GET', 'PROPFIND', 'QUERY', 'PURGE', 'M-SEARCH']) {
      expect(await status(`${method} /%ff`)).toBe(400);
      expect(await status(`${method} /a?%ff`)).toBe(404);
    }
  });

  it('returns 405 without a key inside the reference', async () => {
    const { status, headers } = await sendRaw(service.url, 'DELETE /docs/openapi.json HTTP/1.1', [
      'Host: x',
    ]);
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD']);
  });
});

describe('a response', () => {
  it('has security headers and does not name the server', async () => {
    for (const response of anyResponse()) {
      const { headers } = await response;
      expect(headers).toMatchObject({
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'origin-agent-cluster': '?1',
        'referrer-policy': 'no-referrer',
        'strict-transport-security': 'max-age=31536000; includeSubDomains',
        'x-content-type-options': 'nosniff',
        'x-dns-prefetch-control': 'off',
        'x-download-options': 'noopen',
        'x-frame-options': 'SAMEORIGIN',
        'x-permitted-cross-domain-policies': 'none',
        'x-xss-protection': '0',
      });
      expect(headers).not.toHaveProperty('x-powered-by');
      expect(headers).not.toHaveProperty('server');
    }
  });

  it.each(['json', 'csv', 'ndjson'])('is compressed as %s', async (format) => {
    await addCatalogue(service.db, 'units', tenant.organizationId, { slug: format });
    const { headers } = await service
      .api('get', `/units/export/all?format=${format}`)
      .set({ 'api-key': tenant.key, 'accept-encoding': 'gzip' })
      .expect(200);
    expect(headers).toMatchObject({ 'content-encoding': 'gzip' });
  });

  it('has the common error body when the request is not HTTP', async () => {
    expect(await sendRaw(service.url, 'NONSENSE', [])).toMatchObject({
      status: 400,
      headers: { 'x-error-code': 'request.malformed' },
      body: {
        statusCode: 400,
        message: 'The request could not be understood',
        error: 'Bad Request',
      },
    });
  });

  it('has status 408 when headers arrive late', async () => {
    const slowServer = await startTestService({ REQUEST_TIMEOUT_MS: '200' });
    const socket = openSocket(slowServer.url);
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    const response = await readToEnd(socket);
    expect(response.headers['x-request-id']).toMatch(/^[\w-]{36}$/);
    expect([response.status, response.body]).toEqual([
      408,
      {
        statusCode: 408,
        message: 'The request took too long to arrive',
        error: 'Request Timeout',
      },
    ]);
    await slowServer.stop();
  });

  it.each([
    ['does not arrive in time', 408, 'request.timeout', 'Content-Length: 9', '{', false],
    ['ends too early', 400, 'request.malformed', 'Content-Length: 9', '{', true],
    ['is not chunked', 400, 'request.malformed', 'Transfer-Encoding: chunked', '{', false],
  ])(
    'to a body that %s has the id of its request',
    async (_, status, code, length, sent, isCut) => {
      const slowServer = await startTestService({ REQUEST_TIMEOUT_MS: '200' });
      const id = `body-${new ObjectId().toHexString()}`;
      const socket = openSocket(slowServer.url);
      const own = ['language: ar-eg', 'Content-Type: application/json', length];
      const headers = [`api-key: ${tenant.key}`, `x-request-id: ${id}`, ...own];
      socket.write(rawRequest(`POST /${basePath}/units`, headers, sent));
      if (isCut) socket.end();
      const { headers: received, ...response } = await readToEnd(socket);
      expect([response.status, received['x-error-code']]).toEqual([status, code]);
      expect(received).toMatchObject({
        'x-request-id': id,
        'content-language': 'ar-eg',
        connection: 'close',
      });
      expect(response.body).toMatchObject({
        statusCode: status,
        message: expect.stringMatching(/[\u0600-\u06ff]/),
      });
      await eventually(() => {
        expect(logLinesWith(slowServer.logged(), 'request completed')).toMatchObject([
          { reqId: id, status, route: `/${basePath}/units` },
        ]);
      });
      await slowServer.stop();
    },
  );

  it.each(['GET', 'POST'])(
    'to a %s with broken chunks has status 400 regardless of later data',
    async (method) => {
      // From the second request on the key is cached, so the request proceeds further before its body.
      for (let turn = 0; turn < 3; turn++) {
        const socket = openSocket(service.url);
        const id = `chunks-${new ObjectId().toHexString()}`;
        const own = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
        const sent = [`api-key: ${tenant.key}`, `x-request-id: ${id}`, ...own];
        const body = `zz\r\n${'x'.repeat(100_000)}`;
        socket.write(rawRequest(`${method} /${basePath}/units`, sent, body));
        socket.write('x'.repeat(400_000));
        const { status, headers } = await readWhatCame(socket);
        expect([status, headers['x-error-code']]).toEqual([400, 'request.malformed']);
        expect(headers).toMatchObject({ 'x-request-id': id, connection: 'close' });
        await eventually(() => {
          expect(logLinesWith(service.logged(), id)).toMatchObject([{ status: 400 }]);
        });
      }
    },
  );

  it('has status 408 and closes the connection when an unread body is late', async () => {
    const slowServer = await startTestService({ REQUEST_TIMEOUT_MS: '200' });
    const { key } = await addTenant(slowServer.db, { key: mayReadEvents });
    const socket = openSocket(slowServer.url);
    const sent = [`api-key: ${key}`, 'Content-Length: 2'];
    socket.write(rawRequest(`GET /${basePath}/events?wait=20`, sent, '{'));
    const { status, headers } = await readToEnd(socket);
    expect([status, headers['connection']]).toEqual([408, 'close']);
    await slowServer.stop();
  });

  it('does not depend on the Expect header', async () => {
    const headers = ['Host: x', 'Expect: 200-maybe'];
    const response = await sendRaw(service.url, 'GET /nowhere HTTP/1.1', headers);
    expect([response.status, response.headers['x-request-id']]).toEqual([404, expect.any(String)]);
  });

  it('is sent after a body that is too large, because clients write before they read', async () => {
    const socket = openSocket(service.url);
    const closed = once(socket, 'close');
    let text = '';
    socket.on('data', (data) => (text += String(data)));
    const body = Buffer.alloc(1_100_000, 'x');
    const own = ['Content-Type: application/json', 'Connection: close'];
    const sent = [`api-key: ${tenant.key}`, `Content-Length: ${body.length}`, ...own];
    socket.write(rawRequest(`POST /${basePath}/leads`, sent));
    for (const part of [body.subarray(0, 500_000), body.subarray(500_000, -1)]) {
      await new Promise((resolve) => socket.write(part, resolve));
      await service.api('get', '/healthz').expect(200);
    }
    expect(text).toBe('');
    socket.write('x');
    await closed;
    expect(text).toMatch(/^HTTP\/1\.1 413 Payload Too Large\r\n/);
    expect(text).toContain('The request body is too large');
  });
});

describe('the request log', () => {
  const linesWith = (text: string) => logLinesWith(service.logged(), text);

  it('has one line per request with exactly the documented fields', async () => {
    const { organizationId, key } = await addTenant(service.db);
    const id = `logged-${organizationId.toHexString()}`;
    await service
      .api('get', '/leads/some-person')
      .set({ 'api-key': key, 'x-request-id': id })
      .expect(404);
    await eventually(() => {
      expect(linesWith(id)).toEqual([
        {
          level: 30,
          time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
          reqId: id,
          method: 'GET',
          route: `/${basePath}/leads/:recordSystemId`,
          status: 404,
          milliseconds: expect.any(Number),
          organizationId: organizationId.toHexString(),
          apiKeyId: expect.stringMatching(/^[0-9a-f]{24}$/),
          errorCodes: ['lead.not_found'],
          msg: 'request completed',
        },
      ]);
    }, 5_000);
  });

  it('contains no values of unknown paths', async () => {
    await request(service.url)
      .get('/nowhere/Person?api-key=secret-in-query')
      .set('x-request-id', 'logged-nowhere')
      .expect(404);
    await eventually(() => {
      expect(linesWith('logged-nowhere')).toMatchObject([{ route: 'unknown', status: 404 }]);
    }, 5_000);
    expect(service.logged()).not.toContain('secret-in-query');
  });

  it('contains one line, marked aborted, when the client disconnects', async () => {
    const { organizationId, key } = await addTenant(service.db);
    const id = `left-${organizationId.toHexString()}`;
    const client = openSocket(service.url);
    const body = JSON.stringify({ recordSystemId: id, name: 'x' });
    const own = ['Content-Type: application/json', `Content-Length: ${body.length}`];
    const headers = [`api-key: ${key}`, `x-request-id: ${id}`, ...own];
    const sent = rawRequest(`POST /${basePath}/leads`, headers, body);
    await new Promise((resolve) => client.write(sent, resolve));
    client.destroy();
    await eventually(() => {
      expect(linesWith(id)).toMatchObject([
        { aborted: true, organizationId: organizationId.toHexString() },
      ]);
    }, 5_000);
    // The whole request had arrived before its client disconnected during the key lookup.
    expect(linesWith(id)).toMatchObject([{ status: 201 }]);
    await service.api('get', `/leads/${id}`).set('api-key', key).expect(200);
  });

  it.each([
    ['invalid HTTP', 'NONSENSE', [], 400],
    ['headers that are too large', 'GET / HTTP/1.1', [`x: ${'x'.repeat(20_000)}`], 431],
    ['a broken path', 'GET /%zz HTTP/1.1', ['Host: x'], 400],
  ])('contains one line for %s', async (_, line, sent, status) => {
    const { headers } = await sendRaw(service.url, line, sent);
    const id = headers['x-request-id'] ?? 'none';
    await eventually(() => expect(linesWith(id)).toMatchObject([{ status }]), 5_000);
    expect(linesWith(id)[0]).not.toHaveProperty('aborted');
  });
});

describe('GET /healthz', () => {
  it('returns 200 without a key', async () => {
    const { body } = await service.api('get', '/healthz').expect(200);
    expect(body).toEqual({ description: 'Integration API', ok: true, version: 'v1.0' });
  });
});

describe('a conditional read', () => {
  it('returns 304 for HEAD as for GET', async () => {
    const url = `/${basePath}/units?limit=1`;
    const read = (method: 'get' | 'head') =>
      request(service.url)[method](url).set({ 'api-key': tenant.key, 'accept-encoding': 'gzip' });
    const whole = await read('get').expect(200);
    const tag = whole.headers['etag'] ?? '';
    for (const method of ['get', 'head'] as const) {
      const { headers, text } = await read(method).set('if-none-match', tag).expect(304);
      expect([headers['etag'], text || undefined]).toEqual([tag, undefined]);
      await read(method).set('if-none-match', '"other"').expect(200);
    }
  });
});

/** The parts of a documented operation that tests read. */
interface Operation {
  readonly requestBody: {
    readonly content: Record<
      'application/json',
      { readonly schema: { readonly properties: { readonly type: { readonly enum: string[] } } } }
    >;
  };
}

describe('the API reference', () => {
  it.each([
    ['a range beyond its end', '/docs/swagger-ui.css', { range: 'bytes=99999999-' }, 416],
    ['a failed If-Match', '/docs/swagger-ui.css', { 'if-match': '"other"' }, 412],
    [
      'a failed If-Unmodified-Since',
      '/docs/swagger-ui.css',
      { 'if-unmodified-since': new Date(0) },
      412,
    ],
    ['a hidden file', '/docs/.env', {}, 404],
    ['a parent folder', '/docs/%2e%2e%2fpackage.json', {}, 404],
    ['a null character', '/docs/a%00b', {}, 403],
    ['a backslash', '/docs/..%5c..%5cpackage.json', {}, 403],
    ['broken percent-encoding', '/docs/%zz', {}, 400],
    ['a name that is too long', `/docs/${'x'.repeat(3_000)}`, {}, 403],
    ['a file that the page does not need', '/docs/package.json', {}, 404],
  ])('returns a client error for %s', async (_, path, headers, status) => {
    const fields = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`);
    const response = await sendRaw(service.url, `GET ${path} HTTP/1.1`, ['Host: x', ...fields]);
    expect(response.body).toEqual({
      statusCode: status,
      message: expect.any(String),
      error: STATUS_CODES[status],
    });
  });

  it.each([
    ['get', '/'],
    ['head', '/'],
    ['get', '/?from=a-bookmark'],
    ['get', '/docs'],
    ['head', '/docs'],
  ] as const)('is the redirect target of %s %s', async (method, path) => {
    const { status, headers } = await request(service.url)[method](path);
    expect([status, headers['location'], headers['x-error-code']]).toEqual([
      302,
      'docs/',
      undefined,
    ]);
  });

  it('accepts no other method at the root', async () => {
    const { status, headers } = await request(service.url).post('/').send({});
    expect([status, headers['x-error-code']]).toEqual([405, 'route.method_not_allowed']);
  });

  it('consists of a page and a document', async () => {
    const page = await request(service.url).get('/docs').redirects(1).expect(200);
    expect(page.headers).toMatchObject({
      'content-type': expect.stringContaining('text/html'),
      'content-security-policy': expect.stringContaining("default-src 'none'; script-src 'self';"),
      vary: 'accept-encoding',
    });
    const { body } = await request(service.url).get('/docs/openapi.json').expect(200);
    expect(Object.keys(body.paths)).toEqual(
      expect.arrayContaining([
        '/external/apis/v1.0/leads',
        '/external/apis/v1.0/leads/{recordSystemId}',
        '/external/apis/v1.0/healthz',
      ]),
    );
  });

  it('contains code, cause and remedy of every error', async () => {
    const { body } = await request(service.url).get('/docs/openapi.json').expect(200);
    const text = JSON.stringify(body);
    for (const { code, cause, remedy } of Object.values(errorLists).flat()) {
      expect(text).toContain(JSON.stringify(`- \`${code}\`: ${cause}. *${remedy}.*`).slice(1, -1));
    }
  });

  it('contains every event', async () => {
    const { body } = await request(service.url).get('/docs/openapi.json').expect(200);
    expect(Object.keys(body.webhooks)).toEqual([...eventTypes, 'webhook.ping']);
    for (const [type, { post }] of Object.entries<{ post: Operation }>(body.webhooks)) {
      const { properties } = post.requestBody.content['application/json'].schema;
      expect(properties.type.enum).toEqual([type]);
      expect('changes' in properties).toBe(type.endsWith('.updated'));
    }
  });

  it('documents nullable objects as one of two types', async () => {
    const { body } = await request(service.url).get('/docs/openapi.json').expect(200);
    const { phase } = body.components.schemas.UnitDto.properties;
    expect(phase.anyOf).toEqual([{ $ref: '#/components/schemas/PhaseDto' }, { type: 'null' }]);
    expect(JSON.stringify(body)).not.toContain('nullable');
  });
});
