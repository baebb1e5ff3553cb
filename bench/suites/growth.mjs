// The cost of a request as the data grows: `npm run bench -- growth [--sizes 1,10 --seconds 1]`.
import { changedAt, garden } from '../data/catalogue.mjs';
import { loadData } from '../data/load.mjs';
import { recordSystemIdOf } from '../data/names.mjs';
import { sizes, sizesAt, useSizes } from '../data/sizes.mjs';
import { callbackRequests, leadRequests } from '../load/bodies.mjs';
import { measure } from '../load/measure.mjs';
import { changing, reading, selected, writing } from '../load/workloads.mjs';
import { startDatabase } from '../programs/database.mjs';
import { startService } from '../programs/service.mjs';
import { printTable, progress } from '../report.mjs';

/** Counts fit, and no page does. */
const variables = { RESPONSE_CACHE_BYTES: '65536' };
/** Few enough that a large answer does not wait for others. */
const few = { connections: 4 };

/** Of twenty units each. */
const pages = {
  'newest first': '',
  'by price': 'sort=price',
  'by name': 'sort=name',
  'by status, price down': 'sort=status,-price',
  'a status': 'status=available',
  'a status by price': 'status=available&sort=price',
  'a compound of 300': `compound=${garden.slug}`,
  'a property type': 'propertyType=type-3',
  'an amenity': 'amenities=Amenity 3',
  'a unit id': 'unitId=U-7',
  'page 40': 'page=40',
  'all that has changed: 100': `updatedSince=${changedAt.toISOString()}`,
  'behind a cursor': 'after=0',
};

const workloads = [
  writing('POST /leads', (seed) => leadRequests(seed, () => 0)),
  writing('callback', callbackRequests),
  changing(
    'GET /leads/:id',
    (random) => `/leads/${recordSystemIdOf(0, random.below(sizes.leads))}`,
    few,
  ),
  reading('units of a compound of 300', `/compounds/${garden.slug}/units`, few),
  ...Object.entries(pages).map(([name, query]) =>
    reading(`page: ${name}`, encodeURI(`/units?limit=20&${query}`), few),
  ),
];

export async function run({ programs, builds, options }) {
  const chosen = selected(workloads, options.only);
  const factors = (options.sizes ?? '1,10,100').split(',').map(Number);
  const rows = {};
  for (const build of builds) {
    for (const factor of factors) {
      const load = (db) => loadData(db, sizesAt(factor));
      const database = await startDatabase(
        { programs, build },
        { name: `size-${factor}`, load, cacheGB: 4 },
      );
      useSizes(sizesAt(factor));
      const service = await programs.add(
        startService({ build, database, folder: programs.folder }, { variables }),
      );
      for (const workload of chosen) {
        progress(`${build.name}, ×${factor}: ${workload.name}`);
        const { connections } = workload;
        const { processor, mongod } = await measure(workload, service, {
          seconds: Number(options.seconds),
          connections,
          runIn: Number(options.seconds) / 2,
        });
        const step = `${workload.name}, ${build.name}`;
        (rows[step] ??= []).push(processor + mongod);
      }
      await programs.end(service);
      await programs.end(database);
    }
  }
  const head = [
    'µs of service and mongod',
    ...factors.map((factor) => `×${factor}`),
    'last : first',
  ];
  const lines = Object.entries(rows).map(([step, costs]) => [
    step,
    ...costs,
    costs.at(-1) / costs[0],
  ]);
  printTable(head, lines);
}
