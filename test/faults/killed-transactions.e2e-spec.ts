import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { type ExactResponse, type KeyedRequest, post } from '../idempotency/keyed-requests.js';
import { addTenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { kill, startProcess } from '../support/service-process.js';
import { startFaultDatabase } from './support/fault-database.js';
import { startTcpProxy } from './support/tcp-proxy.js';
import { addWriteRequests, countStored, type WriteRequest } from './support/write-requests.js';

/** A retry gets its response within this time after the kill (rule HTTP-23). */
const maxMs = 12_000;

const { db, server, startService } = await startFaultDatabase();
const { url } = await startService();
const proxy = await startTcpProxy(server.port);

afterEach(() => {
  proxy.faults.cutCommit = () => undefined;
});
afterAll(() => proxy.stop());

interface Interrupted extends WriteRequest {
  readonly apiKey: string;
  readonly key: string;
  /** Its transaction is open; the other requests wait for it in the killed process. */
  readonly isCommitting: boolean;
}

async function countOpenTransactions(): Promise<number> {
  const { transactions } = await server.command({ serverStatus: 1 });
  return transactions.currentOpen;
}

/**
 * Kills an instance whose commits have not reached the database: one transaction of each endpoint, each in an
 * organization of its own, stays open on the server.
 */
async function killWhileCommitting() {
  const uri = `mongodb://127.0.0.1:${proxy.port}/faults?directConnection=true`;
  const victim = await startProcess({ MONGODB_URI: uri, ROLE: 'api' });
  const [earlierCuts, alreadyOpen] = [proxy.cuts(), await countOpenTransactions()];
  proxy.faults.cutCommit = () => 'held';
  const { organizationId: anyId } = await addTenant(db);
  const paths = new Set((await addWriteRequests(db, anyId, randomUUID())).map(({ path }) => path));
  const requests: Interrupted[] = [];
  for (const path of paths) {
    const { organizationId, key: apiKey } = await addTenant(db);
    const all = await addWriteRequests(db, organizationId, randomUUID());
    for (const [index, request] of all.filter((one) => one.path === path).entries()) {
      const interrupted = { ...request, apiKey, key: randomUUID(), isCommitting: index === 0 };
      requests.push(interrupted);
      post({ ...interrupted, url: victim.url }).catch(() => undefined);
      const open = requests.filter(({ isCommitting }) => isCommitting).length;
      await eventually(async () => {
        expect(proxy.cuts() - earlierCuts).toBe(open);
        const key = { $in: requests.map((one) => one.key) };
        const claims = await db.collection('idempotencyRecords').countDocuments({ key });
        expect(claims).toBe(requests.length);
      });
    }
  }
  await kill(victim);
  const killedAt = performance.now();
  expect(await countOpenTransactions()).toBe(alreadyOpen + paths.size);
  for (const request of requests) expect(await countStored(db, request)).toBe(0);
  return { requests, killedAt };
}

/** Retries as HTTP-23 asks, and returns the response with the time since the kill. */
async function retry(
  request: Pick<KeyedRequest, 'path' | 'body' | 'apiKey' | 'key'>,
  killedAt: number,
): Promise<ExactResponse & { milliseconds: number }> {
  for (;;) {
    const response = await post({ ...request, url });
    const milliseconds = performance.now() - killedAt;
    if (response.status !== 409) return { ...response, milliseconds };
    await delay(1_000 * Number(response.headers['retry-after']));
  }
}

describe('requests whose instance is killed before their commits reach the database', () => {
  it('return their results in time when they are retried, and are stored once', async () => {
    const { requests, killedAt } = await killWhileCommitting();
    const responses = await Promise.all(requests.map((request) => retry(request, killedAt)));
    for (const [index, request] of requests.entries()) {
      const { milliseconds, ...response } = responses[index] as (typeof responses)[number];
      expect({ ...request, ...response }).toMatchObject({ ...request, isReplayed: false });
      expect(response.status).toBeLessThan(300);
      expect(milliseconds).toBeLessThan(maxMs);
      expect(await post({ ...request, url })).toEqual({ ...response, isReplayed: true });
    }
    await proxy.deliverHeld();
    for (const request of requests) {
      const [, , count] = request.stores;
      expect({ request, count: await countStored(db, request) }).toEqual({ request, count });
    }
  });

  it('return the stored results when the commits arrive before the retry', async () => {
    const { requests, killedAt } = await killWhileCommitting();
    await proxy.deliverHeld();
    const committed = requests.filter(({ isCommitting }) => isCommitting);
    for (const request of committed) {
      const response = await retry(request, killedAt);
      expect({ request, ...response }).toMatchObject({ request, isReplayed: true });
      expect(response.status).toBeLessThan(300);
      const [, , count] = request.stores;
      expect({ request, count: await countStored(db, request) }).toEqual({ request, count });
    }
  });

  it('return their results in time when they are repeated without a key', async () => {
    const { requests, killedAt } = await killWhileCommitting();
    const repeat = (request: Interrupted) => retry({ ...request, key: null }, killedAt);
    const responses = await Promise.all(requests.map(repeat));
    for (const [index, request] of requests.entries()) {
      const { status, milliseconds } = responses[index] as (typeof responses)[number];
      expect({ request, isStored: status < 300 }).toEqual({ request, isStored: true });
      expect(milliseconds).toBeLessThan(maxMs);
      const [, , count] = request.stores;
      expect({ request, count: await countStored(db, request) }).toEqual({ request, count });
    }
  });
});
