import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { addTenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { startReceiver } from '../support/receiver.js';
import { rounds } from '../support/rounds.js';
import { operationsUrl, send, preloadCommand, startProcess } from '../support/service-process.js';
import { metricLines, valueOf } from '../operations/metrics-text.js';
import { allowLoopback } from '../webhooks/webhook-service.js';
import { startFaultDatabase } from './support/fault-database.js';
import { randomNumbers, report } from './support/random.js';
import { RecordedClients } from './support/recorded-clients.js';
import { subscribe } from './support/subscription.js';

const mebibyte = 1_048_576;
const sampleMs = 2_000;
/** The heap is still settling in the short run, so only its peak is meaningful then. */
const minutes = Number(process.env['FAULT_MINUTES'] ?? rounds(0.4, 10));
const warmUpShare = 0.4;
const slopeLimit = minutes >= 5 ? 1 : Infinity;
/** Three minutes of this load need about 460 MiB. */
const maxMemoryMiB = 600;
/** Each of these backlogs must be 0 after the load. */
const queues =
  /^integration_api_(lead_requests_waiting|transactions_waiting|database_connection_waiting|outbox_\w*|deliver\w*_(waiting|due|backlog)\w*)$/;
const paths = ['/compounds', '/units', '/units?limit=100&sort=price', '/units/export/all'];

const random = randomNumbers();
const { db, uri } = await startFaultDatabase();
const { key, organizationId } = await addTenant(db);
const service = await startProcess(
  // `npm start` and the image set this too: more arenas would keep freed memory.
  { MONGODB_URI: uri, OPS_PORT: '0', MALLOC_ARENA_MAX: '1', ...allowLoopback },
  preloadCommand(join(import.meta.dirname, 'support/collected-garbage.mjs')),
);

const metrics = async () =>
  metricLines(await (await fetch(`${operationsUrl(service)}/metrics`)).text());

/** Counts the cursors and transactions of the service that are open in the database. */
async function openInDatabase() {
  const all = { allUsers: true, idleConnections: true, idleCursors: true, idleSessions: true };
  const operations = await db.client
    .db('admin')
    .aggregate([{ $currentOp: all }, { $match: { appName: 'integration-api' } }])
    .toArray();
  const count = (field: string) => operations.filter((one) => one[field] !== undefined).length;
  return { cursors: count('cursor'), transactions: count('transaction') };
}

describe('a long mixed load', () => {
  it('keeps memory constant and leaves nothing open or queued', async () => {
    const receiver = await startReceiver();
    // Stored requests of the receiver would count as memory of this process.
    receiver.respondWith((_received, response) => {
      receiver.received.length = 0;
      response.writeHead(204).end();
    });
    await subscribe(uri, organizationId, receiver.url);
    const before = await openInDatabase();
    const clients = new RecordedClients(db, { key, organizationId }, () => [service.url], random);
    const startedAt = Date.now();
    const endsAt = startedAt + minutes * 60_000;
    let [written, reads] = [0, 0];
    const samples: [minute: number, memory: number][] = [];
    const write = async () => {
      await clients.run(400, 6);
      written += clients.history.length;
      clients.clearHistory();
    };
    const read = async () => {
      const path = paths[reads++ % paths.length] as string;
      expect(await send(service.url, { method: 'GET', path, key })).toMatchObject({ status: 200 });
    };
    const sample = async () => {
      const memory = valueOf(await metrics(), 'process_resident_memory_bytes') ?? Number.NaN;
      samples.push([(Date.now() - startedAt) / 60_000, memory / mebibyte]);
      await delay(sampleMs);
    };
    const repeatUntilEnd = async (work: () => Promise<void>) => {
      while (Date.now() < endsAt) await work();
    };
    await Promise.all([write, read, sample].map(repeatUntilEnd));
    const warm = samples.slice(Math.floor(samples.length * warmUpShare));
    // The median of the slopes between any two samples is robust against single peaks.
    const slopes = warm.flatMap(([minute, value], index) =>
      warm.slice(index + 1).map(([later, other]) => (other - value) / (later - minute)),
    );
    const slope = slopes.toSorted((a, b) => a - b)[Math.floor(slopes.length / 2)] ?? 0;
    const peak = Math.max(...warm.map(([, value]) => value));
    report(
      `seed ${random.seed}: ${written} operations and ${reads} lists in ${minutes} min, ` +
        `at most ${peak.toFixed()} MiB, slope ${slope.toFixed(2)} MiB a minute`,
    );
    await eventually(async () => {
      const waiting = (await metrics()).filter(({ name }) => queues.test(name));
      expect(waiting.length).toBeGreaterThan(4);
      expect(waiting.filter(({ value }) => value !== 0)).toEqual([]);
    });
    await eventually(async () => {
      const { cursors, transactions } = await openInDatabase();
      expect(transactions).toBe(0);
      expect(cursors).toBeLessThanOrEqual(before.cursors);
    });
    expect(clients.unexpected).toEqual([]);
    expect(service.output()).not.toMatch(/unhandled/i);
    expect(slope).toBeLessThan(slopeLimit);
    expect(peak).toBeLessThan(maxMemoryMiB);
    await receiver.stop();
  });
});
