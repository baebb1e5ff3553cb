import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool } from 'undici';
import { range } from '../support/counting.js';
import { eventually } from '../support/eventually.js';
import { compiledService, serviceEnvironment } from '../support/service-process.js';
import { basePath } from '../support/shared-service.js';
import { randomDatabaseUri } from '../support/test-service.js';
import { metricLines, valueOf } from './metrics-text.js';

/** How long a request may take although nobody reads the log. */
const maxWaitMs = 5_000;
const healthPath = `/${basePath}/healthz`;

const folder = mkdtempSync(join(tmpdir(), 'stalled-log-'));
const fifo = join(folder, 'log');
execFileSync('mkfifo', [fifo]);
const reader = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
const writer = openSync(fifo, constants.O_WRONLY);
const [program = '', ...args] = compiledService;
const variables = { MONGODB_URI: randomDatabaseUri(), LOG_LEVEL: 'info', OPS_PORT: '0' };
const child = spawn(program, args, {
  env: serviceEnvironment({ ...variables, ROLE: 'api' }),
  stdio: ['ignore', writer, 'inherit'],
});
closeSync(writer);
afterAll(() => {
  child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

let text = '';
/** Everything that the service has written into its pipe, which only this function reads. */
function read(): string {
  const chunk = Buffer.alloc(65_536);
  try {
    for (let length; (length = readSync(reader, chunk)) > 0;)
      text += chunk.toString('utf8', 0, length);
  } catch {
    // There is nothing more for now.
  }
  return text;
}

const lines = () =>
  read()
    .split('\n')
    .filter((line) => line.startsWith('{'));

let url: string;
let operations: string;
beforeAll(() =>
  eventually(() => {
    [, url = ''] = /Listening on\s+(http:\S+)\/external/.exec(read()) ?? [];
    [, operations = ''] = /Metrics and probes\s+(http:\S+)\n/.exec(read()) ?? [];
    expect([url, operations]).not.toContain('');
  }),
);

const get = (address: string) => fetch(address, { signal: AbortSignal.timeout(maxWaitMs) });

async function dropped(): Promise<number> {
  const metrics = await (await get(`${operations}/metrics`)).text();
  return valueOf(metricLines(metrics), 'integration_api_log_lines_dropped_total') ?? 0;
}

/** Sends requests until lines of the log are dropped, and returns how many it sent. */
async function stall(): Promise<number> {
  const pool = new Pool(url, { connections: 8, headersTimeout: maxWaitMs });
  const before = await dropped();
  let sent = 0;
  while ((await dropped()) === before) {
    const requests = range(500).map(async () => {
      const { statusCode, body } = await pool.request({ method: 'GET', path: healthPath });
      await body.dump();
      expect(statusCode).toBe(200);
    });
    await Promise.all(requests);
    sent += requests.length;
  }
  await pool.close();
  return sent;
}

describe('a stalled reader of the log', () => {
  it('blocks no request and no probe, and gets whole lines with a drop count', async () => {
    const sent = await stall();
    for (const path of [url + healthPath, `${operations}/livez`, `${operations}/readyz`]) {
      expect((await get(path)).status).toBe(200);
    }
    const lost = await dropped();
    await eventually(() => expect(lines().at(-1)).toContain('Log lines were dropped'));
    const entries = lines().map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(entries.at(-1)).toMatchObject({ level: 40, dropped: lost });
    const completed = entries.filter(({ msg }) => msg === 'request completed');
    expect(completed.length + lost).toBe(sent + 1);
    await get(url + healthPath);
    await eventually(() => expect(lines().at(-1)).toContain('request completed'));
  });

  it('does not prevent the process from exiting', async () => {
    await stall();
    const signaledAt = performance.now();
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(performance.now() - signaledAt).toBeLessThan(maxWaitMs);
  });
});
