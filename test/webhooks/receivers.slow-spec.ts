import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { describe, expect, it, jest } from '@jest/globals';
import type { Document } from 'mongodb';
import { WebhookSender } from '../../src/webhooks/sending/webhook-sender.js';
import { logLinesWith } from '../support/log-lines.js';
import { eventually } from '../support/eventually.js';
import { startWebhookService, useWebhooks } from './webhook-service.js';

const attemptTimeoutMs = 1_500;

const webhooks = useWebhooks({ WEBHOOKS_TIMEOUT_MS: String(attemptTimeoutMs) });
const { addEndpoint, addReceiver, createLead, passTime } = webhooks;

/** Starts a TCP server whose responses a test writes byte by byte, and returns its URL. */
async function rawReceiver(talk: (socket: Socket) => unknown): Promise<string> {
  const server = createServer((socket) => talk(socket.on('error', () => undefined).resume()));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  webhooks.stopAfterTest(() => new Promise((resolve) => server.close(() => resolve())));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const rawResponse = (text: string) =>
  rawReceiver((socket) => socket.once('data', () => socket.end(text)));

/** Sends one event to a URL and returns its delivery and first attempt. */
async function attemptOnce(url: string) {
  const { service, tenant } = webhooks;
  const endpoint = await service.subscribe(tenant, url);
  await createLead();
  const delivery = await service.waitForDeliveryOf(endpoint, { attempts: 1 });
  const [attempt, ...others] = delivery['log'] as [Document, ...Document[]];
  expect(others).toEqual([]);
  return { delivery, attempt };
}

describe('an attempt', () => {
  const timedOut = `No response within ${attemptTimeoutMs} ms`;
  const drip = (socket: Socket) => {
    socket.write('HTTP/1.1 200 OK\r\nx-drip: ');
    const timer = setInterval(() => socket.write('x'), 20);
    socket.on('close', () => clearInterval(timer));
  };

  it.each<[string, () => string | Promise<string>, string]>([
    ['does not respond', () => rawReceiver(() => undefined), timedOut],
    ['sends its headers byte by byte', () => rawReceiver(drip), timedOut],
    ['does not listen', () => 'http://127.0.0.1:1/', 'ECONNREFUSED'],
  ])('fails when the receiver %s', async (_title, listen, error) => {
    const { delivery, attempt } = await attemptOnce(await listen());
    expect(delivery).toMatchObject({ status: 'pending' });
    expect(attempt).toMatchObject({ statusCode: null, response: null });
    expect(attempt['error']).toContain(error);
  });

  it('is made once when the receiver closes every connection without a response', async () => {
    let requests = 0;
    const url = await rawReceiver((socket) =>
      socket.on('data', () => {
        requests += 1;
        socket.destroy();
      }),
    );
    const { attempt } = await attemptOnce(url);
    expect([attempt['statusCode'], requests]).toEqual([null, 1]);
  });

  it('is made on a new connection when the receiver has closed an idle one', async () => {
    const requests: number[] = [];
    // Simulates a receiver that closes each idle connection just when the next request arrives.
    const url = await rawReceiver((socket) => {
      const index = requests.push(0) - 1;
      socket.on('data', () => {
        requests[index] = (requests[index] ?? 0) + 1;
        if (requests[index] > 1) socket.destroy();
        else socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      });
    });
    const { service, tenant } = webhooks;
    const { document } = await service.subscribe(tenant, url);
    // Connections are reused for only one second, so a slow machine needs several attempts.
    for (let pings = 0; pings < 20 && !requests.includes(2); pings++) {
      const result = await service.deliveries.ping(document);
      expect(result).toMatchObject({ statusCode: 204, error: null });
    }
    expect(requests).toContain(2);
  });

  it.each([
    [500, 'pending'],
    [200, 'delivered'],
  ])('keeps status %i and the partial body when the body does not end', async (status, state) => {
    let isClosed = false;
    const endpoint = await addEndpoint((_received, response) => {
      response.writeHead(status);
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => {
        clearInterval(timer);
        isClosed = true;
      });
    });
    await createLead();
    const { log } = await endpoint.waitForDelivery({ attempts: 1, status: state });
    expect(log).toMatchObject([{ statusCode: status, response: expect.stringMatching(/^x+$/) }]);
    expect(log[0].error).toContain('Could not read the response body: it took longer than 1000 ms');
    await eventually(async () => {
      expect(isClosed).toBe(true);
      // A success after a second does not make the endpoint fast.
      expect(['new', 'slow']).toContain((await endpoint.stored())?.['latencyClass']);
    });
  });

  it('reads at most 4 KiB of a response', async () => {
    const chunk = Buffer.alloc(65_536, 'x');
    let written = 0;
    const { url } = await addReceiver((_received, response) => {
      const gigabytes = new Readable({
        read() {
          written += chunk.length;
          this.push(written < 4 * 2 ** 30 ? chunk : null);
        },
      });
      pipeline(gigabytes, response.writeHead(200), () => undefined);
    });
    const { delivery, attempt } = await attemptOnce(url);
    expect(delivery).toMatchObject({ status: 'delivered' });
    expect(attempt['response']).toBe('x'.repeat(4_096));
    expect(written).toBeLessThan(32 * 2 ** 20);
  });

  it.each([307, 301])(
    'does not follow a redirect with %i, but stores its target',
    async (status) => {
      const target = await addReceiver();
      const { url } = await addReceiver((_received, response) =>
        response.writeHead(status, { location: target.url }).end(),
      );
      const { delivery } = await attemptOnce(url);
      const redirect = { statusCode: status, redirectsTo: target.url };
      expect(delivery).toMatchObject({ status: 'pending', log: [redirect] });
      expect(target.received).toEqual([]);
    },
  );

  it.each([
    [308, '/hooks/?token=1', expect.stringMatching(/^http:\/\/127.0.0.1:\d+\/hooks\/\?token=1$/)],
    [302, `https://far.example/${'x'.repeat(9_000)}`, expect.stringMatching(/^.{2048}$/)],
    [303, 'http://[', null],
    [304, undefined, null],
    [200, 'https://far.example/', null],
  ])('stores where %i with the location %.40s redirects', async (status, location, target) => {
    const { url } = await addReceiver((_received, response) =>
      response.writeHead(status, location === undefined ? {} : { location }).end(),
    );
    const { attempt } = await attemptOnce(url);
    expect(attempt).toMatchObject({ statusCode: status, redirectsTo: target });
  });

  const interim = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n';
  const manyHeaders = Array.from({ length: 60 }, (_, index) => `x-${index}: ${'a'.repeat(1_000)}`);
  it.each([
    ['after interim responses', `${interim}HTTP/1.1 204 No Content\r\n\r\n`],
    ['with 60 KiB of headers', `HTTP/1.1 204 No\r\n${manyHeaders.join('\r\n')}\r\n\r\n`],
  ])('has the outcome of the final response %s', async (_title, text) => {
    const { delivery, attempt } = await attemptOnce(await rawResponse(text));
    expect(delivery).toMatchObject({ status: 'delivered' });
    expect(attempt).toMatchObject({ statusCode: 204, error: null });
  });

  it('delays the next one when Retry-After is sent twice', async () => {
    const headers = 'retry-after: 90\r\nretry-after: 90\r\ncontent-length: 0';
    const url = await rawResponse(`HTTP/1.1 503 No\r\n${headers}\r\n\r\n`);
    const { delivery, attempt } = await attemptOnce(url);
    expect(delivery['nextAttemptAt'] - attempt['startedAt']).toBeGreaterThanOrEqual(90_000);
  });
});

