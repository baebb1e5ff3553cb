import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Db, MongoClient, MongoServerError } from 'mongodb';
import { MongoInstance } from 'mongodb-memory-server';
import { printStep } from '../../core/configuration/print-step.js';
import { findMongodBinary } from './mongod-binary.js';

const replicaSet = 'embedded';
const notInitialized = 94;
const alreadyInitialized = 23;
/** The limit applies to listening, and again to becoming primary. A busy machine may need most of it. */
const startTimeoutMs = 30_000;

export interface MongodOptions {
  readonly port?: number;
  readonly args?: readonly string[];
  /** If false, a majority write does not wait for the journal, and a crash can lose it. */
  readonly isJournaled?: boolean;
}

/** Prints nothing when mongod fails to start. */
class QuietInstance extends MongoInstance {
  override async stop(): Promise<boolean> {
    // Shutting down a server that does not listen would print a warning.
    if (!this.isInstanceReady) this.isReplSet = false;
    return super.stop();
  }

  /** The library takes a chunk of output for a line, but it may hold several. */
  protected override checkErrorInLine(lines: string): void {
    for (const line of lines.split('\n')) super.checkErrorInLine(line);
  }
}

export async function startMongod(folder: string, options: MongodOptions = {}) {
  await mkdir(folder, { recursive: true });
  const binary = await findMongodBinary();
  const port = options.port ?? (await freePort());
  printStep(`Starting MongoDB ${binary.version} on ${folder} ...`);
  const server = new QuietInstance({
    binary: { systemBinary: binary.path, version: binary.version },
    instance: {
      port,
      ip: '127.0.0.1',
      dbPath: folder,
      replSet: replicaSet,
      storageEngine: 'wiredTiger',
      launchTimeout: startTimeoutMs,
      args: [...(options.args ?? [])],
    },
    // Ctrl-C reaches the whole process group, but the database must outlive the requests in flight.
    spawn: { detached: true },
  });
  try {
    await server.start();
    await becomePrimary(`127.0.0.1:${port}`, options);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    port,
    folder,
    uri: `mongodb://127.0.0.1:${port}/?replicaSet=${replicaSet}`,
    stop: async () => {
      await server.stop();
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

async function becomePrimary(host: string, { isJournaled = true }: MongodOptions): Promise<void> {
  const client = new MongoClient(`mongodb://${host}/?directConnection=true`);
  const deadline = Date.now() + startTimeoutMs;
  try {
    const admin = client.db('admin');
    while (!(await admin.command({ hello: 1 }))['isWritablePrimary']) {
      if (Date.now() > deadline) throw new Error(`The mongod at ${host} did not become primary.`);
      await configure(admin, host, isJournaled);
      await delay(25);
    }
  } finally {
    await client.close();
  }
}

interface ReplicaSetConfig {
  readonly config: { readonly version: number; readonly members: readonly [{ host: string }] };
}

/** Keeps the configuration of an earlier run, which a listening server may still be loading. */
async function configure(admin: Db, host: string, isJournaled: boolean): Promise<void> {
  const members = [{ _id: 0, host }];
  try {
    const { config } = (await admin.command({ replSetGetConfig: 1 })) as ReplicaSetConfig;
    if (config.members[0].host === host) return;
    const version = config.version + 1;
    await admin.command({ replSetReconfig: { ...config, members, version }, force: true });
  } catch (error) {
    if (!hasCode(error, notInitialized)) throw error;
    const config = { members, writeConcernMajorityJournalDefault: isJournaled };
    const initiate = admin.command({ replSetInitiate: { _id: replicaSet, ...config } });
    await initiate.catch((reason: unknown) => {
      if (!hasCode(reason, alreadyInitialized)) throw reason;
    });
  }
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof MongoServerError && error.code === code;
}
