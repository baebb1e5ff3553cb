// Starts one mongod per measured service, on a copy of data that is loaded once a day.
import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MongoClient } from 'mongodb';
import { startMongod } from '../../dist/development/embedded/embedded-mongod.js';
import { loadData } from '../data/load.mjs';
import { sha256, useSizes } from '../data/names.mjs';
import { progress } from '../report.mjs';
import { environmentOf } from './service.mjs';

const run = promisify(execFile);
const dataFolder = join(import.meta.dirname, '../data');
const cacheFolder = join(import.meta.dirname, '../../node_modules/.cache/bench-data');
const attempts = 3;

/** Starts a database with a build's collections and data of these sizes. */
export async function startDatabase({ programs, build, sizes = {} }) {
  const folder = join(programs.folder, crypto.randomUUID());
  await cp(await loadedFiles(build, sizes), folder, { recursive: true });
  useSizes(sizes);
  return programs.add(open(folder));
}

/** Runs a build's command line against a database. */
export async function runCommand({ build, database }, parameters) {
  const options = { cwd: dataFolder, env: environmentOf(database.uri) };
  return run(process.execPath, [join(build.root, 'dist/cli.js'), ...parameters], options);
}

/** Returns the folder of the loaded files: one per day, because documents expire, and per version of the schemas. */
async function loadedFiles(build, sizes) {
  const day = new Date().toISOString().slice(0, 10);
  const files = [
    ...globSync(join(dataFolder, '*.mjs')),
    ...globSync(join(build.root, 'dist/**/{*.schema,*indexes,retention,*structure}.js')),
  ].toSorted();
  const version = sha256(JSON.stringify(sizes), ...files.map((file) => readFileSync(file)));
  const folder = join(cacheFolder, day, version.slice(0, 16));
  if (existsSync(folder)) return folder;
  await mkdir(join(cacheFolder, day), { recursive: true });
  for (const other of await readdir(cacheFolder)) {
    if (other !== day) await rm(join(cacheFolder, other), { recursive: true, force: true });
  }
  progress(`Loading data for ${build.name}`);
  await rm(`${folder}.loading`, { recursive: true, force: true });
  const database = await open(`${folder}.loading`);
  try {
    await runCommand({ build, database }, ['db', 'init']);
    await loadData(database.db, sizes);
  } finally {
    await database.stop();
  }
  await rename(`${folder}.loading`, folder);
  return folder;
}

async function open(folder) {
  const parameter = ['--setParameter', 'diagnosticDataCollectionEnabled=false'];
  const args = ['--quiet', '--wiredTigerCacheSizeGB', '4', ...parameter];
  // A server whose files come from another port may step down again after it has become primary.
  for (let attempt = 1; ; attempt++) {
    const mongod = await startMongod(folder, { args });
    const uri = mongod.uri.replace('/?', '/bench?');
    const client = new MongoClient(uri);
    const stop = async () => {
      await client.close();
      await mongod.stop();
    };
    try {
      const db = client.db();
      const { pid } = await db.admin().serverStatus();
      return { uri, db, pid: Number(pid), stop };
    } catch (error) {
      await stop();
      if (attempt === attempts) throw error;
    }
  }
}
