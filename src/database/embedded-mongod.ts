import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient, MongoServerError } from 'mongodb';
import { MongoMemoryServer } from 'mongodb-memory-server';
import { findMongodBinary } from './mongod-binary.js';

const replicaSet = 'embedded';
const notYetInitialized = 94;

/** A replica set of one node that this process started, or found running. */
export interface EmbeddedMongod {
  /** Connection string with the replica set's name, without a database. */
  readonly uri: string;
  /** Absolute folder of the data files. */
  readonly folder: string;
  /** Stops the server when this process started it; the data stays. */
  stop(): Promise<void>;
}

/** What {@link startMongod} needs beyond a folder. */
export interface MongodOptions {
  readonly port?: number;
  readonly args?: readonly string[];
}

/**
 * Opens the embedded database of a data folder: the server that another process already runs on it,
 * or a new one, so that the command line works beside a running service.
 *
 * @param dataFolder where the data files live between runs; created when missing
 * @throws Error when no mongod can be found (it says what to install) or started
 */
export async function openEmbeddedMongod(dataFolder: string): Promise<EmbeddedMongod> {
  const folder = resolve(dataFolder, 'mongodb');
  const stateFile = resolve(dataFolder, 'mongod.json');
  const state = await readState(stateFile);
  if (state !== undefined && (await serves(state.uri, folder))) {
    return { uri: state.uri, folder, stop: () => Promise.resolve() };
  }
  const server = await startMongod(folder, state === undefined ? {} : { port: state.port });
  await writeFile(stateFile, JSON.stringify({ uri: server.uri, port: server.port }));
  return server;
}

/**
 * Starts a replica set of one node on a folder, WiredTiger on disk.
 *
 * @throws Error when no mongod can be found or it does not become primary within 30 seconds
 */
export async function startMongod(
  folder: string,
  options: MongodOptions = {},
): Promise<EmbeddedMongod & { readonly port: number }> {
  await mkdir(folder, { recursive: true });
  const binary = await findMongodBinary();
  const server = await MongoMemoryServer.create({
    binary: { systemBinary: binary.path, version: binary.version },
    instance: {
      dbPath: folder,
      replSet: replicaSet,
      storageEngine: 'wiredTiger',
      args: [...(options.args ?? [])],
      ...(options.port === undefined ? {} : { port: options.port }),
    },
    // Ctrl-C reaches the whole process group; the database has to outlive the requests in flight.
    spawn: { detached: true },
  });
  const port = server.instanceInfo?.port ?? 0;
  try {
    await becomePrimary(`127.0.0.1:${port}`);
  } catch (error) {
    await server.stop({ doCleanup: false });
    throw error;
  }
  return {
    port,
    folder,
    uri: `mongodb://127.0.0.1:${port}/?replicaSet=${replicaSet}`,
    stop: async () => {
      await server.stop({ doCleanup: false });
    },
  };
}

async function readState(file: string): Promise<{ uri: string; port: number } | undefined> {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(await readFile(file, 'utf8')) as { uri: string; port: number };
  } catch {
    return undefined;
  }
}

interface CommandLineOptions {
  readonly parsed?: { readonly storage?: { readonly dbPath?: string } };
}

interface ReplicaSetConfig {
  readonly config: {
    readonly version: number;
    readonly members: readonly { readonly host: string }[];
  };
}

async function serves(uri: string, folder: string): Promise<boolean> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 1_000 });
  try {
    const options = (await client.db('admin').command({ getCmdLineOpts: 1 })) as CommandLineOptions;
    return options.parsed?.storage?.dbPath === folder;
  } catch {
    return false;
  } finally {
    await client.close();
  }
}

async function becomePrimary(host: string): Promise<void> {
  const client = new MongoClient(`mongodb://${host}/?directConnection=true`);
  try {
    const admin = client.db('admin');
    const members = [{ _id: 0, host }];
    try {
      const { config } = (await admin.command({ replSetGetConfig: 1 })) as ReplicaSetConfig;
      // The data may come from a run on another port.
      if (config.members[0]?.host !== host) {
        const version = config.version + 1;
        await admin.command({ replSetReconfig: { ...config, members, version }, force: true });
      }
    } catch (error) {
      if (!(error instanceof MongoServerError) || error.code !== notYetInitialized) throw error;
      await admin.command({ replSetInitiate: { _id: replicaSet, members } });
    }
    const deadline = Date.now() + 30_000;
    while (!(await admin.command({ hello: 1 }))['isWritablePrimary']) {
      if (Date.now() > deadline) throw new Error(`The mongod at ${host} did not become primary.`);
      await delay(25);
    }
  } finally {
    await client.close();
  }
}
