import { once } from 'node:events';
import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { openSharedMongod } from '../../src/development/embedded/shared-mongod.js';
import { readEnvironment } from '../../src/core/configuration/load-environment.js';
import type { LeadDto } from '../../src/leads/dto/lead.dto.js';
import { type RunningService, runService } from '../../src/start.js';
import { eventually } from '../support/eventually.js';
import { runCli } from '../operator/command-line.js';
import { send, type ServiceProcess, startProcess } from '../support/service-process.js';
import { basePath } from '../support/shared-service.js';
import { workerLogger } from '../support/test-service.js';

const folder = await mkdtemp(join(tmpdir(), 'integration-api-data-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a data folder', () => {
  it('is shared through one server, and opening it fails when that server cannot be found', async () => {
    const path = join(folder, 'shared');
    const [one, two] = await Promise.all([openSharedMongod(path), openSharedMongod(path)]);
    expect(two.uri).toBe(one.uri);
    // The service cannot find the database without its state file.
    await rm(join(path, 'mongod.json'));
    await expect(openSharedMongod(path, { startTimeoutMs: 500 })).rejects.toThrow(
      /^Another process uses \S+ and does not share its database: wait until it exits, stop it, or set DATA_FOLDER/,
    );
    await Promise.all([one.stop(), two.stop()]);
  });

  it('cannot be opened while a command uses its database, but opens afterwards', async () => {
    const path = join(folder, 'command');
    const commandDatabase = await openSharedMongod(path, { isLasting: false });
    const refusedOpen = openSharedMongod(path, { startTimeoutMs: 500 });
    await expect(refusedOpen).rejects.toThrow('Another process uses');
    const waitingOpen = openSharedMongod(path);
    await commandDatabase.stop();
    const serviceDatabase = await waitingOpen;
    expect(serviceDatabase.isShared).toBe(false);
    expect(await openSharedMongod(path, { isLasting: false })).toMatchObject({ isShared: true });
    await serviceDatabase.stop();
  });
});

describe('starts without configuration', () => {
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  const environment = { NODE_ENV: 'development', DATA_FOLDER: data };
  let owner: ServiceProcess;
  let other: RunningService;
  let key: string;
  let lead: LeadDto;
  /** Starts the service in this process, for tests that neither kill nor signal it. */
  const startHere = (variables: Record<string, string>) => {
    const read = readEnvironment({ ...environment, HOST: '127.0.0.1', ...variables });
    return runService(read, workerLogger(read));
  };
  const expectHealth = (status: number) =>
    eventually(async () => {
      expect((await fetch(`${other.url}/${basePath}/healthz`)).status).toBe(status);
    }, 15_000);

  it('create a database, demo data and a key, even after a failed start', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    await expect(startHere({ PORT: String(port) })).rejects.toThrow(
      `127.0.0.1:${port} is in use, perhaps by an earlier instance: stop it, or set PORT to a free port.`,
    );
    taken.close();

    owner = await startProcess(environment);
    key = /Demo API key\s+(\S+)/.exec(owner.output())?.[1] ?? '';
    expect(owner.output()).toMatch(/API reference\s+http:\S+\/docs/);
    expect(owner.output()).toContain(data);
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

  it('restart the database with all data, indexes and validators, also from a restored copy', async () => {
    await cp(data, copy, { recursive: true });
    await rm(data, { recursive: true });
    await rename(copy, data);
    const next = await startProcess(environment);
    await expectHealth(200);
    expect(next.output()).not.toContain('Demo API key');
    expect(await runCli(['db', 'status'], environment)).toMatchObject({ code: 0 });
    const command = /Lost the key\?\s+npm run cli -- (.+)/.exec(next.output())?.[1] ?? '';
    const issued = await runCli([...command.split(' '), '--json'], environment);
    expect(issued).toMatchObject({ code: 0, stderr: '' });
    const { key: another } = JSON.parse(issued.stdout) as { key: string };
    for (const one of [key, another]) {
      const read = await send(next.url, { method: 'GET', path: '/leads/kept', key: one });
      expect(read.body.lead).toEqual(lead);
    }
    next.process.kill('SIGINT');
    expect([await other.shutDown(), await next.exited]).toEqual([true, 0]);
  });
});
