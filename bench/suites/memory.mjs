// Measures memory while large responses go to slow readers, and to a hundred that read nothing: `npm run bench -- memory`.
import { setTimeout as delay } from 'node:timers/promises';
import { city } from '../data/names.mjs';
import { getRequest } from '../load/requests.mjs';
import { startDatabase } from '../programs/database.mjs';
import { startService } from '../programs/service.mjs';
import { printTable } from '../report.mjs';

const exportPath = `/units/export/all?compound=${city.slug}`;
const paths = [
  `/compounds/${city.slug}/units`,
  '/compounds?all=1',
  `${exportPath}&format=json&sort=price`,
  ...['json', 'json', 'json', 'ndjson', 'csv'].map((format) => `${exportPath}&format=${format}`),
];
const slowBytesPerSecond = 4 * 1_048_576;
const silentReaders = 100;
const silentSeconds = 10;

export async function run({ programs, builds }) {
  const rows = [];
  for (const build of builds) {
    const database = await startDatabase({ programs, build });
    const service = await startService({ programs, build, database });
    const steps = {
      'at rest': async () => {},
      'eight at once': () => readAll(service),
      'eight as brotli': () => readAll(service, { 'accept-encoding': 'br' }),
      'eight slow readers': () => readAll(service, undefined, slowBytesPerSecond),
      'a hundred that do not read': () => readNothing(service),
    };
    for (const [step, work] of Object.entries(steps)) {
      rows.push([build.name, step, await highestDuring(service, work)]);
    }
    await programs.end(service, database);
  }
  printTable(['build', 'step', 'MB resident'], rows);
}

async function highestDuring(service, work) {
  let highest = service.memory().now;
  const sampling = setInterval(() => (highest = Math.max(highest, service.memory().now)), 20);
  await work().finally(() => clearInterval(sampling));
  return highest;
}

async function readAll({ url }, headers, bytesPerSecond = Number.POSITIVE_INFINITY) {
  await Promise.all(
    paths.map(async (path) => {
      const response = await fetchOf(url, path, { headers });
      if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
      for await (const chunk of response.body) await delay((chunk.length / bytesPerSecond) * 1_000);
    }),
  );
}

async function readNothing({ url }) {
  const controller = new AbortController();
  const { signal } = controller;
  const requests = Array.from({ length: silentReaders }, () => fetchOf(url, paths[0], { signal }));
  await delay(silentSeconds * 1_000);
  controller.abort();
  await Promise.allSettled(requests);
}

/** Uses its own connection, because the earlier ones are still in use. */
function fetchOf(url, path, { headers, signal }) {
  const { path: fullPath, ...request } = getRequest(path, headers);
  return fetch(url + fullPath, { ...request, signal });
}
