import { type AddressInfo, createServer, type Server } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import type { Types } from 'mongoose';
import { NameResolver } from '../../src/webhooks/sending/name-resolver.js';
import { WebhookDeliveriesService } from '../../src/webhooks/deliveries/webhook-deliveries.service.js';
import { addTenant, type Tenant } from '../support/builders.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { startWebhookService, type TestEndpoint, type WebhookService } from './webhook-service.js';

const attemptTimeoutMs = 1_500;

let service: WebhookService;
let tenant: Tenant;
let receivers: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  // Eight places for quick endpoints, two for one of them at most, four for those that fail.
  service = await startWebhookService({
    WEBHOOKS_TIMEOUT_MS: String(attemptTimeoutMs),
    WEBHOOKS_CONCURRENCY: '8',
  });
});
beforeEach(async () => {
  tenant = await addTenant(service.db);
});
afterEach(async () => {
  await Promise.all(receivers.map((receiver) => receiver.stop()));
  receivers = [];
  await service.db.collection('webhookEndpoints').deleteMany({});
});
afterAll(() => service.stop());

async function receiverWith(respond: Parameters<typeof startReceiver>[0] = 204): Promise<Receiver> {
  const receiver = await startReceiver(respond);
  receivers.push(receiver);
  return receiver;
}

async function listenOn(server: Server): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receivers.push({ stop: () => new Promise((resolve) => server.close(() => resolve())) });
}

async function theAttempt(deliveryId: Types.ObjectId) {
  const attempts = await service.db.collection('webhookAttempts').find({ deliveryId }).toArray();
  expect(attempts).toHaveLength(1);
  return attempts[0] as Document;
}

/** Has one event sent to a URL; the delivery and the attempt after it. */
async function attemptOnce(url: string) {
  const endpoint = await service.subscribe(tenant, url);
  await service.createLead(tenant);
  const delivery = await service.deliveryOf(endpoint, { attempts: 1 });
  return { delivery, attempt: await theAttempt(delivery._id) };
}

