// Memory while large responses go to slow readers, and to a hundred that read nothing: `npm run bench -- memory`.
import { once } from 'node:events';
import { get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { city } from '../data/catalogue.mjs';
import { loadData } from '../data/load.mjs';
import { apiKeyOf } from '../data/names.mjs';
import { getRequest, prefix } from '../load/requests.mjs';
import { startDatabase } from '../programs/database.mjs';
import { startService } from '../programs/service.mjs';
import { printTable } from '../report.mjs';

const exportPath = `/units/export/all?compound=${city.slug}`;
const paths = [
  `/compounds/${city.slug}/units`,
  '/compounds?all=1',
  `${exportPath}&format=json&sort=price`,
].concat(
  ['json', 'json', 'json', 'ndjson', 'csv'].map((format) => `${exportPath}&format=${format}`),
);
const slowBytesPerSecond = 4 * 1_048_576;
const silentReaders = 100;
const silentSeconds = 10;

export async function run({ programs, builds }) {
  const rows = [];
  for (const build of builds) {
    const database = await startDatabase({ programs, build }, { name: 'usual', load: loadData });
    const service = await programs.add(startService({ build, database, folder: programs.folder }));
    const steps = {
      'at rest': async () => {},
      'eight at once': () => readAll(service, {}),
      'eight as brotli': () => readAll(service, { 'accept-encoding': 'br' }),
      'eight slow readers': () => readAll(service, {}, slowBytesPerSecond),
      'a hundred that do not read': () => readNothing(service),
    };
    for (const [step, work] of Object.entries(steps)) {
      rows.push([build.name, step, await highestDuring(service, work)]);
    }
    await programs.end(service);
    await programs.end(database);
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
  await Promise.all(paths.map((path) => readOne(url + prefix + path, headers, bytesPerSecond)));
}

async function readOne(url, headers, bytesPerSecond) {
  const request = get(url, { headers: { ...headers, 'api-key': apiKeyOf(0) }, agent: false });
  const [response] = await once(request, 'response');
  if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode}`);
  for await (const chunk of response) await delay((chunk.length / bytesPerSecond) * 1_000);
  if (!response.complete) throw new Error(`${url} was cut off`);
}

async function readNothing({ url }) {
  const { path, headers } = getRequest(`/compounds/${city.slug}/units`);
  const requests = Array.from({ length: silentReaders }, () =>
    get(url + path, { headers, agent: false }, (response) => response.pause()).on(
      'error',
      () => undefined,
    ),
  );
  await delay(silentSeconds * 1_000);
  for (const request of requests) request.destroy();
}
