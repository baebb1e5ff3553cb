// Measures what a request costs as the data, the instances and the organizations become more:
// `npm run bench:growth [-- --sizes 1,10 --seconds 1]`. See docs/performance.md.
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { amountAt, loadLarge, loadSmall, startAfresh, useSize } from './data/growing.mjs';
import { ofInstances, ofOrganizations, ofSizes } from './driving/growth-workloads.mjs';
import { startLoadedDatabases } from './measuring/database.mjs';
import { measureEvents } from './measuring/events.mjs';
import { Fleet } from './measuring/fleet.mjs';
import { measure } from './measuring/measure.mjs';
import { Running } from './measuring/running.mjs';
import { growthReport } from './reporting/growth-tables.mjs';
import { machine, writeResults } from './reporting/results.mjs';

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1,10,100' },
    instances: { type: 'string', default: '1,2,4' },
    seconds: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    data: { type: 'string' },
  },
});
const seconds = Number(values.seconds);
const runIn = seconds / 2;
const numbersOf = (list) => list.split(',').filter(Boolean).map(Number);
const sizes = numbersOf(values.sizes);
const instances = numbersOf(values.instances);
const events = 1_000;

/** No response fits, so that each is made; counts and other parts are kept, which they are not with 0. */
const makingResponses = { RESPONSE_CACHE_BYTES: '1' };

const running = await Running.inNewFolder();
const { folder } = running;
/** One that is named keeps the loaded data for the next run. */
const dataFolder = values.data === undefined ? join(folder, 'data') : resolve(values.data);
try {
  const results = await run();
  if (values.only === '') await writeResults('growth', results);
  process.stdout.write(`${growthReport(results)}\n`);
} finally {
  await running.stop();
}

async function run() {
  const { server, databases } = await startLoadedDatabases(dataFolder, loads());
  await running.add(server);
  for (const { db } of Object.values(databases)) await startAfresh(db);
  const bySize = {};
  for (const size of sizes) {
    progress(`Size ${size}`);
    useSize(size);
    bySize[size] = await withFleet(databases[`size${size}`], 1, measureSize, makingResponses);
  }
  const byOrganizations = {};
  useSize(1);
  for (const [count, { database, workloads }] of Object.entries(ofOrganizations)) {
    progress(`${count} organizations`);
    byOrganizations[count] = await withFleet(databases[database], 1, async (fleet) => ({
      ...(await measureAll(workloads, fleet)),
      'after all of these': { memory: fleet.memory().now },
    }));
  }
  const byInstances = {};
  useSize(sizes[0]);
  for (const count of instances) {
    progress(`${count} instances`);
    byInstances[count] = await withFleet(databases[`size${sizes[0]}`], count, (fleet) =>
      measureAll(ofInstances, fleet),
    );
  }
  return { ...machine(), seconds, bySize, byOrganizations, byInstances };
}

function loads() {
  const large = sizes.map((size) => {
    const { leads, units } = amountAt(size);
    const load = (db) => {
      progress(`Loading ${leads} leads and ${units} units`);
      return loadLarge(db, size);
    };
    return [`size${size}`, load];
  });
  return { ...Object.fromEntries(large), thousand: loadThousand };
}

function loadThousand(db) {
  progress('Loading 1,000 organizations');
  return loadSmall(db);
}

async function withFleet(database, count, work, variables = {}) {
  const fleet = await running.add(Fleet.start(database, folder, count, variables));
  try {
    return await work(fleet);
  } finally {
    await running.end(fleet);
  }
}

async function measureSize(fleet) {
  const figures = await measureAll(ofSizes, fleet);
  if (values.only !== '') return figures;
  progress('Events');
  const { alone, delivered } = await measureEvents(fleet.first, events);
  return {
    ...figures,
    'event without subscriber': { mongod: alone },
    'event to one endpoint': { mongod: delivered },
  };
}

async function measureAll(workloads, fleet) {
  const figures = {};
  for (const workload of workloads.filter(({ name }) => name.includes(values.only))) {
    const { connections } = workload;
    progress(workload.name);
    figures[workload.name] = await measure(workload, fleet, {
      seconds,
      connections,
      round: 0,
      runIn,
    });
  }
  return figures;
}

function progress(line) {
  process.stderr.write(`${Math.round(process.uptime())} s  ${line}\n`);
}
