import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Db, MongoClient } from 'mongodb';
import { addTenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { openSocket, readToEnd } from '../support/raw-http.js';
import { startReceiver } from '../support/receiver.js';
import { rounds } from '../support/rounds.js';
import { type ServiceProcess, startProcess } from '../support/service-process.js';
import { basePath } from '../support/shared-service.js';
import { randomDatabaseUri } from '../support/test-service.js';
import { toLoopback } from '../webhooks/webhook-service.js';
import { LeadLoad } from './support/lead-load.js';
import { randomNumbers, report } from './support/random.js';
import { subscribe } from './support/subscription.js';

const MONGODB_URI = randomDatabaseUri();
/** On a busy machine requests may take their time; deadlines have tests of their own. */
const patient = { MONGODB_URI, DATABASE_DEADLINE_MS: '30000' };
/** Long enough for a busy test to see that connections are still accepted. */
const draining = { ...patient, ...toLoopback, DRAIN_MS: '3000' };
const random = randomNumbers();
let client: MongoClient;
let db: Db;
let first: ServiceProcess;
let second: ServiceProcess;

beforeAll(async () => {
  client = await new MongoClient(MONGODB_URI).connect();
  db = client.db();
  // Both prepare the empty database; only the first one sends webhooks.
  [first, second] = await Promise.all([
    startProcess(draining),
    startProcess({ ...patient, ROLE: 'api' }),
  ]);
});
afterAll(async () => {
  await db.dropDatabase();
  await client.close();
});

/**
 * Sends one request over a connection of its own.
 *
 * @returns whether the listener took the connection
 * @throws Error when a request that was sent gets no response
 */
async function ask(service: ServiceProcess): Promise<boolean> {
  const socket = openSocket(service.url);
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  if (!isOpen) return false;
  socket.write(`GET /${basePath}/compounds HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  expect((await readToEnd(socket)).status).toBe(401);
  return true;
}

const isRefused = (service: ServiceProcess) =>
  new Promise<boolean>((resolve) => {
    get(`${service.url}/${basePath}/healthz`, { agent: false }, (response) => {
      response.resume();
      resolve(false);
    }).on('error', () => resolve(true));
  });

describe('two concurrent starts', () => {
  it('prepare an empty database', async () => {
    for (const { url } of [first, second]) {
      expect((await fetch(`${url}/${basePath}/healthz`)).status).toBe(200);
    }
    for (const name of ['leads', 'reservations']) {
      const indexes = await db.collection(name).indexes();
      expect(indexes.map(({ name: index }) => index)).toContain('recordSystemId');
    }
  });
});

describe('SIGTERM', () => {
  it('sends every response, accepts for DRAIN_MS, releases leases, and exits in time', async () => {
    // Attempts are open when the signal comes.
    const receiver = await startReceiver((_received, response) => {
      setTimeout(() => response.writeHead(204).end(), 300);
    });
    const endpoints = db.collection('webhookEndpoints');
    for (let round = 1; round <= rounds(1, 10); round++) {
      const service = round === 1 ? first : await startProcess(draining);
      const tenant = await addTenant(db);
      const { organizationId } = tenant;
      await subscribe(MONGODB_URI, organizationId, receiver.url);
      let urls = [service.url];
      const load = new LeadLoad({ db, tenant, urls: () => urls, random });
      load.start(8);
      const cut: string[] = [];
      const askOnAndOn = async () => {
        try {
          while (await ask(service));
        } catch (error) {
          cut.push((error as NodeJS.ErrnoException).code ?? String(error));
        }
      };
      const askers = Array.from({ length: 16 }, askOnAndOn);
      await load.further(50 + random.below(100));
      await eventually(async () => {
        const leased = { organizationId, leaseOwner: { $ne: null } };
        expect(await endpoints.countDocuments(leased)).toBeGreaterThan(0);
      });
      const stalls = monitorEventLoopDelay({ resolution: 10 });
      stalls.enable();
      const signalledAt = performance.now();
      service.process.kill('SIGTERM');
      service.process.kill('SIGTERM');
      await eventually(async () => {
        const health = await fetch(`${service.url}/${basePath}/healthz`);
        expect(health.status).toBe(503);
        expect(health.headers.get('connection')).toBe('close');
        expect(await health.json()).toMatchObject({ ok: false });
      });
      expect(await isRefused(service)).toBe(false);
      expect(await service.exited).toBe(0);
      const milliseconds = performance.now() - signalledAt;
      const answered = load.responses.length;
      urls = [second.url];
      await Promise.all(askers);
      await load.stop();
      report(`round ${round}, ended after ${Math.round(milliseconds)} ms: ${load.summary}`);

      expect(milliseconds).toBeLessThan(10_000);
      expect(await endpoints.distinct('leaseOwner')).toEqual([null]);
      // The second instance, which neither relays nor delivers, may have taken the pass over phones.
      const held = { owner: { $ne: null }, name: { $ne: 'lead-phone-keys' } };
      expect(await db.collection('leases').countDocuments(held)).toBe(0);
      const responses = load.responses.slice(0, answered);
      const closing = responses.filter(({ headers }) => headers.get('connection') === 'close');
      // More than there are connections: some of them on a new one.
      expect(closing.length).toBeGreaterThan(8);
      // On a machine that is so busy that a request is not sent at once on a new connection, that may be reset;
      // requests that the service has read have their response.
      const isBusy = stalls.max > 50e6;
      const allowed = ['ECONNREFUSED', ...(isBusy ? ['ECONNRESET', 'UND_ERR_SOCKET'] : [])];
      const errors = load.responses.flatMap(({ error }) => error ?? []);
      expect([...errors, ...cut].filter((code) => !allowed.includes(code))).toEqual([]);
      expect(await load.wrongs()).toEqual([]);
    }
    await receiver.stop();
  });

  it('reaches the service through npm, with the same shutdown', async () => {
    const service = await startProcess({ MONGODB_URI }, ['npm', 'start', '--silent']);
    service.process.kill('SIGTERM');
    expect(await service.exited).toBe(0);
    expect(await isRefused(service)).toBe(true);
  });

  it('exits in time while a client pipelines, and sends a response to every executed request', async () => {
    const service = await startProcess(patient);
    const { key, organizationId } = await addTenant(db);
    const socket = openSocket(service.url).on('error', () => undefined);
    let text = '';
    socket.on('data', (chunk) => (text += String(chunk)));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const body = '{"name":"pipelined"}';
    const lead =
      `POST /${basePath}/leads HTTP/1.1\r\nHost: x\r\napi-key: ${key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const send = () => {
      if (socket.destroyed) return;
      if (socket.write(lead.repeat(10))) setImmediate(send);
      else socket.once('drain', send);
    };
    send();
    await eventually(() => expect(text).toContain('HTTP/1.1 201'));
    service.process.kill('SIGTERM');
    expect(await service.exited).toBe(0);
    await closed;
    const created = text.match(/HTTP\/1\.1 201/g)?.length;
    expect(await db.collection('leads').countDocuments({ organizationId })).toBe(created);
  });

  it('exits in time with idle connections and incomplete requests', async () => {
    const service = second;
    const agent = new Agent({ keepAlive: true });
    await new Promise((resolve, reject) => {
      get(`${service.url}/${basePath}/healthz`, { agent }, (response) => {
        response.resume();
        response.on('end', resolve);
      }).on('error', reject);
    });
    const sockets = ['', 'GET /healthz HTTP/1.1\r\nHost: x\r\n'].map((sent) => {
      const socket = openSocket(service.url);
      socket.write(sent);
      return socket;
    });
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const signalledAt = performance.now();
    service.process.kill('SIGTERM');
    await Promise.all(sockets.map((socket) => once(socket.resume(), 'close')));
    expect(await service.exited).toBe(0);
    expect(performance.now() - signalledAt).toBeLessThan(10_000);
    agent.destroy();
  });
});
