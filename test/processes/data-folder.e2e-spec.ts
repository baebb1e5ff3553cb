import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startMongod } from '../../src/database/embedded/embedded-mongod.js';
import { openSharedMongod } from '../../src/database/embedded/shared-mongod.js';
import { eventually } from '../support/eventually.js';
import { runToEnd, send, startProcess } from '../support/service-process.js';
import { basePath } from '../support/shared-service.js';

describe('processes on one data folder', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'integration-api-shared-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('use one database, which stops with the process that started it and returns with the next', async () => {
    const [one, two] = await Promise.all([openSharedMongod(folder), openSharedMongod(folder)]);
    expect(two.uri).toBe(one.uri);
    await Promise.all([one.stop(), two.stop()]);

    const variables = { DATA_FOLDER: folder, DATABASE_DEADLINE_MS: '1000' };
    const owner = await startProcess(variables);
    const other = await startProcess(variables);
    owner.process.kill('SIGTERM');
    expect(await owner.exited).toBe(0);
    const expectStatus = (status: number) =>
      eventually(async () => {
        expect((await fetch(`${other.url}/${basePath}/healthz`)).status).toBe(status);
      }, 15_000);
    await expectStatus(503);
    const next = await startProcess(variables);
    await expectStatus(200);
    for (const { process, exited } of [other, next]) {
      process.kill('SIGTERM');
      expect(await exited).toBe(0);
    }
  });

  it('end with one line when the folder is kept by a database that does not respond', async () => {
    const taken = await mkdtemp(join(tmpdir(), 'integration-api-taken-'));
    // Without its state file the database cannot be found.
    const mongod = await startMongod(join(taken, 'mongodb'));
    await expect(openSharedMongod(taken, 500)).rejects.toThrow(
      /^Another process uses \S+ and its database does not respond: stop that process, or set DATA_FOLDER/,
    );
    await mongod.stop();
    await rm(taken, { recursive: true, force: true });
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
