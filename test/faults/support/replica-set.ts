import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { access, constants, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from '@jest/globals';
import { type Document, MongoClient } from 'mongodb';
import { findMongodBinary } from '../../../src/development/embedded/mongod-binary.js';
import { eventually } from '../../support/eventually.js';

const setName = 'faults';

/** How long a secondary waits for the primary before it stands for election. */
const electionTimeoutMs = 2_000;

/** One server of a replica set. */
export interface Member {
  readonly port: number;
  /** Ends it at once, as a power cut does to the process. */
  kill(): Promise<void>;
  /** Starts it again on its data, and waits until it responds. */
  restart(): Promise<void>;
  /** The server's `hello`; rejects if it does not respond. */
  hello(): Promise<Document>;
  /** Runs a command of the server on the admin database. */
  command(command: Document): Promise<Document>;
}

/** Servers that a test may end and start as it likes. */
export interface ReplicaSet {
  /** Connection string for a database with this name. */
  uri(database: string): string;
  readonly members: readonly Member[];
  /** The member that takes writes now; waits for it. */
  primary(): Promise<Member>;
  stop(): Promise<void>;
}

const folders: string[] = [];
const running = new Set<ChildProcess>();

/** A failed test must not leave its servers running. */
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

/** Starts a replica set of a number of servers, with test commands, and waits for its primary. */
export async function startReplicaSet(size: number): Promise<ReplicaSet> {
  const folder = await mkdtemp(join(await quickFolder(), 'api-faults-'));
  folders.push(folder);
  const members = await Promise.all(
    Array.from({ length: size }, (_, index) => startMember(join(folder, String(index)))),
  );
  const hosts = members.map(({ port }) => `127.0.0.1:${port}`);
  await members[0]?.command({
    replSetInitiate: {
      _id: setName,
      members: hosts.map((host, _id) => ({ _id, host })),
      settings: { electionTimeoutMillis: electionTimeoutMs, heartbeatIntervalMillis: 500 },
    },
  });
  const primary = () => primaryOf(members);
  await primary();
  return {
    uri: (database) => `mongodb://${hosts.join()}/${database}?replicaSet=${setName}`,
    members,
    primary,
    stop: async () => {
      await Promise.all(members.map((member) => member.kill()));
    },
  };
}

async function startMember(folder: string): Promise<Member> {
  await mkdir(folder, { recursive: true });
  const port = await freePort();
  const { path } = await findMongodBinary();
  const command = async (document: Document) => {
    const uri = `mongodb://127.0.0.1:${port}/?directConnection=true`;
    const client = new MongoClient(uri, { serverSelectionTimeoutMS: 1_000 });
    try {
      return await client.db('admin').command(document);
    } finally {
      await client.close();
    }
  };
  const hello = () => command({ hello: 1 });
  let child: ChildProcess;
  const start = async () => {
    child = spawn(
      path,
      [
        `--port=${port}`,
        `--dbpath=${folder}`,
        `--replSet=${setName}`,
        '--bind_ip=127.0.0.1',
        '--quiet',
        '--wiredTigerCacheSizeGB=0.25',
        '--setParameter=enableTestCommands=1',
        '--setParameter=diagnosticDataCollectionEnabled=false',
      ],
      { stdio: 'ignore' },
    );
    running.add(child);
    await eventually(hello);
  };
  await start();
  return {
    port,
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      running.delete(child);
    },
    restart: start,
    hello,
    command,
  };
}

/** The server that takes writes; waits for it. */
export async function primaryOf(members: readonly Member[]): Promise<Member> {
  let primary: Member | undefined;
  await eventually(async () => {
    const hellos = await Promise.allSettled(members.map((member) => member.hello()));
    primary = members.find((_, index) => {
      const hello = hellos[index];
      return hello?.status === 'fulfilled' && hello.value['isWritablePrimary'] === true;
    });
    expect(primary).toBeDefined();
  });
  return primary as Member;
}

/** A port below those of outgoing connections, one of which could take it while the server is down. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + randomInt(12_000);
    const probe = createServer();
    try {
      await once(probe.listen(port, '127.0.0.1'), 'listening');
    } catch {
      continue;
    }
    probe.close();
    await once(probe, 'close');
    return port;
  }
}

/** A folder in memory if available; a killed process does not lose its data. */
async function quickFolder(): Promise<string> {
  return access('/dev/shm', constants.W_OK).then(
    () => '/dev/shm',
    () => tmpdir(),
  );
}
