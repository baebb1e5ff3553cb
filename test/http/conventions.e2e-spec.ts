import { STATUS_CODES } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import request from 'supertest';
import { allErrors } from '../../src/reference/errors.js';
import { eventTypes } from '../../src/events/outbox/event-types.js';
import { addUnit } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { logLinesWith } from '../support/log-lines.js';
import { documentedOperations, type Operation } from '../support/operations.js';
import { openSocket, rawRequest, readToEnd, readUntilClose, sendRaw } from '../support/raw-http.js';
import { basePath, sharedService } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';
import { startTestService, type TestService } from '../support/test-service.js';

const service = sharedService();
let slowServer: TestService;
let tenant: TenantApi;

beforeAll(async () => {
  tenant = await service.addTenant();
  slowServer = await startTestService({ REQUEST_TIMEOUT_MS: '200' });
});
afterAll(() => slowServer.stop());

const pathsOf = (operations: readonly Operation[]) => [
  ...new Set(operations.map(({ path }) => path)),
];
const lead = () => tenant.get('/leads/none');
const generatedId = expect.stringMatching(/^[\w-]{36}$/);
const raw = (line: string, ...headers: string[]) =>
  sendRaw(service.url, `${line} HTTP/1.1`, ['Host: x', ...headers]);
const errorBody = (statusCode: number, message: unknown = expect.any(String)) => ({
  statusCode,
  message,
  error: STATUS_CODES[statusCode],
});

const anyResponse = () => [
  service.api('get', '/healthz'),
  service.api('get', '/leads/none'),
  tenant.post('/leads').type('json').send('{'),
  tenant.post('/leads').type('form').send('a=b'),
  service.api('get', '/leads/%zz'),
  request(service.url).get('/nowhere'),
];

