import { randomInt } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { rounds } from '../support/rounds.js';
import { startProcess } from '../support/service-process.js';
import { useFaultDatabase } from './support/fault-database.js';
import { randomNumbers, report } from './support/random.js';
import { installSchemathesis, runSchemathesis } from './support/schemathesis.js';

const installed = await installSchemathesis();
if ('reason' in installed) report(`No requests are generated. ${installed.reason}`);
const whereSchemathesisIs = 'reason' in installed ? it.skip : it;
const folder = 'reason' in installed ? '' : installed.folder;

const database = useFaultDatabase();

describe('requests generated from the reference', () => {
  whereSchemathesisIs('return only documented responses and no 5xx', async () => {
    const wanted = rounds(600, 100_000);
    const maxExamples = rounds(20, 1_000);
    // Most of the time is Python's, on one processor; in the short form other tests use the second one.
    const atOnce = rounds(1, 2);
    // A change is judged by the same requests each time; new ones are for the long form.
    const usualSeed = rounds(20_261_122, randomInt(2 ** 31));
    const random = randomNumbers(Number(process.env['FAULT_SEED'] ?? usualSeed));
    // With the demo organization, whose key is printed once.
    const service = await startProcess({ MONGODB_URI: database.uri, NODE_ENV: 'development' });
    let apiKey = '';
    await eventually(() => {
      [apiKey = ''] = /iapi_[\w-]+/.exec(service.output()) ?? [];
      expect(apiKey).not.toBe('');
    });
    const statuses: Record<string, number> = {};
    let requests = 0;
    const seeds = [random.seed];
    const sendAll = async (): Promise<void> => {
      const seed = seeds.pop() ?? random.below(2 ** 31);
      const done = await runSchemathesis(folder, { url: service.url, apiKey, seed, maxExamples });
      requests += done.requests;
      for (const [status, count] of Object.entries(done.statuses)) {
        statuses[status] = (statuses[status] ?? 0) + count;
      }
      report(`seed ${seed}: ${requests} requests, answers ${JSON.stringify(statuses)}`);
      if (done.exitCode !== 0) throw new Error(done.output);
      expect(done.requests).toBeGreaterThan(0);
      if (requests < wanted) await sendAll();
    };
    await Promise.all(Array.from({ length: atOnce }, sendAll));
    expect(Object.keys(statuses).filter((status) => status >= '5')).toEqual([]);
    expect(service.output()).not.toMatch(/unhandled/i);
    expect(service.process.exitCode).toBeNull();
  });
});
