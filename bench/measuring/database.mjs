// The databases of a run: two copies of the same loaded files, one for the service and one for the reference, so that
// neither works on what the other has written.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MongoClient } from 'mongodb';
import { startMongod } from '../../dist/development/embedded/embedded-mongod.js';
import { loadData } from '../data/load.mjs';
import { productionEnvironment } from './environment.mjs';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const cacheFolder = join(root, 'node_modules/.cache/bench-data');
const attempts = 3;
/** Gigabytes of memory for the database; a hundred times the data takes more. */
const cacheOfBench = 1;
const cacheOfGrowing = 4;
const argumentsOf = (cache) => [
  '--quiet',
  '--wiredTigerCacheSizeGB',
  String(cache),
  '--setParameter',
  'diagnosticDataCollectionEnabled=false',
];

/** Starts a mongod of its own on a copy of the loaded files. */
export async function startDatabase(folder) {
  await cp(await loadedFiles(), folder, { recursive: true });
  return openDatabase(folder);
}

/** An event that has no number yet, null when all have theirs. Without the hint the server would look at all of them. */
export function unnumberedEvent(db) {
  return db.collection('outboxEvents').findOne({ sequence: null }, { hint: 'unnumbered' });
}

/**
 * Starts a mongod of its own for several databases, which are loaded where they are not there yet.
 *
 * @param loads what fills each of them, by name
 * @returns the server, and each of the databases like one that has a server of its own
 */
export async function startLoadedDatabases(folder, loads) {
  const server = await openDatabase(folder, cacheOfGrowing);
  try {
    const databases = {};
    for (const [name, load] of Object.entries(loads)) {
      const uri = server.uri.replace('/bench?', `/${name}?`);
      const db = server.client.db(name);
      databases[name] = { ...server, uri, db };
      // Named when it is complete: what an interrupted run has left does not count.
      const loaded = db.collection('benchLoaded');
      if ((await loaded.countDocuments()) > 0) continue;
      await db.dropDatabase();
      await createStructure(uri, folder);
      await load(db);
      await loaded.insertOne({ at: new Date() });
    }
    return { server, databases };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** A server whose files come from another port may step down once more after it has become primary. */
async function openDatabase(folder, cache = cacheOfBench) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryToOpen(folder, cache);
    } catch (error) {
      if (attempt === attempts) throw error;
    }
  }
}

async function tryToOpen(folder, cache) {
  const mongod = await startMongod(folder, { args: argumentsOf(cache) });
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

/** The folder with the loaded files; they are kept for later runs of the same day and the same code. */
async function loadedFiles() {
  const folder = join(cacheFolder, await cacheKey());
  if (existsSync(folder)) return folder;
  await rm(cacheFolder, { recursive: true, force: true });
  await mkdir(cacheFolder, { recursive: true });
  const loading = `${folder}.loading`;
  const database = await openDatabase(loading);
  try {
    await createStructure(database.uri, cacheFolder);
    await loadData(database.db);
  } finally {
    await database.stop();
  }
  await rename(loading, folder);
  return folder;
}

/** Collections, indexes and validators as an operator creates them. */
async function createStructure(uri, cwd) {
  const cli = join(root, 'dist/cli.js');
  await run(process.execPath, [cli, 'db', 'init'], {
    cwd,
    env: productionEnvironment(uri),
  });
}

/** Another one when the data, the schemas or the day change: finished deliveries expire. */
async function cacheKey() {
  const hash = createHash('sha256').update(new Date().toISOString().slice(0, 10));
  for (const folder of [join(root, 'bench/data'), join(root, 'dist')]) {
    for (const entry of await readdir(folder, { recursive: true })) {
      const isStructure = /\.schema\.js$|migration|structure/.test(entry) && entry.endsWith('.js');
      if (!entry.endsWith('.mjs') && !isStructure) continue;
      hash.update(entry).update(await readFile(join(folder, entry)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}
