import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openSharedMongod } from '../../src/development/embedded/shared-mongod.js';
import { readEnvironment } from '../../src/core/configuration/load-environment.js';
import type { LeadDto } from '../../src/leads/dto/lead.dto.js';
import { type RunningService, runService } from '../../src/start.js';
import { eventually } from '../support/eventually.js';
import { runCli } from '../operator/command-line.js';
import { send, type ServiceProcess, startProcess } from '../support/service-process.js';
import { basePath } from '../support/shared-service.js';
import { workerLogger } from '../support/test-service.js';

describe('a data folder', () => {
  it('is opened by one database, and rejected while an unresponsive database holds it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'integration-api-shared-'));
    const [one, two] = await Promise.all([openSharedMongod(folder), openSharedMongod(folder)]);
    expect(two.uri).toBe(one.uri);
    // Without its state file the database cannot be found.
    await rm(join(folder, 'mongod.json'));
    await expect(openSharedMongod(folder, { startTimeoutMs: 500 })).rejects.toThrow(
      /^Another process uses \S+ and does not share its database: wait until it exits, stop it, or set DATA_FOLDER/,
    );
    await Promise.all([one.stop(), two.stop()]);
    await rm(folder, { recursive: true, force: true });
  });

  it('is not shared with the database of a command', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'integration-api-command-'));
    const ofCommand = await openSharedMongod(folder, { isLasting: false });
    await expect(openSharedMongod(folder, { startTimeoutMs: 500 })).rejects.toThrow(
      'Another process uses',
    );
    const waiting = openSharedMongod(folder);
    await ofCommand.stop();
    const ofService = await waiting;
    expect(ofService.isShared).toBe(false);
    expect(await openSharedMongod(folder, { isLasting: false })).toMatchObject({ isShared: true });
    await ofService.stop();
    await rm(folder, { recursive: true, force: true });
  });
});

describe('starts without configuration', () => {
  let folder: string;
  let owner: ServiceProcess;
  let other: RunningService;
  let key: string;
  let lead: LeadDto;
  const environment = () => ({ NODE_ENV: 'development', DATA_FOLDER: folder });
  /** Starts the service in this process, for tests that neither kill nor signal it. */
  const startHere = (variables: Record<string, string>) => {
    const read = readEnvironment({ ...environment(), HOST: '127.0.0.1', ...variables });
    return runService(read, workerLogger(read));
  };
  const expectHealth = (status: number) =>
    eventually(async () => {
      expect((await fetch(`${other.url}/${basePath}/healthz`)).status).toBe(status);
    }, 15_000);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'integration-api-embedded-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('create a database, demo data and a key, even after a failed start', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    await expect(startHere({ PORT: String(port) })).rejects.toThrow(
      `127.0.0.1:${port} is in use, perhaps by an earlier start: stop that, or set PORT to a free one.`,
    );
    taken.close();

    owner = await startProcess(environment());
    key = /Demo API key\s+(\S+)/.exec(owner.output())?.[1] ?? '';
    expect(owner.output()).toMatch(/API reference\s+http:\S+\/docs/);
    expect(owner.output()).toContain(folder);
    const body = { recordSystemId: 'kept', project: 'Palm Meadows' };
    const created = await send(owner.url, { method: 'POST', path: '/leads', key, body });
    expect([created.status, created.body.lead.compoundsIds.length]).toEqual([201, 1]);
    ({ lead } = created.body);
  });

  it('share one database, which stops with its owner', async () => {
    other = await startHere({ PORT: '0', DATABASE_DEADLINE_MS: '1000' });
    await expectHealth(200);
    owner.process.kill('SIGTERM');
    expect(await owner.exited).toBe(0);
    await expectHealth(503);
  });

  it('restart the database with all its data', async () => {
    const next = await startProcess(environment());
    await expectHealth(200);
    expect(next.output()).not.toContain('Demo API key');
    const command = /Lost the key\?\s+npm run cli -- (.+)/.exec(next.output())?.[1] ?? '';
    const issued = await runCli([...command.split(' '), '--json'], environment());
    expect(issued).toMatchObject({ code: 0, stderr: '' });
    const { key: another } = JSON.parse(issued.stdout) as { key: string };
    const readAnew = await send(next.url, { method: 'GET', path: '/leads/kept', key: another });
    expect(readAnew.body.lead).toEqual(lead);
    const read = await send(next.url, { method: 'GET', path: '/leads/kept', key });
    expect(read.body.lead).toEqual(lead);
    next.process.kill('SIGINT');
    expect([await other.shutDown(), await next.exited]).toEqual([true, 0]);
  });
});
