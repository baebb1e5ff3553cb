// A mongod of its own for each service that is measured, on a copy of data that is loaded once a day.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MongoClient } from 'mongodb';
import { startMongod } from '../../dist/development/embedded/embedded-mongod.js';
import { progress } from '../report.mjs';
import { environmentOf } from './service.mjs';

const run = promisify(execFile);
const dataFolder = join(import.meta.dirname, '../data');
const cacheFolder = join(import.meta.dirname, '../../node_modules/.cache/bench-data');
const attempts = 3;

/**
 * Starts a database with a build's collections, filled by a loader.
 *
 * @param name of the data, the same for the same data
 * @param load fills an empty database
 * @param cacheGB memory for the database
 */
export async function startDatabase({ programs, build }, { name, load, cacheGB = 1 }) {
  const folder = join(programs.folder, `${name}-${crypto.randomUUID()}`);
  await cp(await loadedFiles(build, { name, load, cacheGB }), folder, { recursive: true });
  return programs.add(open(folder, cacheGB));
}

/** Runs a build's command line against a database. */
export async function runCommand({ build, database }, parameters) {
  const options = { cwd: dataFolder, env: environmentOf(database.uri) };
  return run(process.execPath, [join(build.root, 'dist/cli.js'), ...parameters], options);
}

/** The folder with the loaded files: one for each day, since some documents expire, and each version of the schemas. */
async function loadedFiles(build, { name, load, cacheGB }) {
  const day = new Date().toISOString().slice(0, 10);
  const folder = join(cacheFolder, day, `${name}-${await versionOf(build)}`);
  if (existsSync(folder)) return folder;
  await mkdir(join(cacheFolder, day), { recursive: true });
  for (const other of await readdir(cacheFolder)) {
    if (other !== day) await rm(join(cacheFolder, other), { recursive: true, force: true });
  }
  progress(`Loading ${name} for ${build.name}`);
  await rm(`${folder}.loading`, { recursive: true, force: true });
  const database = await open(`${folder}.loading`, cacheGB);
  try {
    await runCommand({ build, database }, ['db', 'init']);
    await load(database.db);
  } finally {
    await database.stop();
  }
  await rename(`${folder}.loading`, folder);
  return folder;
}

async function versionOf(build) {
  const hash = createHash('sha256');
  for (const folder of [dataFolder, join(build.root, 'dist')]) {
    for (const entry of (await readdir(folder, { recursive: true })).toSorted()) {
      const isStructure = /(\.schema|indexes|retention|structure)\.js$/.test(entry);
      if (!entry.endsWith('.mjs') && !isStructure) continue;
      hash.update(entry).update(await readFile(join(folder, entry)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

async function open(folder, cacheGB) {
  const args = [
    '--quiet',
    '--wiredTigerCacheSizeGB',
    String(cacheGB),
    '--setParameter',
    'diagnosticDataCollectionEnabled=false',
  ];
  // A server whose files come from another port may step down again after it has become primary.
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryToOpen(folder, args);
    } catch (error) {
      if (attempt === attempts) throw error;
    }
  }
}

async function tryToOpen(folder, args) {
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
    return { uri, client, db, pid: Number(pid), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
