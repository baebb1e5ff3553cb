import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { rounds } from '../support/rounds.js';
import { startProcess } from '../support/service-process.js';
import { startFaultDatabase } from './support/fault-database.js';
import { installPythonPackages } from './support/python-packages.js';
import { randomNumbers, report } from './support/random.js';

const run = promisify(execFile);
const folder = join(import.meta.dirname, 'schemathesis');
const programs = await installPythonPackages(join(folder, 'requirements.txt'));
const { uri } = await startFaultDatabase();

/** Runs all checks on a service against its own reference. The hooks of Schemathesis count the requests. */
async function runSchemathesis(url: string, apiKey: string, seed: number) {
  const counts = join(await mkdtemp(join(tmpdir(), 'schemathesis-')), 'counts.json');
  const args = [
    `--config-file=${join(folder, 'schemathesis.toml')}`,
    'run',
    `${url}/docs/openapi.json`,
    `--header=api-key: ${apiKey}`,
    `--max-examples=${rounds(20, 300)}`,
    `--seed=${seed}`,
    '--no-color',
  ];
  const own = {
    SERVICE_URL: url,
    SERVICE_KEY: apiKey,
    COUNTS_FILE: counts,
    FAULT_SEED: String(seed),
  };
  const env = { ...process.env, ...own, PYTHONDONTWRITEBYTECODE: '1' };
  const options = { env, maxBuffer: Infinity };
  await run(join(programs ?? '', 'schemathesis'), args, options).catch((error: unknown) => {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(stdout + stderr, { cause: error });
  });
  return JSON.parse(await readFile(counts, 'utf8')) as {
    readonly requests: number;
    readonly statuses: Readonly<Record<string, number>>;
  };
}

describe('requests generated from the reference', () => {
  const itIfInstalled = programs === undefined ? it.skip : it;

  itIfInstalled('return only documented responses and no 5xx', async () => {
    const wanted = rounds(600, 30_000);
    // Most of the time is spent in single-threaded Python. The short run uses one worker and leaves the
    // second processor to other tests.
    const concurrency = rounds(1, 2);
    // The short run repeats the same requests, so that only changes of the code affect it. The full run sends new ones.
    const usualSeed = rounds(20_261_122, randomInt(2 ** 31));
    const random = randomNumbers(Number(process.env['FAULT_SEED'] ?? usualSeed));
    // Development mode adds the demo organization and prints its key.
    const service = await startProcess({ MONGODB_URI: uri, NODE_ENV: 'development' });
    let apiKey = '';
    await eventually(() => {
      [apiKey = ''] = /iapi_[\w-]+/.exec(service.output()) ?? [];
      expect(apiKey).not.toBe('');
    });
    let requests = 0;
    const seeds = [random.seed];
    const sendAll = async (): Promise<void> => {
      const seed = seeds.pop() ?? random.below(2 ** 31);
      const done = await runSchemathesis(service.url, apiKey, seed);
      requests += done.requests;
      report(`seed ${seed}: ${requests} requests, the last ${JSON.stringify(done.statuses)}`);
      expect(done.requests).toBeGreaterThan(0);
      expect(Object.keys(done.statuses).filter((status) => status >= '5')).toEqual([]);
      if (requests < wanted) await sendAll();
    };
    await Promise.all(Array.from({ length: concurrency }, sendAll));
    expect(service.output()).not.toMatch(/unhandled/i);
    expect(service.process.exitCode).toBeNull();
  });
});
