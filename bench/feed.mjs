// Measures reading a million events by pages of a thousand, as a partner does that copies the feed, and erasing a
// lead of an organization that has so many: `npm run bench:feed [-- --events 1000000 --data /tmp/feed]`.
import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { loadEvents } from './data/events.mjs';
import { amountAt, loadLarge } from './data/growing.mjs';
import { apiKeyOf, idOf, recordSystemIdOf } from './data/names.mjs';
import { prefix } from './driving/requests.mjs';
import { startLoadedDatabases } from './measuring/database.mjs';
import { productionEnvironment } from './measuring/environment.mjs';
import { processorTime } from './measuring/process-figures.mjs';
import { Running } from './measuring/running.mjs';
import { startService } from './measuring/subject.mjs';

const { values } = parseArgs({
  options: { events: { type: 'string', default: '1000000' }, data: { type: 'string' } },
});
const count = Number(values.events);
const limit = 1_000;
const { leads } = amountAt(1);
const cli = join(import.meta.dirname, '../dist/cli.js');

const running = await Running.inNewFolder();
const { folder } = running;
try {
  const dataFolder = values.data === undefined ? join(folder, 'data') : resolve(values.data);
  const { server, databases } = await startLoadedDatabases(dataFolder, { [`feed${count}`]: load });
  await running.add(server);
  const [database] = Object.values(databases);
  await measureFeed(database);
  await measureErasure(database);
} finally {
  await running.stop();
}

async function load(db) {
  print(`Loading ${leads} leads and ${count} events`);
  await loadLarge(db, 1);
  await loadEvents(db, count, leads);
}

async function measureFeed(database) {
  const service = await running.add(startService(database, folder));
  // The first pages warm it up.
  await readFrom(service, 0, Math.min(count, 50 * limit));
  const before = {
    ...service.processorTimes(),
    memory: service.memory(),
    ...(await examined(database)),
  };
  const { pages, bytes, times } = await readFrom(service, 0, count);
  const after = {
    ...service.processorTimes(),
    memory: service.memory(),
    ...(await examined(database)),
  };
  const perPage = (field) => ((after[field] - before[field]) / pages / 1_000).toFixed(1);
  const documents = after.documents - before.documents;
  print(`${count} events, ${pages} pages, ${(bytes / 1e6).toFixed(0)} MB`);
  print(
    `a page: ${perPage('own')} ms of the service's processor, ${perPage('database')} ms of mongod's`,
  );
  print(
    `p50 of the first hundred pages ${p50(times.slice(0, 100))} ms, of the last ${p50(times.slice(-100))} ms`,
  );
  print(
    `documents examined for each event ${(documents / count).toFixed(3)}, keys ${((after.keys - before.keys) / count).toFixed(3)}`,
  );
  print(
    `resident before ${megabytes(before.memory.now)}, after ${megabytes(after.memory.now)}, at most ${megabytes(after.memory.highest)}`,
  );
  await running.end(service);
}

async function readFrom({ url }, start, end) {
  const times = [];
  let bytes = 0;
  let after = start;
  while (after < end) {
    const startedAt = performance.now();
    const response = await fetch(`${url}${prefix}/events?after=${after}&limit=${limit}`, {
      headers: { 'api-key': apiKeyOf(0) },
    });
    const text = await response.text();
    times.push(performance.now() - startedAt);
    if (response.status !== 200) throw new Error(`${response.status} ${text}`);
    bytes += text.length;
    const { data, next } = JSON.parse(text);
    if (data[0].sequence !== after + 1 || next !== data.at(-1).sequence) throw new Error('A gap');
    after = next;
  }
  return { pages: times.length, bytes, times };
}

/** The second finds what the first has left. */
async function measureErasure(database) {
  const runs = { 'a dry run': ['--dry-run'], 'the erasure': [] };
  for (const [name, options] of Object.entries(runs)) {
    const [startedAt, processorBefore] = [performance.now(), processorTime(database.pid)];
    const lead = ['--org', idOf('organization', 0).toHexString(), '--lead', recordSystemIdOf(0, 7)];
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [cli, 'lead', 'erase', ...lead, ...options, '--json'],
      { env: productionEnvironment(database.uri), cwd: folder },
    );
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    const ofMongod = ((processorTime(database.pid) - processorBefore) / 1e6).toFixed(1);
    print(
      `${name}: ${seconds} s, the start of the command included, ${ofMongod} s of mongod's processor`,
    );
    print(stdout.trim());
  }
}

/** What the server has looked at since its start. */
async function examined({ client }) {
  const { metrics } = await client.db('admin').command({ serverStatus: 1 });
  const { scanned: keys, scannedObjects: documents } = metrics.queryExecutor;
  return { keys: Number(keys), documents: Number(documents) };
}

function p50(times) {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)].toFixed(0);
}

function megabytes(number) {
  return `${number.toFixed(0)} MB`;
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
