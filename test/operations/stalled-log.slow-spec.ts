import { execFileSync, type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool } from 'undici';
import { eventually } from '../support/eventually.js';
import { compiledService, serviceEnvironment } from '../support/service-process.js';
import { basePath } from '../support/shared-service.js';
import { randomDatabaseUri } from '../support/test-service.js';
import { metricLines, valueOf } from './metrics-text.js';

/** How long a request may take although nobody reads the log. */
const maxWaitMs = 5_000;

/** A service whose standard output is a pipe that is read only when the test does so. */
interface PipedService {
  readonly process: ChildProcess;
  readonly url: string;
  readonly operations: string;
  /** Everything that it has written and that was read, with what is in the pipe now. */
  read(): string;
  /** Resolves with the exit code, null when a signal ended it. */
  readonly exited: Promise<number | null>;
}

let folder: string;
const children: ChildProcess[] = [];
const databaseUri = randomDatabaseUri();

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalled-log-'));
});
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

async function start(name: string): Promise<PipedService> {
  const fifo = join(folder, name);
  execFileSync('mkfifo', [fifo]);
  const reader = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(fifo, constants.O_WRONLY);
  const [program = '', ...args] = compiledService;
  const child = spawn(program, args, {
    env: serviceEnvironment({
      MONGODB_URI: databaseUri,
      LOG_LEVEL: 'info',
      OPS_PORT: '0',
      ROLE: 'api',
    }),
    stdio: ['ignore', writer, 'inherit'],
  });
  children.push(child);
  closeSync(writer);
  let text = '';
  const read = () => {
    const chunk = Buffer.alloc(65_536);
    for (;;) {
      try {
        const length = readSync(reader, chunk);
        if (length === 0) return text;
        text += chunk.toString('utf8', 0, length);
      } catch {
        return text; // nothing more for now
      }
    }
  };
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  await eventually(() => {
    expect(read()).toMatch(/Listening on/);
    expect(read()).toMatch(/Metrics and probes\s+http:\S+\n/);
  });
  const [, url = ''] = /Listening on\s+(http:\S+)\/external/.exec(text) ?? [];
  const [, operations = ''] = /Metrics and probes\s+(http:\S+)/.exec(text) ?? [];
  return { process: child, url, operations, read, exited };
}

const get = (url: string) => fetch(url, { signal: AbortSignal.timeout(maxWaitMs) });

async function dropped({ operations }: PipedService): Promise<number> {
  const text = await (await get(`${operations}/metrics`)).text();
  return valueOf(metricLines(text), 'integration_api_log_lines_dropped_total') ?? 0;
}

/** Sends requests until lines of the log are dropped, and returns how many it sent. */
async function stall(service: PipedService): Promise<number> {
  const pool = new Pool(service.url, { connections: 8, headersTimeout: maxWaitMs });
  let sent = 0;
  const statuses = new Set<number>();
  while ((await dropped(service)) === 0) {
    const requests = Array.from({ length: 500 }, async () => {
      const { statusCode, body } = await pool.request({
        method: 'GET',
        path: `/${basePath}/healthz`,
      });
      await body.dump();
      statuses.add(statusCode);
    });
    await Promise.all(requests);
    sent += requests.length;
  }
  await pool.close();
  expect([...statuses]).toEqual([200]);
  return sent;
}

describe('a stalled reader of the log', () => {
  it('blocks no request and no probe, and gets whole lines with a drop count', async () => {
    const service = await start('goes-on');
    const sent = await stall(service);
    expect((await get(`${service.url}/${basePath}/healthz`)).status).toBe(200);
    expect((await get(`${service.operations}/livez`)).status).toBe(200);
    expect((await get(`${service.operations}/readyz`)).status).toBe(200);
    const lost = await dropped(service);
    const lines = () =>
      service
        .read()
        .split('\n')
        .filter((line) => line.startsWith('{'));
    await eventually(() => {
      expect(lines().at(-1)).toContain('Log lines were dropped');
    });
    const entries = lines().map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(entries.at(-1)).toMatchObject({ level: 40, dropped: lost });
    const completed = entries.filter(({ msg }) => msg === 'request completed');
    expect(completed.length + lost).toBe(sent + 1);
    await get(`${service.url}/${basePath}/healthz`);
    await eventually(() => expect(lines().at(-1)).toContain('request completed'));
    service.process.kill('SIGTERM');
    expect(await service.exited).toBe(0);
  });
});
