import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { addTenant, type Tenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { startReceiver } from '../support/receiver.js';
import {
  send,
  serviceAfter,
  type ServiceProcess,
  startProcess,
} from '../support/service-process.js';
import { type FaultDatabase, startFaultDatabase } from './support/fault-database.js';
import { faultRounds, randomNumbers, report } from './support/fault-rounds.js';
import { RecordedClients } from './support/recorded-clients.js';
import { metricsOf, openInDatabase, slopeOf } from './support/soak-readings.js';
import { subscribe, toLoopback } from './support/subscription.js';

const mebibyte = 1_048_576;
const sampleMs = 2_000;
const collecting = serviceAfter(join(import.meta.dirname, 'support/collected-garbage.mjs'));
/** In the short form the heap is still settling; only what runs away is found. */
const minutes = Number(process.env['FAULT_MINUTES'] ?? faultRounds(0.4, 10));
const warmUpShare = 0.4;
const slopeLimit = minutes >= 5 ? 1 : 300;
/** Backlog metrics; each must be 0 after the load. */
const queues =
  /^integration_api_(lead_requests_waiting|callback_requests_waiting|database_connection_waiting|delivery_results_unstored|outbox_\w*|deliver\w*_(waiting|due|backlog)\w*)(\{|$)/;

let database: FaultDatabase;
let service: ServiceProcess;
let tenant: Tenant;
let operations: string;
const random = randomNumbers();

beforeAll(async () => {
  database = await startFaultDatabase();
  const variables = { MONGODB_URI: database.uri, OPS_PORT: '0', ...toLoopback };
  service = await startProcess(variables, collecting);
  operations = /Metrics and probes\s+(http:[^\s"]+)/.exec(service.output())?.[1] ?? '';
  tenant = await addTenant(database.db);
});
afterAll(() => database.stop());

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
    const before = await openInDatabase(database.db);
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
        const memory = (await metricsOf(operations)).get('process_resident_memory_bytes');
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
      const waiting = [...(await metricsOf(operations))].filter(([name]) => queues.test(name));
      expect(waiting.length).toBeGreaterThan(4);
      expect(waiting.filter(([, value]) => value !== 0)).toEqual([]);
    });
    await eventually(async () => {
      const { cursors, transactions } = await openInDatabase(database.db);
      expect(transactions).toBe(0);
      expect(cursors).toBeLessThanOrEqual(before.cursors);
    });
    const { connections } = await openInDatabase(database.db);
    report(`${before.cursors} cursors before and after, ${connections} connections`);
    expect(clients.unexpected).toEqual([]);
    expect(service.output()).not.toMatch(/unhandled/i);
    expect(slope).toBeLessThan(slopeLimit);
    clients.stop();
    await receiver.stop();
  });
});
