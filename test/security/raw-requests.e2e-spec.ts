import { once } from 'node:events';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { openSocket, rawRequest } from '../support/raw-http.js';
import { basePath, sharedService } from '../support/shared-service.js';
import type { TenantApi } from '../support/tenant-api.js';

const service = sharedService();
let tenant: TenantApi;

beforeAll(async () => {
  tenant = await service.addTenant();
});

/** A proxy that parses the preceding bytes differently would forward this as a separate request. */
const smuggled = () => post([`Content-Length: ${body.length}`, 'x-request-id: smuggled'], body);
const body = '{"recordSystemId":"raw"}';

/** Sends the bytes, and returns everything that the service sends until it closes the connection. */
async function exchange(bytes: string): Promise<{ statuses: number[]; text: string }> {
  const socket = openSocket(service.url);
  socket.on('error', () => undefined);
  socket.write(Buffer.from(bytes, 'latin1'));
  // If the service waits for more bytes, it sees the client disconnect.
  const ending = setTimeout(() => socket.end(), 2_000);
  let text = '';
  try {
    for await (const chunk of socket) text += String(chunk);
  } catch {
    // A reset also ends the connection.
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

const length = `Content-Length: ${body.length}`;
const inChunks = 'Transfer-Encoding: chunked';
const health = `/${basePath}/healthz`;
/** Each row has a name, headers, and a body if it differs from the usual one. */
const ambiguousPosts: readonly (readonly [string, readonly string[], string?])[] = [
  ['a length and chunks', ['Content-Length: 4', inChunks], chunked(body)],
  ['chunks and a length', [inChunks, 'Content-Length: 4'], chunked(body)],
  ['two lengths', [length, 'Content-Length: 2']],
  ['one length twice', [length, length]],
  ['a list of lengths', [`${length}, ${body.length}`]],
  ['a length with a sign', [`Content-Length: +${body.length}`]],
  ['a negative length', ['Content-Length: -1']],
  ['a hexadecimal length', ['Content-Length: 0x18']],
  ['an excessive length', [`Content-Length: ${'9'.repeat(30)}`]],
  ['a blank before the colon', [`Content-Length : ${body.length}`]],
  ['a folded line', ['X-Folded: a', ' b', length]],
  ['a folded length', ['Content-Length:', ` ${body.length}`]],
  ['an unknown transfer encoding', ['Transfer-Encoding: xchunked'], chunked(body)],
  ['chunks that are not last', ['Transfer-Encoding: chunked, identity'], chunked(body)],
  ['chunks within another encoding', ['Transfer-Encoding: gzip, chunked'], chunked(body)],
  ['two hosts and a body', ['Host: y', length]],
  ['a carriage return alone', [`X: a\r${length}`]],
  ['a null character in a header', ['X: a\0b', length]],
  ['a header without a name', [': x', length]],
  ['a chunk size that is not a number', [inChunks], `zz\r\n${body}\r\n0\r\n\r\n`],
  ['an excessive chunk size', [inChunks], `${'f'.repeat(17)}\r\n${body}\r\n0\r\n\r\n`],
  ['a chunk size with a sign', [inChunks], `-1\r\n${body}\r\n0\r\n\r\n`],
  ['a chunk without its line end', [inChunks], '2\r\n{}x\r\n0\r\n\r\n'],
];
const inHttp10 = (...headers: readonly string[]) =>
  post([...headers, inChunks], chunked(body)).replace('HTTP/1.1', 'HTTP/1.0');

describe('an ambiguous request', () => {
  it.each<[string, () => string]>([
    ...ambiguousPosts.map(([name, headers, sent = body]): [string, () => string] => {
      return [name, () => post(headers, sent)];
    }),
    ['a transfer encoding in HTTP/1.0', () => inHttp10()],
    ['a transfer encoding in HTTP/1.0 with keep-alive', () => inHttp10('Connection: keep-alive')],
    ['two hosts and a broken path', () => get('/%zz', 'Host: y')],
    ['no host', () => get(health).replace('Host: x\r\n', '')],
    ['two hosts', () => get(health, 'Host: y')],
    ['lines without a carriage return', () => post([length], body).replaceAll('\r\n', '\n')],
    ['the HTTP/2 preface', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown version', () => get('/').replace('HTTP/1.1', 'HTTP/3.7')],
    ['no version', () => `GET ${health}\r\n\r\n`],
    ['a method with a blank', () => get('/').replace('GET', 'GE T')],
    ['a blank in the path', () => get(`/${basePath}/leads/a b`)],
    ['a null character in the path', () => get(`/${basePath}/leads/a\0b`)],
  ])('returns 400 and closes the connection: %s', async (_, bytes) => {
    const { statuses, text } = await exchange(bytes() + smuggled());
    expect([statuses, text.includes('x-request-id: smuggled')]).toEqual([[400], false]);
    expect(text).toMatch(/^connection: close\r$/im);
  });

  it('stores nothing', async () => {
    expect(await tenant.count('leads')).toBe(0);
  });

  it('returns 400 after a large response on the same connection', async () => {
    const file = rawRequest('GET /docs/openapi.json', []);
    const { statuses, text } = await exchange(`${file}NONSENSE\r\n\r\n`);
    expect(statuses).toEqual([200, 400]);
    expect(text.length).toBeGreaterThan(20_000);
  });
});

describe('an offer to upgrade', () => {
  it('is ignored, and nothing that follows it on the connection runs', async () => {
    const offer = get(health, 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c');
    const { statuses, text } = await exchange(offer + smuggled());
    expect([statuses, text.includes('x-request-id: smuggled')]).toEqual([[200], false]);
    expect(text).toMatch(/^connection: close\r$/im);
    const socket = openSocket(service.url).on('error', () => undefined);
    const hidden = rawRequest(`GET ${health}`, ['x-request-id: hidden']);
    const posted = post([`Content-Length: ${hidden.length}`], '');
    socket.write(offer + posted);
    let received = '';
    socket.on('data', (chunk) => (received += String(chunk)));
    await once(socket, 'data');
    socket.write(hidden);
    await once(socket, 'close');
    expect(received).not.toContain('hidden');
  });
});

describe('responses to earlier requests', () => {
  const ok = () => get(health, 'x-request-id: earlier');

  it.each<[string, () => string, number[]]>([
    ['a wrong host', () => get(health, 'Host: y'), [400]],
    ['bytes that are not HTTP', () => 'NONSENSE\r\n\r\n', [400]],
    ['CONNECT', () => rawRequest('CONNECT x:1', []), [400]],
  ])('arrive before the one to %s', async (_, last, statuses) => {
    const received = await exchange(ok() + ok() + last());
    expect(received.statuses).toEqual([200, 200, ...statuses]);
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
