import { beforeAll, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { addTenant, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { startReceiver } from '../support/receiver.js';
import { rounds } from '../support/rounds.js';
import {
  operationsUrl,
  send,
  serviceAfter,
  type ServiceProcess,
  startProcess,
} from '../support/service-process.js';
import { type MetricLine, metricLines, valueOf } from '../operations/metrics-text.js';
import { toLoopback } from '../webhooks/webhook-service.js';
import { useFaultDatabase } from './support/fault-database.js';
import { randomNumbers, report } from './support/random.js';
import { RecordedClients } from './support/recorded-clients.js';
import { subscribe } from './support/subscription.js';

const mebibyte = 1_048_576;
const sampleMs = 2_000;
const collecting = serviceAfter(join(import.meta.dirname, 'support/collected-garbage.mjs'));
/** In the short form the heap is still settling: only its peak says something. */
const minutes = Number(process.env['FAULT_MINUTES'] ?? rounds(0.4, 10));
const warmUpShare = 0.4;
const slopeLimit = minutes >= 5 ? 1 : Infinity;
/** Three minutes of this load need about 460. */
const maxMemory = 600;
/** Backlog metrics; each must be 0 after the load. */
const queues =
  /^integration_api_(lead_requests_waiting|callback_requests_waiting|database_connection_waiting|outbox_\w*|deliver\w*_(waiting|due|backlog)\w*)$/;

const database = useFaultDatabase();
let service: ServiceProcess;
let tenant: Tenant;
const random = randomNumbers();

beforeAll(async () => {
  const variables = { MONGODB_URI: database.uri, OPS_PORT: '0', ...toLoopback };
  service = await startProcess(variables, collecting);
  tenant = await addTenant(database.db);
});

/** The metrics of the service. */
async function metrics(): Promise<MetricLine[]> {
  return metricLines(await (await fetch(`${operationsUrl(service)}/metrics`)).text());
}

/** How many cursors and transactions of the service are open in the database. */
async function openInDatabase() {
  const all = { allUsers: true, idleConnections: true, idleCursors: true, idleSessions: true };
  const operations = await database.db.client
    .db('admin')
    .aggregate([{ $currentOp: all }, { $match: { appName: 'integration-api' } }])
    .toArray();
  const count = (field: string) => operations.filter((one) => one[field] !== undefined).length;
  return { cursors: count('cursor'), transactions: count('transaction') };
}

/** Reads lists, a page and exports until the load is over. */
async function readCatalogue(isOver: () => boolean): Promise<number> {
  const paths = ['/compounds', '/units', '/units?limit=100&sort=price', '/units/export/all'];
  let reads = 0;
  for (; !isOver(); reads++) {
    const path = paths[reads % paths.length] as string;
    const { status } = await send(service.url, { method: 'GET', path, key: tenant.key });
    expect(status).toBe(200);
  }
  return reads;
}

describe('a long mixed load', () => {
  it('keeps memory constant and leaves nothing open or queued', async () => {
    const receiver = await startReceiver();
    // Its received requests would use this test's memory.
    receiver.respondWith((_received, response) => {
      receiver.received.length = 0;
      response.writeHead(204).end();
    });
    await subscribe(database.uri, tenant.organizationId, receiver.url);
    const before = await openInDatabase();
    const clients = new RecordedClients(database.db, tenant, () => [service.url], random);
    const end = Date.now() + minutes * 60_000;
    const isOver = () => Date.now() >= end;
    let written = 0;
    const write = async () => {
      while (!isOver()) {
        await clients.run(400, 6);
        written += clients.history.length;
        clients.forget();
      }
    };
    const samples: (readonly [number, number])[] = [];
    const sample = async () => {
      const startedAt = Date.now();
      while (!isOver()) {
        const memory = valueOf(await metrics(), 'process_resident_memory_bytes');
        samples.push([(Date.now() - startedAt) / 60_000, (memory ?? Number.NaN) / mebibyte]);
        await delay(sampleMs);
      }
    };
    const [reads] = await Promise.all([readCatalogue(isOver), write(), sample()]);
    const warm = samples.slice(Math.floor(samples.length * warmUpShare));
    const slope = slopeOf(warm);
    const memory = warm.map(([, value]) => Math.round(value));
    report(
      `seed ${random.seed}: ${written} operations and ${reads} lists in ${minutes} min, memory ` +
        `${memory[0]} to ${memory.at(-1)} MiB, at most ${Math.max(...memory)}, slope ` +
        `${slope.toFixed(2)} MiB a minute`,
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
    expect(Math.max(...memory)).toBeLessThan(maxMemory);
    await receiver.stop();
  });
});

/** How fast values grow in time: the median of the slopes between any two, so that single peaks count little. */
function slopeOf(samples: readonly (readonly [time: number, value: number])[]): number {
  const slopes = samples.flatMap(([time, value], index) =>
    samples.slice(index + 1).map(([later, other]) => (other - value) / (later - time)),
  );
  return slopes.toSorted((a, b) => a - b)[Math.floor(slopes.length / 2)] ?? 0;
}
