import dns from 'node:dns';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { addCompound, addUnit } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { openSocket, rawRequest, readToEnd, sendRaw } from '../support/raw-http.js';
import { basePath } from '../support/shared-service.js';
import { startTestService, type TestService } from '../support/test-service.js';

let service: TestService;

beforeAll(async () => {
  service = await startTestService({
    MAX_CONNECTIONS: '3',
    HEADER_LIMIT_BYTES: '4096',
    IDLE_TIMEOUT_MS: '100',
    REQUEST_TIMEOUT_MS: '3000',
    BODY_LIMIT_BYTES: '1024',
    JSON_DEPTH_LIMIT: '3',
    DATABASE_DEADLINE_MS: '1000',
  });
});
afterAll(() => service.stop());

const health = () => sendRaw(service.url, `GET /${basePath}/healthz HTTP/1.1`, ['Host: x']);

describe('MAX_CONNECTIONS', () => {
  it('closes and logs connections beyond the limit', async () => {
    const sockets = [1, 2, 3].map(() => openSocket(service.url));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const further = openSocket(service.url).on('error', () => undefined);
    await once(further.resume(), 'close');
    expect(further.bytesRead).toBe(0);
    expect(sockets.map(({ readyState }) => readyState)).toEqual(['open', 'open', 'open']);
    expect(service.logged()).toContain('Closed connections beyond MAX_CONNECTIONS');
    for (const socket of sockets) {
      socket.end();
      await once(socket.resume(), 'close');
    }
    expect((await health()).status).toBe(200);
  });
});

describe('HOST', () => {
  it('makes the service listen on one address when the name resolves to two', async () => {
    const both = ['127.0.0.1', '::1'].map((address, index) => ({ address, family: 4 + 2 * index }));
    const { lookup } = dns;
    const fakeLookup = (name: string, options: object, found: (...found: unknown[]) => void) =>
      'all' in options && name === 'localhost'
        ? found(null, both)
        : lookup(name, options, found as never);
    const spy = jest.spyOn(dns, 'lookup').mockImplementation(fakeLookup as never);
    const other = await startTestService({ HOST: 'localhost' });
    spy.mockRestore();
    const listening = other.service.app.getHttpAdapter().getInstance().addresses();
    await other.stop();
    expect(listening).toMatchObject([{ address: '127.0.0.1' }]);
  });
});

describe('a connection', () => {
  const get = (...headers: string[]) => rawRequest(`GET /${basePath}/healthz`, headers);

  it('receives 408 and closes when its client sends nothing', async () => {
    const response = await readToEnd(openSocket(service.url));
    expect([response.status, response.headers['x-error-code']]).toEqual([408, 'request.timeout']);
  });

  it('closes when it is idle for too long', async () => {
    const socket = openSocket(service.url);
    socket.write(get());
    const { text } = await readToEnd(socket);
    expect(text.match(/^HTTP\/1\.1 .*$/gm)).toEqual(['HTTP/1.1 200 OK']);
  });

  const post = (key: string, body: string) => {
    const headers = ['Content-Type: application/json', `Content-Length: ${body.length}`];
    return rawRequest(`POST /${basePath}/leads`, [`api-key: ${key}`, ...headers], body);
  };
  /** Sends the bytes, and returns the statuses of all responses to them. */
  const statusesOf = async (url: string, bytes: string) => {
    const socket = openSocket(url);
    // The service resets the connection when it does not read a body to its end.
    socket.on('error', () => undefined).write(bytes);
    let text = '';
    socket.on('data', (chunk) => (text += String(chunk)));
    await once(socket, 'close');
    return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  };

  it('stays open after a body that is not JSON', async () => {
    const { key } = await service.addTenant();
    const bytes = post(key, '{') + post(key, '{}') + get('Connection: close');
    expect(await statusesOf(service.url, bytes)).toEqual([400, 201, 200]);
  });
});

describe('a shutdown', () => {
  it('sends a response completely to a client that reads slowly', async () => {
    const other = await startTestService({ DRAIN_MS: '0' });
    const tenant = await other.addTenant();
    const slug = 'long';
    const compoundId = await tenant.add(addCompound, { 'en-us': slug }, { slug });
    const name = { 'en-us': 'x'.repeat(110_000) };
    for (let index = 0; index < 35; index++) {
      await tenant.add(addUnit, { compoundId, slug: `long-${index}`, name });
    }
    const socket = openSocket(other.url);
    socket.write(
      rawRequest(`GET /${basePath}/compounds/${slug}/units`, [`api-key: ${tenant.key}`]),
    );
    const [first] = (await once(socket, 'data')) as [Buffer];
    socket.pause();
    const length = Number(/^content-length: (\d+)\r$/im.exec(String(first))?.[1]);
    const head = first.indexOf('\r\n\r\n') + 4;
    const stopped = other.service.shutDown();
    await eventually(async () => expect(await isRefused(other.url)).toBe(true));
    let received = first.length - head;
    socket.on('data', (chunk: Buffer) => (received += chunk.length)).resume();
    await once(socket, 'close');
    expect(length).toBeGreaterThan(3_000_000);
    expect(received).toBe(length);
    expect(await stopped).toBe(true);
    await other.stop();
  });
});

async function isRefused(url: string): Promise<boolean> {
  const socket = openSocket(url);
  const outcome = await once(socket, 'connect').then(
    () => false,
    () => true,
  );
  socket.destroy();
  return outcome;
}

describe('the size of a request', () => {
  it('is limited by the settings for headers, body and depth', async () => {
    const { key } = await service.addTenant();
    const post = `POST /${basePath}/leads HTTP/1.1`;
    const statusOf = async (body: string, ...headers: string[]) => {
      const length = `Content-Length: ${body.length}`;
      const fields = ['Host: x', `api-key: ${key}`, 'Content-Type: application/json', length];
      return (await sendRaw(service.url, post, [...fields, ...headers], body)).status;
    };
    const text = (length: number) => JSON.stringify({ data: { x: 'x'.repeat(length - 17) } });
    expect(await statusOf('{}', `x: ${'x'.repeat(3_500)}`)).toBe(201);
    expect(await statusOf('{}', `x: ${'x'.repeat(4_200)}`)).toBe(431);
    expect([text(1_024).length, await statusOf(text(1_024))]).toEqual([1_024, 201]);
    expect(await statusOf(text(1_025))).toBe(413);
    expect(await statusOf('{"data":{"x":[1]}}')).toBe(201);
    expect(await statusOf('{"data":{"x":[[]]}}')).toBe(400);
  });
});
