import { describe, expect, it } from '@jest/globals';
import { Pool } from 'undici';
import { range } from '../support/counting.js';
import { eventually } from '../support/eventually.js';
import { operationsUrl, startProcess } from '../support/service-process.js';
import { basePath } from '../support/shared-service.js';
import { randomDatabaseUri } from '../support/test-service.js';
import { metricLines, valueOf } from './metrics-text.js';

/** A request may take this long while nobody reads the log. */
const maxWaitMs = 5_000;
const healthPath = `/${basePath}/healthz`;

const variables = { MONGODB_URI: randomDatabaseUri(), LOG_LEVEL: 'info', OPS_PORT: '0' };
const service = await startProcess({ ...variables, ROLE: 'api' });
const { stdout } = service.process;
const operations = operationsUrl(service);

const get = (address: string) => fetch(address, { signal: AbortSignal.timeout(maxWaitMs) });
const lines = () =>
  service
    .stdout()
    .split('\n')
    .filter((line) => line.startsWith('{'));

async function droppedLines(): Promise<number> {
  const text = await (await get(`${operations}/metrics`)).text();
  return valueOf(metricLines(text), 'integration_api_log_lines_dropped_total') ?? 0;
}

/** Stops reading the log, sends requests until lines are dropped, and returns the number of requests. */
async function stallReader(): Promise<number> {
  stdout.pause();
  const pool = new Pool(service.url, { connections: 8, headersTimeout: maxWaitMs });
  const before = await droppedLines();
  let sent = 0;
  while ((await droppedLines()) === before) {
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
    const sent = await stallReader();
    for (const path of [service.url + healthPath, `${operations}/livez`, `${operations}/readyz`]) {
      expect((await get(path)).status).toBe(200);
    }
    const droppedCount = await droppedLines();
    stdout.resume();
    await eventually(() => expect(lines().at(-1)).toContain('Log lines were dropped'));
    const entries = lines().map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(entries.at(-1)).toMatchObject({ level: 40, dropped: droppedCount });
    const completed = entries.filter(({ msg }) => msg === 'request completed');
    expect(completed.length + droppedCount).toBe(sent + 1);
    await get(service.url + healthPath);
    await eventually(() => expect(lines().at(-1)).toContain('request completed'));
  });

  it('does not prevent the process from exiting', async () => {
    await stallReader();
    const signaledAt = performance.now();
    service.process.kill('SIGTERM');
    expect(await service.exited).toBe(0);
    expect(performance.now() - signaledAt).toBeLessThan(maxWaitMs);
  });
});
