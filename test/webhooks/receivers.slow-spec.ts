import { type AddressInfo, createServer, type Server } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { WebhookDeliveriesService } from '../../src/webhooks/deliveries/webhook-deliveries.service.js';
import { WebhookSender } from '../../src/webhooks/sending/webhook-sender.js';
import type { Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { startWebhookService, useWebhooks, type WebhookService } from './webhook-service.js';

const attemptTimeoutMs = 1_500;

// Eight attempts at a time, four to new endpoints, two to slow ones or to one endpoint.
const webhooks = useWebhooks({
  WEBHOOKS_TIMEOUT_MS: String(attemptTimeoutMs),
  WEBHOOKS_CONCURRENCY: '8',
});
const { receiverWith } = webhooks;
let service: WebhookService;
let tenant: Tenant;

beforeAll(() => {
  ({ service, tenant } = webhooks);
});

/** The URL of a receiver that talks below HTTP. */
async function listenOn(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  webhooks.stopAfterTest(() => new Promise((resolve) => server.close(() => resolve())));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Has one event sent to a URL; the delivery and the attempt after it. */
async function attemptOnce(url: string) {
  const endpoint = await service.subscribe(tenant, url);
  await service.createLead(tenant);
  const delivery = await service.deliveryOf(endpoint, { attempts: 1 });
  const log = delivery['log'] as Document[];
  expect(log).toHaveLength(1);
  return { delivery, attempt: log[0] as Document };
}

describe('an attempt', () => {
  /** Talks below HTTP until its connection closes. */
  const dripping = createServer((socket) => {
    const drip = setInterval(() => socket.write('H'), 20);
    socket.on('close', () => clearInterval(drip)).on('error', () => undefined);
  });
  const silent = createServer((socket) => socket.on('error', () => undefined).resume());

  it.each([
    ['does not respond', silent],
    ['sends its headers byte by byte', dripping],
  ])('ends after WEBHOOKS_TIMEOUT_MS when the receiver %s', async (_how, server) => {
    const { delivery, attempt } = await attemptOnce(await listenOn(server));
    expect(delivery).toMatchObject({ status: 'pending' });
    expect(attempt).toMatchObject({ statusCode: null, response: null, error: expect.any(String) });
    expect(attempt['milliseconds']).toBeLessThan(attemptTimeoutMs + 5_000);
  });

  it.each([
    [500, 'pending'],
    [200, 'delivered'],
  ])('keeps status %i and the partial body when the body does not end', async (status, state) => {
    let isClosed = false;
    const { url } = await receiverWith((_received, response) => {
      response.writeHead(status);
      const drip = setInterval(() => response.write('x'), 20);
      response.on('close', () => {
        clearInterval(drip);
        isClosed = true;
      });
    });
    const { delivery, attempt } = await attemptOnce(url);
    expect(delivery).toMatchObject({ status: state });
    expect(attempt).toMatchObject({
      statusCode: status,
      response: expect.stringMatching(/^x+$/),
      error: expect.stringContaining('body broke off: it took longer than 1000 ms'),
    });
    await eventually(async () => {
      expect(isClosed).toBe(true);
      const endpoint = await webhooks.endpointNow(delivery['endpointId']);
      // A success that takes a second is no fast one.
      expect(['new', 'slow']).toContain(endpoint?.['latencyClass']);
    });
  });

  it('reads at most 4 KiB of a response', async () => {
    const chunk = Buffer.alloc(65_536, 'x');
    let written = 0;
    const { url } = await receiverWith((_received, response) => {
      response.writeHead(200);
      const gigabytes = new Readable({
        read() {
          written += chunk.length;
          this.push(written < 4 * 2 ** 30 ? chunk : null);
        },
      });
      pipeline(gigabytes, response, () => undefined);
    });
    const { delivery, attempt } = await attemptOnce(url);
    expect(delivery).toMatchObject({ status: 'delivered' });
    expect(attempt['response']).toBe('x'.repeat(4_096));
    expect(written).toBeLessThan(32 * 2 ** 20);
  });

  it('does not follow redirects', async () => {
    const target = await receiverWith();
    const { url } = await receiverWith((_received, response) =>
      response.writeHead(307, { location: target.url }).end(),
    );
    const { delivery } = await attemptOnce(url);
    expect(delivery).toMatchObject({ status: 'pending', log: [{ statusCode: 307 }] });
    expect(target.received).toEqual([]);
  });

  it('is sent on a new connection when the receiver has closed an idle one', async () => {
    const asked: number[] = [];
    // As if it had closed each connection after the first response, but later than it was used.
    const server = createServer((socket) => {
      const number = asked.push(0) - 1;
      socket
        .on('error', () => undefined)
        .on('data', () => {
          asked[number] = (asked[number] ?? 0) + 1;
          if (asked[number] > 1) socket.destroy();
          else socket.write('HTTP/1.1 204 No Content\r\n\r\n');
        });
    });
    const url = await listenOn(server);
    const { document } = await service.subscribe(tenant, url);
    const sender = service.service.app.get(WebhookDeliveriesService);
    let sent = 0;
    // A connection is used again for a second only.
    for (; sent < 20 && !asked.includes(2); sent++) {
      expect(await sender.ping(document)).toMatchObject({ statusCode: 204, error: null });
    }
    expect(asked).toContain(2);
    const pings = await service.db
      .collection('webhookDeliveries')
      .find({ endpointId: document._id })
      .toArray();
    expect(pings.flatMap(({ log }) => log as Document[])).toHaveLength(sent);
  });

  it('is sent once when the receiver closes every connection without a response', async () => {
    let asked = 0;
    const server = createServer((socket) => {
      socket
        .on('error', () => undefined)
        .on('data', () => {
          asked += 1;
          socket.destroy();
        });
    });
    const url = await listenOn(server);
    const { attempt } = await attemptOnce(url);
    expect(attempt).toMatchObject({ statusCode: null });
    expect(asked).toBe(1);
  });

  it('fails when the receiver does not listen', async () => {
    const { attempt } = await attemptOnce('http://127.0.0.1:1/');
    expect(attempt).toMatchObject({
      statusCode: null,
      error: expect.stringMatching(/ECONNREFUSED/),
    });
  });
});

describe('a private address', () => {
  it('gets no connection when a name resolves to it', async () => {
    const { names } = service.service.app.get(WebhookSender);
    const original = names.addressesOf.bind(names);
    names.addressesOf = () => Promise.resolve(['169.254.169.254']);
    const { delivery, attempt } = await attemptOnce('http://rebind.example/');
    names.addressesOf = original;
    expect(delivery).toMatchObject({ status: 'pending', failureReason: null, attempts: 1 });
    expect(attempt['error']).toMatch(
      /^rebind\.example: 169\.254\.169\.254 is not a public address/,
    );
  });

  it('is rejected when it was allowed at the time the endpoint was added', async () => {
    const { url, received } = await receiverWith();
    const endpoint = await service.subscribe(tenant, url);
    const strict = await startWebhookService(
      { WEBHOOKS_ALLOW_PRIVATE_NETWORKS: 'false', ROLE: 'api' },
      service.databaseUri,
    );
    await expect(strict.subscribe(tenant, url)).rejects.toThrow(
      /is not allowed: 127\.0\.0\.1 is not/,
    );
    const result = await strict.service.app.get(WebhookDeliveriesService).ping(endpoint.document);
    expect(result).toMatchObject({
      statusCode: null,
      error: expect.stringContaining('127.0.0.1 is not a public address'),
    });
    expect(received).toEqual([]);
    await strict.stop();
  });
});

describe('the secrets', () => {
  it('are neither in the database nor in the log', async () => {
    const { url, received } = await receiverWith();
    const endpoint = await service.subscribe(tenant, url);
    const stored = await service.db.collection('webhookEndpoints').findOne({ _id: endpoint.id });
    expect(JSON.stringify(stored)).not.toContain(endpoint.secret.slice(6, 20));
    expect(service.logged()).not.toContain(endpoint.secret.slice(6, 20));
    await service.createLead(tenant);
    await service.deliveryOf(endpoint, { status: 'delivered' });
    expect(received).toHaveLength(1);
  });

  it('pause their endpoint and are logged once when no key can open them', async () => {
    const { url, received } = await receiverWith();
    const endpoint = await service.subscribe(tenant, url);
    const endpoints = service.db.collection('webhookEndpoints');
    const sealed = (await endpoints.findOne({ _id: endpoint.id }))?.['secrets'][0].sealed as string;
    const seal = (text: string) =>
      endpoints.updateOne({ _id: endpoint.id }, { $set: { 'secrets.0.sealed': text } });
    await seal('s1.00000000.AAAA');
    const reason = 'The key 00000000 is missing in ENCRYPTION_KEYS: add it at the end.';
    for (let count = 0; count < 3; count++) {
      await service.createLead(tenant);
      await service.passTime(61_000);
    }
    await eventually(async () => {
      const stored = await endpoints.findOne({ _id: endpoint.id });
      expect(stored).toMatchObject({ fault: reason, pausedUntil: expect.any(Date) });
    });
    const lines = service.logged().split('\n');
    const ofEndpoint = lines.filter((line) => line.includes(endpoint.id.toHexString()));
    expect(ofEndpoint.map((line) => line.includes(reason))).toEqual([true]);
    const shown = await service.endpoints.show(endpoint.document._id);
    expect(shown?.shown).toMatchObject({ fault: reason, isEnabled: true });
    const ping = service.service.app.get(WebhookDeliveriesService).ping(shown?.document as never);
    await expect(ping).rejects.toThrow(reason);
    await service.deliveryOf(endpoint, { status: 'pending', attempts: 0, log: [] });
    expect(received).toEqual([]);
    await seal(sealed);
    await service.passTime(61_000);
    await service.deliveryOf(endpoint, { status: 'delivered' });
    await eventually(async () => {
      expect(await endpoints.findOne({ _id: endpoint.id })).toMatchObject({ fault: null });
    });
  });
});

describe('a test event', () => {
  it('contains the URL without its query', async () => {
    const { url, received } = await receiverWith();
    const { document } = await service.subscribe(tenant, `${url}/in?token=secret#part`);
    await service.service.app.get(WebhookDeliveriesService).ping(document);
    expect(received[0]?.path).toMatch(/token=secret/);
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
      type: 'webhook.ping',
      data: { url: `${url}/in` },
    });
  });
});

