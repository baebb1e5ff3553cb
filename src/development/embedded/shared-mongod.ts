import { existsSync } from 'node:fs';
import { access, constants, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { errors } from 'mongodb-memory-server';
import { z } from 'zod';
import { printStep } from '../../core/configuration/print-step.js';
import { StartupError } from '../../core/configuration/startup-errors.js';
import { startMongod } from './embedded-mongod.js';

const retryDelayMs = 250;

/**
 * Opens the embedded database of a data folder. The process that starts the server owns and stops it; others share
 * it meanwhile, so that the command line works while the service runs.
 *
 * @param options `isLasting`: others may share it, for which a command stops too soon.
 *   `startTimeoutMs`: time for another process to start or stop the server
 * @throws StartupError that says what to install, set, stop or delete
 */
export async function openSharedMongod(
  dataFolder: string,
  { isLasting = true, startTimeoutMs = 30_000 } = {},
) {
  const folder = resolve(dataFolder, 'mongodb');
  const stateFile = resolve(dataFolder, 'mongod.json');
  const deadline = Date.now() + startTimeoutMs;
  let port = (await readState(stateFile))?.port;
  for (;;) {
    const running = await findRunning(stateFile, folder);
    if (running !== undefined) return running;
    try {
      await makeFolder(folder);
      await access(dirname(stateFile), constants.W_OK);
      const server = await startMongod(folder, port === undefined ? {} : { port });
      await writeState(stateFile, { ...server, owner: process.pid, isLasting });
      return { ...server, isShared: false };
    } catch (error) {
      const reason = error instanceof Error ? error.message : '';
      if (reason.includes('already in use')) {
        port = undefined;
        continue;
      }
      if (!reason.includes('DBPathInUse')) throw startupErrorOf(error, dataFolder);
      if (Date.now() > deadline) {
        const line =
          `Another process uses ${folder} and does not share its database: wait until it exits, ` +
          'stop it, or set DATA_FOLDER to another folder.';
        throw new StartupError(line, { cause: error });
      }
      // Another process is starting or stopping its server, or is a command with its own server.
      printStep(`Waiting for another process that uses ${folder} ...`);
      await delay(retryDelayMs);
    }
  }
}

/** Creates one folder at a time: with `recursive`, Node never returns where a folder cannot exist, as in `/proc`. */
async function makeFolder(folder: string): Promise<void> {
  const make = async () => {
    await mkdir(folder).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
  };
  await make().catch(async (error: unknown) => {
    const parent = dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === folder) throw error;
    await makeFolder(parent);
    await make();
  });
}

const serverState = z.object({
  uri: z.string().startsWith('mongodb://'),
  port: z.int().min(1).max(65_535),
  /** Process id of the owner, which stops the server. */
  owner: z.int().min(1).optional(),
  isLasting: z.boolean().optional(),
});

/** Renames a complete file, so that no process reads half of one. */
async function writeState(file: string, state: z.infer<typeof serverState>): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(serverState.parse(state)));
  await rename(`${file}.new`, file);
}

async function findRunning(stateFile: string, folder: string) {
  const state = await readState(stateFile);
  // A server whose owner has died stops within seconds.
  if (state?.isLasting !== true || !state.owner || !isAlive(state.owner)) return undefined;
  if (!(await servesFolder(state.uri, folder))) return undefined;
  return { ...state, folder, stop: () => Promise.resolve(), isShared: true };
}

async function readState(file: string) {
  if (!existsSync(file)) return undefined;
  try {
    return serverState.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    const line = `${file} is damaged: delete it; it holds no data and is recreated at the next start.`;
    throw new StartupError(line, { cause: error });
  }
}

async function servesFolder(uri: string, folder: string): Promise<boolean> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 1_000 });
  try {
    const { parsed } = await client.db('admin').command({ getCmdLineOpts: 1 });
    return (parsed as { storage?: { dbPath?: string } }).storage?.dbPath === folder;
  } catch {
    return false;
  } finally {
    await client.close();
  }
}

/** The message of a folder's or a server's error says enough for a user; others keep their stack. */
function startupErrorOf(error: unknown, dataFolder: string): unknown {
  const isFault = error instanceof errors.StdoutInstanceError || isSystemError(error);
  if (!isFault) return error;
  const reason = error.message.replaceAll(/\s+/g, ' ');
  const line = `MongoDB cannot be started on DATA_FOLDER ${dataFolder}: ${reason}`;
  return new StartupError(line, { cause: error });
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process exists, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
