import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from '@jest/globals';
import { type Document, MongoClient } from 'mongodb';
import { MongoInstance } from 'mongodb-memory-server';
import { findMongodBinary } from '../../../src/development/embedded/mongod-binary.js';
import { eventually } from '../../support/eventually.js';
import { startTestService, type TestService } from '../../support/test-service.js';
import { fixedPort, untilFree } from './ports.js';

const setName = 'faults';
/** A secondary waits this long for the primary before it stands for election. */
const electionTimeoutMillis = 2_000;

export type Member = Awaited<ReturnType<typeof startMember>>;

async function startMember(folder: string) {
  const port = await fixedPort();
  const address = `mongodb://127.0.0.1:${port}/?directConnection=true`;
  const { path, version } = await findMongodBinary();
  const parameters = ['enableTestCommands=1', 'diagnosticDataCollectionEnabled=false'];
  const start = () =>
    MongoInstance.create({
      binary: { systemBinary: path, version },
      instance: {
        port,
        ip: '127.0.0.1',
        dbPath: folder,
        replSet: setName,
        storageEngine: 'wiredTiger',
        // Starting mongod may take long on a busy machine.
        launchTimeout: 60_000,
        args: [
          '--quiet',
          '--wiredTigerCacheSizeGB=0.25',
          ...parameters.map((parameter) => `--setParameter=${parameter}`),
        ],
      },
    });
  let instance = await start();
  return {
    host: `127.0.0.1:${port}`,
    port,
    /** Runs a command on the admin database of this server. */
    command: async (command: Document, serverSelectionTimeoutMS = 10_000) => {
      await using client = new MongoClient(address, { serverSelectionTimeoutMS });
      return await client.db('admin').command(command);
    },
    /** Kills the server immediately, as a power cut would. */
    kill: async () => {
      const { mongodProcess } = instance;
      if (mongodProcess === undefined) return;
      const exited = once(mongodProcess, 'exit');
      if (mongodProcess.kill('SIGKILL')) await exited;
    },
    restart: async () => {
      await untilFree(port);
      instance = await start();
    },
  };
}

/** Waits for a primary, the member that accepts writes. */
export async function primaryOf(members: readonly Member[]): Promise<Member> {
  let primary: Member | undefined;
  await eventually(async () => {
    const hellos = members.map((member) =>
      member.command({ hello: 1 }, 1_000).catch(() => undefined),
    );
    const found = await Promise.all(hellos);
    primary = members[found.findIndex((hello) => hello?.['isWritablePrimary'] === true)];
    expect(primary).toBeDefined();
  });
  return primary as Member;
}

/** Starts a replica set that belongs to one test file, which may break it. */
export async function startFaultDatabase(size = 1) {
  // Files in this folder survive a killed process.
  const inMemory = '/dev/shm';
  const folder = await mkdtemp(join(existsSync(inMemory) ? inMemory : tmpdir(), 'api-faults-'));
  const folders = await Promise.all(
    Array.from({ length: size }, (_, index) => mkdtemp(join(folder, `${index}-`))),
  );
  const members = await Promise.all(folders.map(startMember));
  const server = members[0] as Member;
  await server.command({
    replSetInitiate: {
      _id: setName,
      members: members.map(({ host }, _id) => ({ _id, host })),
      settings: { electionTimeoutMillis, heartbeatIntervalMillis: 500 },
    },
  });
  await primaryOf(members);
  const hosts = members.map(({ host }) => host).join();
  const uri = `mongodb://${hosts}/faults?replicaSet=${setName}`;
  const client = await new MongoClient(uri).connect();
  const services: TestService[] = [];
  const setFailure = async (mode: Document | string, data: Document = {}) => {
    const failing = { appName: 'integration-api', failCommands: [], ...data };
    await server.command({ configureFailPoint: 'failCommand', mode, data: failing });
  };
  afterAll(async () => {
    // A failed test may have left the failure active or the server killed.
    await setFailure('off').catch(() => undefined);
    for (const service of services) await service.stop();
    await client.close();
    await Promise.all(members.map((member) => member.kill()));
    await rm(folder, { recursive: true, force: true });
  });
  return {
    uri,
    db: client.db(),
    members,
    /** The first server, which is the primary of a set of one. */
    server,
    /** Fails commands of services as MongoDB's `failCommand` describes it, every time by default. */
    fail: (data: Document, mode: Document | string = 'alwaysOn') => setFailure(mode, data),
    recover: () => setFailure('off'),
    /** Starts a service in this process, and stops it before the database. */
    startService: async (variables: Record<string, string> = {}) => {
      const service = await startTestService(variables, uri);
      services.push(service);
      return service;
    },
  };
}
