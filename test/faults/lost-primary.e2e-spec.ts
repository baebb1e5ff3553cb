import { describe, expect, it } from '@jest/globals';
import { addTenant } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { rounds } from '../support/rounds.js';
import { operationsUrl, startProcess } from '../support/service-process.js';
import { basePath } from '../support/shared-service.js';
import { primaryOf, startFaultDatabase } from './support/fault-database.js';
import { LeadLoad } from './support/lead-load.js';
import { randomNumbers, report } from './support/random.js';

/** Maximum response time, even without a primary. */
const maxWaitMs = 10_000;
/** Maximum time from the election of a primary to the next acknowledged change. */
const maxResumptionMs = 5_000;

const { db, uri, members } = await startFaultDatabase(3);
const random = randomNumbers();
const variables = { MONGODB_URI: uri, ROLE: 'api', OPS_PORT: '0' };
const services = await Promise.all([startProcess(variables), startProcess(variables)]);
const urls = () => services.map(({ url }) => url);

const newLoad = async () => new LeadLoad({ db, tenant: await addTenant(db), urls, random });

describe('a replica set whose primary is killed under load', () => {
  it('loses no acknowledged change, and accepts requests soon after the election', async () => {
    for (let round = 1; round <= rounds(1, 20); round++) {
      const load = await newLoad();
      load.start(8);
      await load.waitForChanges(20 + random.below(60));
      const victim = await primaryOf(members);
      const killedAt = performance.now();
      await victim.kill();
      await primaryOf(members.filter((member) => member !== victim));
      const electedAt = performance.now();
      const resumed = () =>
        load.responses.find(({ status, at }) => [200, 201].includes(status) && at > electedAt);
      await eventually(() => expect(resumed()).toBeDefined());
      const resumptionMs = Math.round((resumed()?.at ?? Infinity) - electedAt);
      await load.waitForChanges(60);
      await load.stop();
      await victim.restart();
      const electionMs = Math.round(electedAt - killedAt);
      report(`round ${round}: primary after ${electionMs} ms, response after ${resumptionMs}`);
      await load.expectConsistent(maxWaitMs);
      expect(resumptionMs).toBeLessThan(maxResumptionMs);
    }
  });
});

describe('a replica set without a majority', () => {
  it('returns 503 in time, fails the probes, and recovers without a restart', async () => {
    const load = await newLoad();
    await load.create('recordSystemId');
    const primary = await primaryOf(members);
    const secondaries = members.filter((member) => member !== primary);
    const expectProbes = async (status: number, isHealthy: boolean) => {
      for (const service of services) {
        const probes = [
          [`${service.url}/${basePath}/healthz`, { ok: isHealthy }],
          [`${operationsUrl(service)}/readyz`, { hasPrimary: isHealthy }],
        ] as const;
        for (const [url, body] of probes) {
          await eventually(async () => {
            const response = await fetch(url);
            expect([response.status, await response.json()]).toMatchObject([status, body]);
          });
        }
      }
    };
    await Promise.all(secondaries.map((member) => member.kill()));
    load.start(8);
    await eventually(() => expect(load.unavailable.length).toBeGreaterThan(15));
    await expectProbes(503, false);
    await Promise.all(secondaries.map((member) => member.restart()));
    await load.waitForChanges(50);
    await expectProbes(200, true);
    await load.stop();
    await load.expectConsistent(maxWaitMs);
  });
});