describe('the final response', () => {
  /** A receiver that answers each request with these bytes. */
  const answering = async (text: string) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined).once('data', () => socket.end(text));
    });
    return listenOn(server);
  };

  it.each([
    ['an unrequested 100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['103 Early Hints', 'HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n'],
    ['102 and 100', 'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n'],
  ])('determines the outcome after %s', async (_what, interim) => {
    const url = await answering(`${interim}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`);
    const { delivery, attempt } = await attemptOnce(url);
    expect(delivery).toMatchObject({ status: 'delivered' });
    expect(attempt).toMatchObject({ statusCode: 200, response: 'ok', error: null });
  });

  it('determines the outcome with 60 KiB of headers', async () => {
    const headers = Array.from(
      { length: 60 },
      (_, index) => `x-${index}: ${'a'.repeat(1_000)}\r\n`,
    );
    const url = await answering(`HTTP/1.1 204 No Content\r\n${headers.join('')}\r\n`);
    expect((await attemptOnce(url)).delivery).toMatchObject({ status: 'delivered' });
  });

  it.each([
    ['twice', 'retry-after: 90\r\nretry-after: 90\r\n'],
    ['with many digits', `retry-after: ${'9'.repeat(30)}\r\n`],
  ])('delays the next attempt with Retry-After %s', async (_how, headers) => {
    const url = await answering(`HTTP/1.1 503 No\r\n${headers}content-length: 0\r\n\r\n`);
    const { delivery, attempt } = await attemptOnce(url);
    expect(delivery['nextAttemptAt'] - attempt['startedAt']).toBeGreaterThanOrEqual(90_000);
  });
});
