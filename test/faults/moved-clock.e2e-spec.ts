import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { addKey, addTenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { startReceiver } from '../support/receiver.js';
import { send, preloadCommand, startProcess } from '../support/service-process.js';
import { basePath } from '../support/shared-service.js';
import { allowLoopback } from '../webhooks/webhook-service.js';
import { startFaultDatabase } from './support/fault-database.js';
import { LeadLoad } from './support/lead-load.js';
import { randomNumbers } from './support/random.js';
import { expectDelivered } from './support/stored-state.js';
import { subscribe } from './support/subscription.js';

const hourMs = 3_600_000;
/** The libraries of receivers accept signed times that differ from theirs by at most this. */
const toleranceMs = 300_000;
const command = preloadCommand(join(import.meta.dirname, 'support/moved-clock.mjs'));

const { db, uri } = await startFaultDatabase();

describe('an instance whose clock jumps an hour ahead and back', () => {
  it('keeps keys, limits, leases, signatures and changes valid', async () => {
    const random = randomNumbers();
    // The rate limit stays enabled, so that its buckets see the clock jump, but the load never reaches it.
    const variables = { MONGODB_URI: uri, RATE_LIMIT_RPS: '1000', ...allowLoopback };
    const [jumping, steady] = await Promise.all([
      startProcess(variables, command),
      startProcess(variables),
    ]);
    const urls = [jumping.url, steady.url];
    const tenant = await addTenant(db);
    const skews = new Map<string, number>();
    const receiver = await startReceiver(({ headers, at }, response) => {
      skews.set(headers['webhook-id'] ?? '', Number(headers['webhook-timestamp']) * 1_000 - at);
      response.writeHead(204).end();
    });
    await subscribe(uri, tenant.organizationId, receiver.url);
    const load = new LeadLoad({ db, tenant, urls: () => urls, random });
    const expiresAt = new Date(Date.now() + hourMs / 2);
    const shortKey = await addKey(db, tenant.organizationId, { expiresAt });
    const request = { method: 'GET', path: '/compounds', key: shortKey };
    const jump = async (signal: 'SIGUSR2' | 'SIGHUP') => {
      jumping.process.kill(signal);
      const status = signal === 'SIGUSR2' ? 401 : 200;
      await eventually(async () => expect((await send(jumping.url, request)).status).toBe(status));
    };
    const repeated = { name: 'Repeated', data: { marker: 'repeated', step: 0 } };
    const repeat = () =>
      load.post(repeated, { 'idempotency-key': 'over-the-jump' }, { url: jumping.url });

    const first = await repeat();
    const { _id, leadId } = first.body?.lead ?? { _id: '', leadId: 0 };
    load.leads.push({ marker: 'repeated', _id, leadId, step: 0, repetitions: 0 });
    load.start(6);
    await load.waitForChanges(50);
    for (const signal of ['SIGUSR2', 'SIGHUP'] as const) {
      await jump(signal);
      expect((await repeat()).body).toEqual(first.body);
      await load.waitForChanges(100);
    }
    await load.stop();

    await load.expectConsistent(Infinity, 'in any order');
    for (const url of urls) {
      expect((await fetch(`${url}/${basePath}/healthz`)).status).toBe(200);
    }
    // Retries that were scheduled by the fast clock are due an hour later.
    await jump('SIGUSR2');
    await expectDelivered(db, tenant.organizationId, skews);
    await jump('SIGHUP');
    skews.clear();
    const last = new LeadLoad({ db, tenant, urls: () => [jumping.url], random });
    await last.create('recordSystemId');
    await eventually(() => expect(skews.size).toBeGreaterThan(0), 120_000);
    for (const skew of skews.values()) expect(Math.abs(skew)).toBeLessThan(toleranceMs);
    await receiver.stop();
  });
});
