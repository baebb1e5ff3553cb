import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Db, MongoClient } from 'mongodb';
import { addKey, addTenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { startReceiver } from '../support/receiver.js';
import {
  send,
  serviceAfter,
  type ServiceProcess,
  startProcess,
} from '../support/service-process.js';
import { basePath } from '../support/shared-service.js';
import { randomNumbers, report } from './support/fault-rounds.js';
import { LeadLoad, longestWait, statusCounts } from './support/lead-load.js';
import { type ReplicaSet, startReplicaSet } from './support/replica-set.js';
import { differences, undelivered } from './support/stored-state.js';
import { subscribe, toLoopback } from './support/subscription.js';

const hourMs = 3_600_000;
/** How far the time that is signed may be off for the receivers' libraries. */
const toleranceMs = 300_000;
const moved = serviceAfter(join(import.meta.dirname, 'support/moved-clock.mjs'));

let set: ReplicaSet;
let client: MongoClient;
let db: Db;

beforeAll(async () => {
  set = await startReplicaSet(1);
  client = await new MongoClient(set.uri('faults')).connect();
  db = client.db();
});
afterAll(async () => {
  await client.close();
  await set.stop();
});

describe('an instance whose clock jumps an hour ahead and back', () => {
  it('keeps keys, limits, leases, signatures and changes valid', async () => {
    const random = randomNumbers();
    // Limits that hold, and that the load does not reach.
    const variables = { MONGODB_URI: set.uri('faults'), RATE_LIMIT_RPS: '1000', ...toLoopback };
    const [jumping, steady] = await Promise.all([
      startProcess(variables, moved),
      startProcess(variables),
    ]);
    const instances: readonly ServiceProcess[] = [jumping, steady];
    const tenant = await addTenant(db);
    const receiver = await startReceiver();
    const ids = new Set<string>();
    const skews = new Map<string, number>();
    receiver.respondWith(({ headers, at }, response) => {
      ids.add(headers['webhook-id'] ?? '');
      skews.set(headers['webhook-id'] ?? '', Number(headers['webhook-timestamp']) * 1_000 - at);
      response.writeHead(204).end();
    });
    await subscribe(variables.MONGODB_URI, tenant.organizationId, receiver.url);
    const load = new LeadLoad({
      urls: () => instances.map(({ url }) => url),
      apiKey: tenant.key,
      random,
    });
    // Valid now, and no more in an hour.
    const expiresAt = new Date(Date.now() + hourMs / 2);
    const shortKey = await addKey(db, tenant.organizationId, { expiresAt });
    const statusOf = async (key: string) =>
      (await send(jumping.url, { method: 'GET', path: '/compounds', key })).status;
    const becomes = (status: number) =>
      eventually(async () => expect(await statusOf(shortKey)).toBe(status), 10_000);
    const repeated = { name: 'Repeated', data: { marker: 'repeated', step: 0 } };
    const repeat = () => load.post(repeated, { 'idempotency-key': 'over-the-jump' }, jumping.url);

    const first = await repeat();
    const { _id, leadId } = first.body?.lead ?? { _id: '', leadId: 0 };
    load.leads.push({ marker: 'repeated', _id, leadId, step: 0, repetitions: 0 });
    load.start(6);
    await load.further(50);
    await becomes(200);
    jumping.process.kill('SIGUSR2');
    await becomes(401);
    expect((await repeat()).body).toEqual(first.body);
    await load.further(100);
    jumping.process.kill('SIGHUP');
    await becomes(200);
    expect((await repeat()).body).toEqual(first.body);
    await load.further(100);
    await load.stop();

    report(
      `seed ${random.seed}: ${load.acknowledged} changes acknowledged, answers ` +
        `${JSON.stringify(statusCounts(load.answers))}, longest ${longestWait(load.answers)} ms`,
    );
    expect(await differences(db, tenant.organizationId, load.leads, 'in any order')).toEqual([]);
    expect(statusCounts(load.unexpected())).toEqual({});
    for (const { url } of instances) {
      expect((await fetch(`${url}/${basePath}/healthz`)).status).toBe(200);
    }
    // Retries scheduled by the clock that was ahead are due when that hour has passed.
    jumping.process.kill('SIGUSR2');
    await eventually(async () => {
      expect((await undelivered(db, tenant.organizationId, ids)).slice(0, 3)).toEqual([]);
    }, 120_000);
    jumping.process.kill('SIGHUP');
    await delay(100);
    const before = ids.size;
    skews.clear();
    const last = new LeadLoad({ urls: () => [jumping.url], apiKey: tenant.key, random });
    await last.create('recordSystemId');
    await eventually(() => expect(ids.size).toBeGreaterThan(before), 120_000);
    for (const skew of skews.values()) expect(Math.abs(skew)).toBeLessThan(toleranceMs);
    await last.stop();
    await receiver.stop();
  });
});
