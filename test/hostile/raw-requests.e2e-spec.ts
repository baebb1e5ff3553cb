import { beforeAll, describe, expect, it } from '@jest/globals';
import { addTenant, type Tenant } from '../support/builders.js';
import { openSocket, rawRequest } from '../support/raw-http.js';
import { basePath, sharedService } from '../support/shared-service.js';

const service = sharedService();
let tenant: Tenant;

beforeAll(async () => {
  tenant = await addTenant(service.db);
});

/** A proxy that parses the bytes differently would read this as a separate request. */
const smuggled = () => post([`Content-Length: ${body.length}`, 'x-request-id: smuggled'], body);
const body = '{"recordSystemId":"raw"}';

/** Everything that comes for these bytes until the service closes the connection. */
async function exchange(bytes: string): Promise<{ statuses: number[]; text: string }> {
  const socket = openSocket(service.url);
  socket.on('error', () => undefined);
  socket.write(Buffer.from(bytes, 'latin1'));
  // Where it waits for more, the end of what is sent ends the wait.
  const ending = setTimeout(() => socket.end(), 2_000);
  let text = '';
  try {
    for await (const chunk of socket) text += String(chunk);
  } catch {
    // A reset ends it too.
  }
  clearTimeout(ending);
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  return { statuses, text };
}

const withKey = () => `api-key: ${tenant.key}`;
const post = (headers: readonly string[], sent: string) =>
  rawRequest(
    `POST /${basePath}/leads`,
    [withKey(), 'Content-Type: application/json', ...headers],
    sent,
  );
const get = (path: string, ...headers: readonly string[]) =>
  rawRequest(`GET ${path}`, [withKey(), ...headers]);
const chunked = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;