describe('a private address', () => {
  it('gets no connection when a name resolves to it', async () => {
    const { names } = webhooks.service.service.app.get(WebhookSender);
    const resolved = jest.spyOn(names, 'addressesOf').mockResolvedValue(['169.254.169.254']);
    const { delivery, attempt } = await attemptOnce('http://rebind.example/');
    resolved.mockRestore();
    expect(delivery).toMatchObject({ status: 'pending', failureReason: null });
    expect(attempt['error']).toMatch(/^rebind\.example: 169\.254\.169\.254 is not a public/);
  });

  it('is refused even when it was allowed at the time the endpoint was added', async () => {
    const { url, received, document } = await addEndpoint();
    const strict = await startWebhookService(
      { WEBHOOKS_ALLOW_PRIVATE_NETWORKS: 'false', ROLE: 'api' },
      webhooks.service.databaseUri,
    );
    const message = '127.0.0.1 is not a public address';
    await expect(strict.subscribe(webhooks.tenant, url)).rejects.toThrow(message);
    const { error } = await strict.deliveries.ping(document);
    expect(error).toContain(message);
    expect(received).toEqual([]);
    await strict.stop();
  });
});

describe('webhook secrets', () => {
  it('appear in plain text neither in the database nor in the log', async () => {
    const endpoint = await addEndpoint();
    await createLead();
    await endpoint.waitForDelivery({ status: 'delivered' });
    const stored = JSON.stringify(await endpoint.stored());
    expect(`${stored}${webhooks.service.logged()}`).not.toContain(endpoint.secret.slice(6, 20));
  });

  it('pause their endpoint and are logged once when no key can open them', async () => {
    const endpoint = await addEndpoint();
    const sealed = (await endpoint.stored())?.['secrets'][0].sealed as string;
    await endpoint.store({ 'secrets.0.sealed': 's1.00000000.AAAA' });
    const fault = 'The key 00000000 is missing in ENCRYPTION_KEYS: add it at the end.';
    for (let count = 0; count < 3; count++) {
      await createLead();
      await passTime(61_000);
    }
    await eventually(async () => {
      expect(await endpoint.stored()).toMatchObject({ fault, pausedUntil: expect.any(Date) });
    });
    const { service } = webhooks;
    const lines = logLinesWith(service.logged(), endpoint.id.toHexString());
    expect(lines.map((line) => JSON.stringify(line).includes(fault))).toEqual([true]);
    const shown = await service.endpoints.inspect(endpoint.document._id);
    expect(shown?.shown).toMatchObject({ fault, isEnabled: true });
    await expect(service.deliveries.ping(shown?.document as never)).rejects.toThrow(fault);
    await endpoint.waitForDelivery({ status: 'pending', attempts: 0, log: [] });
    expect(endpoint.received).toEqual([]);
    await endpoint.store({ 'secrets.0.sealed': sealed });
    await passTime(61_000);
    await endpoint.waitForDelivery({ status: 'delivered' });
    await eventually(async () => expect(await endpoint.stored()).toMatchObject({ fault: null }));
  });
});

describe('a test event', () => {
  it('contains the URL without its query', async () => {
    const endpoint = await addEndpoint(204, { path: '/in?token=secret#part' });
    await webhooks.service.deliveries.ping(endpoint.document);
    const [request] = endpoint.received;
    expect(request?.path).toMatch(/token=secret/);
    expect(JSON.parse(request?.body ?? '')).toMatchObject({
      type: 'webhook.ping',
      data: { url: `${endpoint.url}/in` },
    });
  });
});
