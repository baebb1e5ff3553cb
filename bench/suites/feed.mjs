// Reading many events by pages of a thousand, and erasing a lead among them: `npm run bench -- feed [--count 1000000]`.
import { loadEvents } from '../data/events.mjs';
import { loadData } from '../data/load.mjs';
import { apiKeyOf, idOf, recordSystemIdOf } from '../data/names.mjs';
import { sizes, sizesAt } from '../data/sizes.mjs';
import { prefix } from '../load/requests.mjs';
import { runCommand, startDatabase } from '../programs/database.mjs';
import { startService } from '../programs/service.mjs';
import { median, printTable } from '../report.mjs';

const limit = 1_000;

export async function run({ programs, builds, options }) {
  const count = Number(options.count);
  const load = async (db) => {
    await loadData(db, sizesAt(1));
    await loadEvents(db, count, sizes.leads);
  };
  const rows = [];
  for (const build of builds) {
    const database = await startDatabase({ programs, build }, { name: `feed-${count}`, load });
    const service = await programs.add(startService({ build, database, folder: programs.folder }));
    await read(service, Math.min(count, 20 * limit));
    const before = { ...service.processorTimes(), examined: await examined(database) };
    const { pages, bytes, times } = await read(service, count);
    const after = { ...service.processorTimes(), examined: await examined(database) };
    const perPage = (field) => (after[field] - before[field]) / pages / 1_000;
    const { highest } = service.memory();
    await programs.end(service);
    const startedAt = performance.now();
    const lead = ['--org', idOf('organization', 0).toHexString(), '--lead', recordSystemIdOf(0, 7)];
    await runCommand({ build, database }, ['lead', 'erase', ...lead, '--json']);
    const eraseSeconds = (performance.now() - startedAt) / 1_000;
    const documents = (after.examined - before.examined) / count;
    rows.push([
      build.name,
      pages,
      bytes / 1e6,
      perPage('own'),
      perPage('mongod'),
      median(times.slice(0, 100)),
      median(times.slice(-100)),
      documents,
      highest,
      eraseSeconds,
    ]);
    await programs.end(database);
  }
  const head = ['build', 'pages', 'MB', 'ms a page', 'mongod ms', 'p50 first 100', 'last 100'];
  printTable([...head, 'documents an event', 'MB at most', 'erasure s'], rows);
}

async function read({ url }, count) {
  const times = [];
  let bytes = 0;
  for (let after = 0; after < count;) {
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

/** How many documents the server has looked at since its start. */
async function examined({ client }) {
  const { metrics } = await client.db('admin').command({ serverStatus: 1 });
  return Number(metrics.queryExecutor.scannedObjects);
}