describe('an ambiguous request', () => {
  it.each<[string, () => string]>([
    [
      'a length and chunks',
      () => post(['Content-Length: 4', 'Transfer-Encoding: chunked'], chunked(body)),
    ],
    [
      'chunks and a length',
      () => post(['Transfer-Encoding: chunked', 'Content-Length: 4'], chunked(body)),
    ],
    ['two lengths', () => post([`Content-Length: ${body.length}`, 'Content-Length: 2'], body)],
    ['one length twice', () => post(Array(2).fill(`Content-Length: ${body.length}`), body)],
    ['a list of lengths', () => post([`Content-Length: ${body.length}, ${body.length}`], body)],
    ['a length with a sign', () => post([`Content-Length: +${body.length}`], body)],
    ['a negative length', () => post(['Content-Length: -1'], body)],
    ['a hexadecimal length', () => post(['Content-Length: 0x18'], body)],
    ['an excessive length', () => post([`Content-Length: ${'9'.repeat(30)}`], body)],
    ['a blank before the colon', () => post([`Content-Length : ${body.length}`], body)],
    ['a folded line', () => post(['X-Folded: a', ' b', `Content-Length: ${body.length}`], body)],
    ['a folded length', () => post(['Content-Length:', ` ${body.length}`], body)],
    ['an unknown transfer encoding', () => post(['Transfer-Encoding: xchunked'], chunked(body))],
    [
      'two transfer encodings with chunks not last',
      () => post(['Transfer-Encoding: chunked, identity'], chunked(body)),
    ],
    [
      'a transfer encoding in HTTP/1.0',
      () => post(['Transfer-Encoding: chunked'], chunked(body)).replace('HTTP/1.1', 'HTTP/1.0'),
    ],
    [
      'a transfer encoding in HTTP/1.0 on a keep-alive connection',
      () =>
        post(['Connection: keep-alive', 'Transfer-Encoding: chunked'], chunked(body)).replace(
          'HTTP/1.1',
          'HTTP/1.0',
        ),
    ],
    [
      'chunks within another encoding',
      () => post(['Transfer-Encoding: gzip, chunked'], chunked(body)),
    ],
    [
      'an upgrade request',
      () => get(`/${basePath}/healthz`, 'Connection: Upgrade', 'Upgrade: h2c'),
    ],
    [
      'an upgrade request with a body',
      () =>
        post(['Connection: Upgrade', 'Upgrade: websocket', `Content-Length: ${body.length}`], body),
    ],
    ['no host', () => get(`/${basePath}/healthz`).replace('Host: x\r\n', '')],
    ['two hosts', () => get(`/${basePath}/healthz`, 'Host: y')],
    ['two hosts and a body', () => post(['Host: y', `Content-Length: ${body.length}`], body)],
    [
      'lines without a carriage return',
      () => post([`Content-Length: ${body.length}`], body).replaceAll('\r\n', '\n'),
    ],
    ['a carriage return alone', () => post([`X: a\rContent-Length: ${body.length}`], body)],
    [
      'a null character in a header',
      () => post(['X: a\0b', `Content-Length: ${body.length}`], body),
    ],
    ['a header without a name', () => post([': x', `Content-Length: ${body.length}`], body)],
    [
      'a chunk size that is not a number',
      () => post(['Transfer-Encoding: chunked'], `zz\r\n${body}\r\n0\r\n\r\n`),
    ],
    [
      'an excessive chunk size',
      () => post(['Transfer-Encoding: chunked'], `${'f'.repeat(17)}\r\n${body}\r\n0\r\n\r\n`),
    ],
    [
      'a chunk size with a sign',
      () => post(['Transfer-Encoding: chunked'], `-1\r\n${body}\r\n0\r\n\r\n`),
    ],
    [
      'a chunk without its line end',
      () => post(['Transfer-Encoding: chunked'], `2\r\n{}x\r\n0\r\n\r\n`),
    ],
    ['the HTTP/2 preface', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown version', () => get('/').replace('HTTP/1.1', 'HTTP/3.7')],
    ['no version', () => `GET /${basePath}/healthz\r\n\r\n`],
    ['a method with a blank', () => get('/').replace('GET', 'GE T')],
    ['a blank in the path', () => get(`/${basePath}/leads/a b`)],
    ['a null character in the path', () => get(`/${basePath}/leads/a\0b`)],
  ])('returns 400 and closes the connection: %s', async (_, bytes) => {
    const { statuses, text } = await exchange(bytes() + smuggled());
    expect([statuses, text.includes('x-request-id: smuggled')]).toEqual([[400], false]);
    expect(text).toMatch(/^connection: close\r$/im);
  });

  it('stores nothing', async () => {
    const stored = { organizationId: tenant.organizationId };
    expect(await service.db.collection('leads').countDocuments(stored)).toBe(0);
  });

  it('is independent of a large response before it', async () => {
    const file = 'GET /docs/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n';
    const { statuses, text } = await exchange(`${file}NONSENSE\r\n\r\n`);
    expect(statuses).toEqual([200, 400]);
    expect(text.length).toBeGreaterThan(20_000);
  });
});

describe('a path', () => {
  it.each([
    ['an encoded parent', '/leads/..%2f..%2fhealthz', 404, 'lead.not_found'],
    ['a parent with encoded dots', '/leads/%2e%2e', 404, 'lead.not_found'],
    ['an unencoded parent', '/leads/../healthz', 404, 'route.not_found'],
    ['a null character', '/leads/a%00b', 400, 'validation.failed'],
    ['overlong UTF-8', '/leads/%c0%ae%c0%ae', 400, 'request.malformed'],
    ['half a surrogate pair', '/leads/%ed%a0%80', 400, 'request.malformed'],
    ['broken percent-encoding', '/leads/%', 400, 'request.malformed'],
    ['a parent encoded twice', '/leads/%252e%252e%252fhealthz', 404, 'lead.not_found'],
    ['a line end', '/leads/a%0d%0ax-injected:%201', 404, 'lead.not_found'],
    ['a semicolon', '/leads;/none', 404, 'route.not_found'],
    ['a backslash', '/leads%5cnone', 404, 'route.not_found'],
    ['two slashes', '//leads/none', 404, 'route.not_found'],
    ['another case', '/LEADS/none', 404, 'route.not_found'],
    ['a long parameter', `/leads/${'x'.repeat(3_000)}`, 414, 'request.path_too_long'],
  ])('with %s reaches no other route', async (_, path, status, code) => {
    const { statuses, text } = await exchange(get(`/${basePath}${path}`, 'Connection: close'));
    expect(statuses).toEqual([status]);
    expect(/^x-error-code: (.*)\r$/im.exec(text)?.[1]).toBe(code);
    expect(text).not.toMatch(/^x-injected/im);
  });

  it('can be an absolute URL, whose host is ignored', async () => {
    const path = `http://evil.example/${basePath}/leads/none`;
    const { statuses, text } = await exchange(get(path, 'Connection: close'));
    expect(statuses).toEqual([404]);
    expect(text).toContain('lead.not_found');
    expect(text).not.toContain('evil.example');
  });
});
