import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runCliProcess } from '../operator/command-line.js';
import { eventually } from '../support/eventually.js';
import { runToEnd, send, startProcess } from '../support/service-process.js';
import { basePath } from '../support/shared-service.js';

describe('processes on one data folder', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'integration-api-shared-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('start one database between them, and go on when the one that started it ends', async () => {
    const variables = { DATA_FOLDER: folder };
    const [one, two] = await Promise.all([
      runCliProcess(['org', 'create', '--name', 'One', '--json'], variables),
      runCliProcess(['org', 'create', '--name', 'Two', '--json'], variables),
    ]);
    expect([one, two]).toEqual(Array(2).fill(expect.objectContaining({ code: 0, stderr: '' })));

    const first = await startProcess(variables);
    const second = await startProcess(variables);
    first.process.kill('SIGTERM');
    expect(await first.exited).toBe(0);
    await eventually(async () => {
      expect((await fetch(`${second.url}/${basePath}/healthz`)).status).toBe(200);
    });
    second.process.kill('SIGTERM');
    expect(await second.exited).toBe(0);
  });
});

describe('a start without configuration', () => {
  let folder: string;
  const environment = () => ({ NODE_ENV: 'development', DATA_FOLDER: folder });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'integration-api-embedded-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('brings a database, demo data and a key, and keeps all of it for the next one', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const failed = await runToEnd({ ...environment(), PORT: String(port) });
    const line = `Another program listens on 127.0.0.1:${port} already: set PORT to a free one.`;
    expect([failed.code, failed.output.trim().split('\n').at(-1)]).toEqual([1, line]);
    taken.close();

    const first = await startProcess(environment());
    const key = /Demo API key\s+(\S+)/.exec(first.output())?.[1] ?? '';
    expect(first.output()).toMatch(/API reference\s+http:\S+\/docs/);
    expect(first.output()).toContain(folder);
    const body = { recordSystemId: 'kept', project: 'Palm Meadows' };
    const lead = await send(first.url, { method: 'POST', path: '/leads', key, body });
    expect([lead.status, lead.body.lead.compoundsIds.length]).toEqual([201, 1]);
    first.process.kill('SIGTERM');
    expect(await first.exited).toBe(0);

    const second = await startProcess(environment());
    expect(second.output()).not.toContain('Demo API key');
    const read = await send(second.url, { method: 'GET', path: '/leads/kept', key });
    expect(read.body.lead).toEqual(lead.body.lead);
    second.process.kill('SIGINT');
    expect(await second.exited).toBe(0);
  });
});
