import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { addTenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { startReceiver } from '../support/receiver.js';
import { kill, type ServiceProcess, startProcess } from '../support/service-process.js';
import { type FaultDatabase, startFaultDatabase } from './support/fault-database.js';
import { faultRounds, randomNumbers, report } from './support/fault-rounds.js';
import { LeadLoad, longestWait, statusCounts } from './support/lead-load.js';
import { differences, undelivered } from './support/stored-state.js';
import { subscribe, toLoopback } from './support/subscription.js';

/** A killed process keeps its deliveries for the minute of their lease (rule HOOK-8). */
const leaseMs = 60_000;

let database: FaultDatabase;
let db: Db;
let variables: Record<string, string>;

beforeAll(async () => {
  database = await startFaultDatabase();
  ({ db } = database);
  variables = { MONGODB_URI: database.uri, ...toLoopback };
});
afterAll(() => database.stop());

describe('two instances, one of them killed and restarted under load', () => {
  it('lose no acknowledged change and store nothing twice or partially', async () => {
    const rounds = faultRounds(1, 100);
    const plan = randomNumbers();
    const instances: (ServiceProcess | undefined)[] = await Promise.all(
      [1, 2].map(() => startProcess(variables)),
    );
    const receiver = await startReceiver();
    const ids = new Set<string>();
    receiver.respondWith(({ headers }, response) => {
      ids.add(headers['webhook-id'] ?? '');
      response.writeHead(204).end();
    });
    const tenants = [];
    let changes = 0;
    for (let round = 1; round <= rounds; round++) {
      // Each round can be run again alone: FAULT_SEED is that of its line.
      const random = round === 1 ? plan : randomNumbers(plan.below(2 ** 31));
      const tenant = await addTenant(db);
      tenants.push(tenant);
      await subscribe(database.uri, tenant.organizationId, receiver.url);
      const load = new LeadLoad({
        urls: () => instances.flatMap((one) => (one === undefined ? [] : [one.url])),
        apiKey: tenant.key,
        random,
      });
      load.start(12);
      await load.further(20 + random.below(100));
      await delay(random.below(50));
      const index = random.below(2);
      const victim = instances[index];
      const killed = victim === undefined ? Promise.resolve() : kill(victim);
      instances[index] = undefined;
      await killed;
      await load.further(50);
      instances[index] = await startProcess(variables);
      await load.further(50);
      await load.stop();
      changes += load.acknowledged;
      report(
        `round ${round}, seed ${random.seed}: ${load.acknowledged} changes acknowledged, answers ` +
          `${JSON.stringify(statusCounts(load.answers))}, longest ${longestWait(load.answers)} ms`,
      );
      expect(await differences(db, tenant.organizationId, load.leads)).toEqual([]);
      expect(load.unexpected()).toEqual([]);
    }
    const startedAt = performance.now();
    // As if the minute of its leases were over.
    if (rounds === 1) {
      const end = { $set: { leasedUntil: new Date(0) } };
      await db.collection('webhookEndpoints').updateMany({}, end);
    }
    for (const { organizationId } of tenants) {
      await eventually(async () => {
        expect((await undelivered(db, organizationId, ids)).slice(0, 3)).toEqual([]);
      }, 2 * leaseMs);
    }
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    report(
      `${rounds} kills, ${changes} changes, every event delivered ${seconds} s after the load`,
    );
    await receiver.stop();
    for (const instance of instances) if (instance !== undefined) await kill(instance);
  });
});