describe('x-request-id', () => {
  it('is generated when the request has none', async () => {
    const responses = await Promise.all(anyResponse());
    const ids = responses.map(({ headers }) => headers['x-request-id']);
    expect(ids).toEqual(ids.map(() => generatedId));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('repeats the sent value when that is a valid token', async () => {
    const id = 'site:7/a=b+c';
    for (const sent of anyResponse()) {
      expect((await sent.set('x-request-id', id)).headers['x-request-id']).toBe(id);
    }
  });

  it.each(['', 'a b', 'é', 'x'.repeat(129), '{"a":1}'])(
    'is replaced when the sent value is %p',
    async (id) => {
      const { headers } = await lead().set('x-request-id', Buffer.from(id).toString('latin1'));
      expect(headers['x-request-id']).toEqual(generatedId);
    },
  );
});

describe('the language header', () => {
  it.each([
    ['AR-EG', 'ar-eg'],
    ['ar', 'ar-eg'],
    ['ar_EG', 'ar-eg'],
    ['ar-SA', 'ar-eg'],
    ['ar-EG,ar;q=0.9,en;q=0.8', 'ar-eg'],
    [`ar${';'.repeat(14_000)}`, 'ar-eg'],
    ['en-us,ar-eg', 'en-us'],
    ['a', 'en-us'],
    ['', 'en-us'],
    ['fr', 'en-us'],
    ['__proto__', 'en-us'],
    ['x'.repeat(14_000), 'en-us'],
  ])('%p selects %s', async (header, language) => {
    const { headers } = await lead().set('language', header).expect(404);
    expect(headers['content-language']).toBe(language);
  });

  it('defaults to en-us', async () => {
    expect((await lead()).headers['content-language']).toBe('en-us');
  });
});

describe('an unknown route', () => {
  it.each(['/external', '/external/apis/v1.0/nope?api-key=secret', '/external/apis/v2.0/leads'])(
    '%s returns 404 without quoting the path',
    async (path) => {
      const { body } = await request(service.url).get(path).expect(404);
      expect(body).toEqual(errorBody(404, 'No endpoint has this path: see the API reference'));
    },
  );

  it('returns a message in the language of the request', async () => {
    const { body } = await request(service.url).get('/nope').set('language', 'ar-eg').expect(404);
    expect(body.message).toBe('لا توجد نقطة وصول بهذا المسار: راجع مرجع API');
  });

  it.each(pathsOf(documentedOperations()))(
    '%s returns 404 for every method with a trailing slash',
    async (path) => {
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND']) {
        const { status, headers } = await raw(`${method} /${basePath}${path}/?x=1`);
        expect([method, status]).toEqual([method, 404]);
        expect(headers).toMatchObject({ 'x-error-code': 'route.not_found' });
        expect(headers).not.toHaveProperty('allow');
      }
    },
  );

  it('is not a path whose id ends with an encoded slash', async () => {
    const recordSystemId = 'a/b/';
    await tenant.post('/leads', { recordSystemId, name: 'Mona' }).expect(201);
    const path = `/leads/${encodeURIComponent(recordSystemId)}`;
    const { body } = await tenant.get(path).expect(200);
    expect(body.lead).toMatchObject({ recordSystemId });
    await tenant.get('/leads/a%2Fb/').expect(404);
    await tenant.delete(path).expect(200);
  });

  it('is logged without the route of a path parameter', async () => {
    const id = new ObjectId().toHexString();
    await tenant.post('/leads/', { name: 'Mona' }).set('x-request-id', id).expect(404);
    await eventually(() =>
      expect(logLinesWith(service.logged(), id)).toMatchObject([{ status: 404, route: 'unknown' }]),
    );
  });

  it.each(pathsOf(documentedOperations()))(
    '%s returns a 405 to a CORS preflight that says to call from a server or to ask for a key',
    async (path) => {
      const preflight = (language: string) =>
        raw(
          `OPTIONS /${basePath}${path.replaceAll(/\{\w+\}/g, 'x')}`,
          'Origin: https://nile.example',
          'Access-Control-Request-Method: POST',
          'Access-Control-Request-Headers: api-key,content-type',
          `language: ${language}`,
        );
      const { status, headers, body } = await preflight('en-us');
      const code = 'route.preflight_refused';
      expect([status, headers['x-error-code'], headers['allow']]).toEqual([
        405,
        code,
        expect.stringMatching(/GET|POST/),
      ]);
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      const message =
        'Pages of this origin cannot make this request (CORS), because every visitor could read the ' +
        'API key: call the API from your server, or ask the operator for a key with your origin, ' +
        'as /docs/guides/website shows';
      expect(body).toEqual(errorBody(405, message));
      expect((await preflight('ar')).body).toMatchObject({
        message: expect.stringMatching(/CORS.*خادمك.*origin/),
      });
    },
  );

  it.each([
    ['PUT', '/leads', 'POST, GET, HEAD'],
    ['PATCH', '/leads/a%2Fb?x=1', 'GET, HEAD, DELETE'],
    ['OPTIONS', '/compounds', 'GET, HEAD'],
    ['PROPFIND', '/units/export/all', 'GET, HEAD'],
    ['GET', '/reservations/webhook', 'POST'],
    ['HEAD', '/reservations/webhook', 'POST'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['GET', '/reservations/%77ebhook', 'POST'],
  ])('returns 405 without a key for another method: %s %s', async (method, path, allow) => {
    const response = await raw(`${method} /${basePath}${path}`);
    expect(response).toMatchObject({ status: 405, headers: { allow } });
    const message =
      'This endpoint does not support the request method: use one of the methods in the Allow header';
    const body = method === 'HEAD' ? undefined : errorBody(405, message);
    expect(response.body).toEqual(body);
  });

  it.each([
    ['POST /nowhere', 404],
    [`PUT /${basePath}/leads`, 405],
    [`GET http://x.example/${basePath}/reservations/webhook`, 405],
    ['DELETE /docs/openapi.json', 405],
    ['POST /', 405],
    ...['GET', 'QUERY', 'M-SEARCH'].flatMap((method): [string, number][] => [
      [`${method} /%ff`, 400],
      [`${method} /a?%ff`, 404],
    ]),
  ])('is detected before other checks: %s returns %i', async (line, status) => {
    const headers = ['Host: x', 'Content-Type: application/json', 'Content-Length: 1'];
    const response = await sendRaw(service.url, `${line} HTTP/1.1`, headers, '{');
    expect(response.status).toBe(status);
  });
});

describe('a response', () => {
  it('has security headers and does not name the server', async () => {
    for (const { headers } of await Promise.all(anyResponse())) {
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
    await tenant.add(addUnit);
    const exported = tenant.get(`/units/export/all?format=${format}`);
    const { headers } = await exported.set('accept-encoding', 'gzip').expect(200);
    expect(headers).toMatchObject({ 'content-encoding': 'gzip' });
  });

  it('has the common error body when the request is not HTTP', async () => {
    expect(await sendRaw(service.url, 'NONSENSE', [])).toMatchObject({
      headers: { 'x-error-code': 'request.malformed' },
      body: errorBody(400, 'The request is malformed: send valid HTTP with a percent-encoded path'),
    });
  });

  it('has status 408 when headers arrive late', async () => {
    const socket = openSocket(slowServer.url);
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    expect(await readToEnd(socket)).toMatchObject({
      headers: { 'x-request-id': generatedId },
      body: errorBody(408, 'The request took too long to arrive: send it again'),
    });
  });

  it.each([
    ['does not arrive in time', 408, 'request.timeout', 'Content-Length: 9', false],
    ['ends too early', 400, 'request.malformed', 'Content-Length: 9', true],
    ['is not chunked', 400, 'request.malformed', 'Transfer-Encoding: chunked', false],
  ])('to a body that %s has the id of its request', async (_, status, code, length, isCut) => {
    const id = `body-${new ObjectId().toHexString()}`;
    const socket = openSocket(slowServer.url);
    const bodyHeaders = ['language: ar-eg', 'Content-Type: application/json', length];
    const headers = [`api-key: ${tenant.key}`, `x-request-id: ${id}`, ...bodyHeaders];
    socket.write(rawRequest(`POST /${basePath}/units`, headers, '{'));
    if (isCut) socket.end();
    const { headers: received, body } = await readToEnd(socket);
    const identity = { 'x-request-id': id, 'x-error-code': code };
    const expected = { ...identity, 'content-language': 'ar-eg', connection: 'close' };
    expect(received).toMatchObject(expected);
    expect(body).toEqual(errorBody(status, expect.stringMatching(/[\u0600-\u06ff]/)));
    await eventually(() => {
      const route = `/${basePath}/units`;
      expect(logLinesWith(slowServer.logged(), id)).toMatchObject([{ status, route }]);
    });
  });

  it('to a POST with invalid chunks has status 400 regardless of later data', async () => {
    // From the second request on the key is cached, so the service gets further before the body arrives.
    for (let turn = 0; turn < 10; turn++) {
      const socket = openSocket(service.url);
      const id = `chunks-${new ObjectId().toHexString()}`;
      const bodyHeaders = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
      const sent = [`api-key: ${tenant.key}`, `x-request-id: ${id}`, ...bodyHeaders];
      const body = `zz\r\n${'x'.repeat(100_000)}`;
      socket.write(rawRequest(`POST /${basePath}/units`, sent, body));
      for (let piece = 0; piece < 20; piece++) socket.write('x'.repeat(100_000));
      const { status, headers } = await readUntilClose(socket);
      expect([status, headers['x-error-code']]).toEqual([400, 'request.malformed']);
      expect(headers).toMatchObject({ 'x-request-id': id, connection: 'close' });
      await eventually(() => {
        expect(logLinesWith(service.logged(), id)).toMatchObject([{ status: 400 }]);
      });
    }
  });

  it('has the same status with an unknown Expect header', async () => {
    const { status, headers } = await raw('GET /nowhere', 'Expect: 200-maybe');
    expect([status, headers['x-request-id']]).toEqual([404, generatedId]);
  });

  it('waits for the end of a body that is too large, because clients write before they read', async () => {
    const socket = openSocket(service.url);
    const bytes = 1_100_000;
    const bodyHeaders = ['Content-Type: application/json', 'Connection: close'];
    const sent = [`api-key: ${tenant.key}`, `Content-Length: ${bytes}`, ...bodyHeaders];
    socket.write(rawRequest(`POST /${basePath}/leads`, sent));
    await new Promise((resolve) => socket.write('x'.repeat(bytes - 1), resolve));
    await service.api('get', '/healthz').expect(200);
    expect(socket.bytesRead).toBe(0);
    socket.write('x');
    const { body } = await readToEnd(socket);
    expect(body).toEqual(errorBody(413, 'The request body is too large: send less per request'));
  });
});

describe('the request log', () => {
  const linesWith = (text: string) => logLinesWith(service.logged(), text);

  it('has one line per request with exactly the documented fields', async () => {
    const { organizationId } = tenant;
    const id = `logged-${organizationId.toHexString()}`;
    await tenant.get('/leads/some-person').set('x-request-id', id).expect(404);
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
    const unknown = request(service.url).get('/nowhere/Person?api-key=secret-in-query');
    await unknown.set('x-request-id', 'logged-nowhere').expect(404);
    await eventually(() => {
      expect(linesWith('logged-nowhere')).toMatchObject([{ route: 'unknown', status: 404 }]);
    }, 5_000);
    expect(service.logged()).not.toContain('secret-in-query');
  });

  it('contains one line, marked aborted, when the client disconnects', async () => {
    const { get, key } = await service.addTenant();
    const id = `left-${new ObjectId().toHexString()}`;
    const client = openSocket(service.url);
    const body = JSON.stringify({ recordSystemId: id, name: 'x' });
    const bodyHeaders = ['Content-Type: application/json', `Content-Length: ${body.length}`];
    const headers = [`api-key: ${key}`, `x-request-id: ${id}`, ...bodyHeaders];
    const sent = rawRequest(`POST /${basePath}/leads`, headers, body);
    await new Promise((resolve) => client.write(sent, resolve));
    client.destroy();
    await eventually(() => {
      // The lead is stored, because the client disconnects only after its whole request has arrived.
      const organizationId = expect.any(String);
      expect(linesWith(id)).toMatchObject([{ aborted: true, status: 201, organizationId }]);
    }, 5_000);
    await get(`/leads/${id}`).expect(200);
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
    const path = `/${basePath}/units?limit=1`;
    const read = (method: 'get' | 'head', tag: string) => {
      const headers = { 'api-key': tenant.key, 'accept-encoding': 'gzip', 'if-none-match': tag };
      return request(service.url)[method](path).set(headers);
    };
    const { headers } = await read('get', '"other"').expect(200);
    const tag = headers['etag'] ?? '';
    for (const method of ['get', 'head'] as const) {
      const same = await read(method, tag).expect(304);
      expect([same.headers['etag'], same.text || undefined]).toEqual([tag, undefined]);
      await read(method, '"other"').expect(200);
    }
  });
});

describe('the API reference', () => {
  const style = '/docs/theme.css';

  it.each<[string, number, ...string[]]>([
    [style, 416, 'range: bytes=99999999-'],
    [style, 412, 'if-match: "other"'],
    [style, 412, `if-unmodified-since: ${new Date(0).toUTCString()}`],
    ['/docs/.env', 404],
    ['/docs/%2e%2e%2fpackage.json', 404],
    ['/docs/a%00b', 404],
    ['/docs/..%5c..%5cpackage.json', 404],
    ['/docs/%zz', 400],
    [`/docs/${'x'.repeat(3_000)}`, 404],
    ['/docs/package.json', 404],
  ])('returns a client error for %s: %i %s', async (path, status, ...headers) => {
    expect((await raw(`GET ${path}`, ...headers)).body).toEqual(errorBody(status));
  });

  it.each([
    ['get', '/?from=a-bookmark'],
    ['head', '/'],
    ['get', '/docs'],
    ['head', '/docs'],
  ] as const)('is the redirect target of %s %s', async (method, path) => {
    const { status, headers } = await request(service.url)[method](path);
    expect([status, headers['location']]).toEqual([302, 'docs/']);
    expect(headers).not.toHaveProperty('x-error-code');
  });

  it('is available as a page and as a document', async () => {
    const page = await request(service.url).get('/docs').redirects(1).expect(200);
    expect(page.headers).toMatchObject({
      'content-type': expect.stringContaining('text/html'),
      'content-security-policy': expect.stringContaining("default-src 'none'; script-src 'self';"),
      vary: 'accept-encoding',
    });
    const { paths } = await document();
    expect(Object.keys(paths)).toContain('/external/apis/v1.0/leads/{recordSystemId}');
  });

  it('documents code, cause and remedy of every error', async () => {
    const text = JSON.stringify(await document());
    for (const { code, cause, remedy } of allErrors) {
      expect(text).toContain(JSON.stringify(`- \`${code}\`: ${cause}. *${remedy}.*`).slice(1, -1));
    }
  });

  it('documents every event type', async () => {
    const { webhooks } = await document();
    expect(Object.keys(webhooks)).toEqual([...eventTypes, 'webhook.ping']);
    for (const [type, { post }] of Object.entries(webhooks)) {
      const { properties } = post.requestBody.content['application/json'].schema;
      expect(properties).toMatchObject({ type: { enum: [type] } });
      expect('changes' in properties).toBe(type.endsWith('.updated'));
    }
  });

  it('documents nullable objects as one of two types', async () => {
    const { components } = await document();
    const { phase } = components.schemas.UnitDto.properties;
    expect(phase?.anyOf).toEqual([{ $ref: '#/components/schemas/PhaseDto' }, { type: 'null' }]);
    expect(JSON.stringify(components)).not.toContain('nullable');
  });
});

interface Schema {
  readonly properties: Readonly<Record<string, { readonly anyOf?: readonly object[] }>>;
}

interface ReferenceDocument {
  readonly paths: object;
  readonly components: { readonly schemas: { readonly UnitDto: Schema } };
  readonly webhooks: Readonly<Record<string, { readonly post: Webhook }>>;
}

interface Webhook {
  readonly requestBody: {
    readonly content: { readonly 'application/json': { readonly schema: Schema } };
  };
}

async function document(): Promise<ReferenceDocument> {
  return (await request(service.url).get('/docs/openapi.json').expect(200))
    .body as ReferenceDocument;
}
