import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Db } from 'mongodb';
import { addTenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { startReceiver } from '../support/receiver.js';
import { startProcess } from '../support/service-process.js';
import { type FaultDatabase, startFaultDatabase } from './support/fault-database.js';
import { faultRounds, randomNumbers, report } from './support/fault-rounds.js';
import { LeadLoad, statusCounts } from './support/lead-load.js';
import { differences } from './support/stored-state.js';
import { subscribe, toLoopback } from './support/subscription.js';

let database: FaultDatabase;
let db: Db;
let variables: Record<string, string>;

beforeAll(async () => {
  database = await startFaultDatabase();
  ({ db } = database);
  variables = { MONGODB_URI: database.uri, ...toLoopback };
});
afterAll(() => database.stop());

describe('SIGTERM under load', () => {
  it('sends every response, exits in time and releases leases', async () => {
    const rounds = faultRounds(1, 10);
    const random = randomNumbers();
    // Attempts are open when the signal comes.
    const receiver = await startReceiver((_received, response) => {
      setTimeout(() => response.writeHead(204).end(), 300);
    });
    let started = startProcess(variables);
    for (let round = 1; round <= rounds; round++) {
      const service = await started;
      const tenant = await addTenant(db);
      await subscribe(database.uri, tenant.organizationId, receiver.url);
      let urls = [service.url];
      const load = new LeadLoad({ urls: () => urls, apiKey: tenant.key, random });
      load.start(8);
      await load.further(50 + random.below(100));
      await eventually(async () => {
        const owned = { organizationId: tenant.organizationId, leaseOwner: { $ne: null } };
        expect(await db.collection('webhookEndpoints').countDocuments(owned)).toBeGreaterThan(0);
      });
      const signalledAt = performance.now();
      service.process.kill('SIGTERM');
      expect(await service.exited).toBe(0);
      const milliseconds = Math.round(performance.now() - signalledAt);
      urls = [];

      expect(await db.collection('webhookEndpoints').distinct('leaseOwner')).toEqual([null]);
      expect(await db.collection('leases').countDocuments({ owner: { $ne: null } })).toBe(0);
      // Answered, or refused: a connection that breaks later could be one that was taken.
      const late = load.answers.filter(({ sentAt }) => sentAt > signalledAt);
      const closing = late.filter(({ headers }) => headers['connection'] === 'close');
      const cut = load.answers.filter(
        ({ status, error }) =>
          status === 0 && !['ECONNREFUSED', 'no instance'].includes(error ?? ''),
      );
      report(
        `round ${round}, seed ${random.seed}: ended after ${milliseconds} ms, answers ` +
          `${JSON.stringify(statusCounts(load.answers))}, ${closing.length} of them with ` +
          `Connection: close, ${cut.length} cut`,
      );
      expect(milliseconds).toBeLessThan(10_000);
      expect(closing.length).toBeGreaterThan(0);
      expect(cut).toEqual([]);
      // Refused requests are repeated at the next instance.
      const next = await (started = startProcess(variables));
      urls = [next.url];
      await load.stop();
      expect(await differences(db, tenant.organizationId, load.leads)).toEqual([]);
      expect(statusCounts(load.unexpected())).toEqual({});
    }
    (await started).process.kill('SIGTERM');
    expect(await (await started).exited).toBe(0);
    await receiver.stop();
  });
});
