import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { type EmbeddedMongod, startMongod } from './embedded-mongod.js';

/** How long another process may take to start the server or to stop it. */
const patience = 30_000;
const betweenTries = 250;
const betweenRestarts = 1_000;

/**
 * Opens the embedded database of a data folder: the server that another process already runs on it,
 * or a new one, so that the command line works beside a running service. When the server ends before
 * `stop` is called, because the process that started it does, it is started again.
 *
 * @param dataFolder where the data files live between runs; created when missing
 * @throws Error when no mongod can be found (it says what to install) or started
 */
export async function openSharedMongod(dataFolder: string): Promise<EmbeddedMongod> {
  const shared = new SharedMongod(resolve(dataFolder));
  await shared.open();
  const { uri, port, folder } = shared.server;
  return { uri, port, folder, stop: () => shared.stop() };
}

/** One process's use of the server of a data folder. */
class SharedMongod {
  private used: EmbeddedMongod | undefined;
  private connection: Socket | undefined;
  private restart: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(private readonly dataFolder: string) {}

  get server(): EmbeddedMongod {
    if (this.used === undefined) throw new Error('The server has not been opened.');
    return this.used;
  }

  async open(): Promise<void> {
    this.used = await findOrStart(this.dataFolder);
    this.watch(this.used);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.connection?.destroy();
    await this.restart;
    await this.server.stop();
  }

  /** A connection that nothing is sent over ends when the server does. */
  private watch({ port }: EmbeddedMongod): void {
    this.connection = connect(port, '127.0.0.1');
    this.connection.unref();
    this.connection.on('error', () => undefined);
    this.connection.once('close', () => {
      if (!this.isStopped) this.restart = this.openAgain();
    });
  }

  private async openAgain(): Promise<void> {
    while (!this.isStopped) {
      try {
        await this.server.stop();
        return await this.open();
      } catch {
        // Requests are answered with 503 meanwhile, which the log tells.
        await delay(betweenRestarts);
      }
    }
  }
}

interface StoredState {
  readonly uri: string;
  readonly port: number;
}

/** Uses the running server of a data folder or starts one, taking turns with other processes. */
async function findOrStart(dataFolder: string): Promise<EmbeddedMongod> {
  const folder = resolve(dataFolder, 'mongodb');
  const stateFile = resolve(dataFolder, 'mongod.json');
  const deadline = Date.now() + patience;
  let isPortTaken = false;
  for (;;) {
    const state = await readState(stateFile);
    if (state !== undefined && (await serves(state.uri, folder))) {
      return { ...state, folder, stop: () => Promise.resolve() };
    }
    try {
      const usual = state === undefined || isPortTaken ? {} : { port: state.port };
      const server = await startMongod(folder, usual);
      await writeFile(stateFile, JSON.stringify({ uri: server.uri, port: server.port }));
      return server;
    } catch (error) {
      const reason = error instanceof Error ? error.message : '';
      isPortTaken = reason.includes('already in use');
      // Another process is starting its server, or stopping it.
      const isFolderTaken = reason.includes('DBPathInUse');
      if ((!isPortTaken && !isFolderTaken) || Date.now() > deadline) throw error;
      await delay(betweenTries);
    }
  }
}

async function readState(file: string): Promise<StoredState | undefined> {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(await readFile(file, 'utf8')) as StoredState;
  } catch {
    return undefined;
  }
}

interface CommandLineOptions {
  readonly parsed?: { readonly storage?: { readonly dbPath?: string } };
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