describe('a receiver', () => {
  it('that never responds costs one attempt of bounded time', async () => {
    const { url } = await receiverWith(() => undefined);
    const { delivery, attempt } = await attemptOnce(url);
    expect(delivery).toMatchObject({ status: 'pending', lastStatusCode: null });
    expect(attempt).toMatchObject({
      statusCode: null,
      response: null,
      error: `No response within ${attemptTimeoutMs} ms`,
    });
  });

  it('that takes connections and says nothing costs the same', async () => {
    const server = createServer((socket) => socket.resume());
    await listenOn(server);
    const { port } = server.address() as AddressInfo;
    const { attempt } = await attemptOnce(`http://127.0.0.1:${port}/`);
    expect(attempt).toMatchObject({ error: `No response within ${attemptTimeoutMs} ms` });
  });

  it('that sends its headers byte by byte costs the same', async () => {
    const server = createServer((socket) => {
      const sendByteByByte = setInterval(() => socket.write('H'), 20);
      socket.on('close', () => clearInterval(sendByteByByte)).on('error', () => undefined);
    });
    await listenOn(server);
    const { port } = server.address() as AddressInfo;
    const { delivery, attempt } = await attemptOnce(`http://127.0.0.1:${port}/`);
    expect(delivery).toMatchObject({ status: 'pending', lastStatusCode: null });
    expect(attempt['error']).toEqual(expect.any(String));
  });

  it('that sends its response byte by byte is read until the time is over', async () => {
    let isClosed = false;
    const { url } = await receiverWith((_received, response) => {
      response.writeHead(500);
      const sendByteByByte = setInterval(() => response.write('x'), 20);
      response.on('close', () => {
        clearInterval(sendByteByByte);
        isClosed = true;
      });
    });
    const { attempt } = await attemptOnce(url);
    expect(attempt).toMatchObject({
      statusCode: 500,
      response: expect.stringMatching(/^x+$/),
      error: expect.stringContaining('broke off'),
    });
    expect(isClosed).toBe(true);
  });

  it('that responds with gigabytes is cut off after 4 KiB', async () => {
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

  it('that redirects is not followed', async () => {
    const target = await receiverWith();
    const { url } = await receiverWith((_received, response) =>
      response.writeHead(307, { location: target.url }).end(),
    );
    const { delivery } = await attemptOnce(url);
    expect(delivery).toMatchObject({ status: 'pending', lastStatusCode: 307 });
    expect(target.received).toEqual([]);
  });

  it('that closed an idle connection is asked again on a fresh one, as one attempt', async () => {
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
    await listenOn(server);
    const { port } = server.address() as AddressInfo;
    const { document } = await service.subscribe(tenant, `http://127.0.0.1:${port}/`);
    const deliveries = service.service.app.get(WebhookDeliveriesService);
    let sent = 0;
    // A connection is used again for a second only.
    for (; sent < 20 && !asked.includes(2); sent++) {
      expect(await deliveries.ping(document)).toMatchObject({ statusCode: 204, error: null });
    }
    expect(asked).toContain(2);
    const attempts = service.db.collection('webhookAttempts');
    expect(await attempts.countDocuments({ endpointId: document._id })).toBe(sent);
  });

  it('that closes every connection without a response is asked once', async () => {
    let asked = 0;
    const server = createServer((socket) => {
      socket
        .on('error', () => undefined)
        .on('data', () => {
          asked += 1;
          socket.destroy();
        });
    });
    await listenOn(server);
    const { port } = server.address() as AddressInfo;
    const { attempt } = await attemptOnce(`http://127.0.0.1:${port}/`);
    expect(attempt).toMatchObject({ statusCode: null });
    expect(asked).toBe(1);
  });

  it('that does not listen costs an attempt', async () => {
    const { attempt } = await attemptOnce('http://127.0.0.1:1/');
    expect(attempt).toMatchObject({
      statusCode: null,
      error: expect.stringMatching(/ECONNREFUSED/),
    });
  });
});

describe('many slow receivers', () => {
  it('delay no healthy one, and none of them gets more than its share', async () => {
    const slow = await receiverWith(() => undefined);
    const endpoints: TestEndpoint[] = [];
    for (let number = 0; number < 6; number++) {
      endpoints.push(await service.subscribe(tenant, `${slow.url}/${number}`));
    }
    for (let event = 0; event < 5; event++) await service.createLead(tenant);
    await slow.receivedRequests(4);
    const healthy = await addTenant(service.db);
    const receiver = await receiverWith();
    await service.subscribe(healthy, receiver.url);
    const before = slow.received.length;
    await service.createLead(healthy);
    await receiver.receivedRequests(1);
    // It did not have to wait for the queue of the slow ones.
    expect(before).toBeLessThan(30);
    expect(slow.received.length).toBeLessThan(30);
  });
});

describe('a private address', () => {
  it('that a name resolves to costs an attempt, and nothing is sent', async () => {
    const names = service.service.app.get(NameResolver);
    const original = names.addressesOf.bind(names);
    names.addressesOf = () => Promise.resolve(['169.254.169.254']);
    const { delivery, attempt } = await attemptOnce('http://rebind.example/');
    names.addressesOf = original;
    expect(delivery).toMatchObject({ status: 'pending', failureReason: null, attempts: 1 });
    expect(attempt['error']).toMatch(
      /^rebind\.example: 169\.254\.169\.254 is not a public address/,
    );
  });

  it('is forbidden where it was not when the endpoint was added', async () => {
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

describe('secrets', () => {
  it('are nowhere in the database, and readable by every process on it', async () => {
    const { url, received } = await receiverWith();
    const endpoint = await service.subscribe(tenant, url);
    const stored = await service.db.collection('webhookEndpoints').findOne({ _id: endpoint.id });
    expect(JSON.stringify(stored)).not.toContain(endpoint.secret.slice(6, 20));
    expect(service.logged()).not.toContain(endpoint.secret.slice(6, 20));
    await service.createLead(tenant);
    await service.deliveryOf(endpoint, { status: 'delivered' });
    expect(received).toHaveLength(1);
  });

  it('that no key opens fail the attempt with a message, and are retried', async () => {
    const { url, received } = await receiverWith();
    const endpoint = await service.subscribe(tenant, url);
    await service.db
      .collection('webhookEndpoints')
      .updateOne({ _id: endpoint.id }, { $set: { 'secrets.0.sealed': 's1.00000000.AAAA' } });
    await service.createLead(tenant);
    const delivery = await service.deliveryOf(endpoint, { attempts: 1 });
    expect(delivery).toMatchObject({
      status: 'pending',
      lastError: 'ENCRYPTION_KEYS lacks the key 00000000.',
    });
    expect(received).toEqual([]);
  });
});
