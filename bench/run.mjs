// Measures the service on this machine: `npm run bench -- [suite] [options]`, see docs/performance.md.
// With `--against <commit>` each step also measures that version, in alternating rounds.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sizesAt } from './data/names.mjs';
import { measure } from './load/measure.mjs';
import { buildOf, thisBuild } from './programs/builds.mjs';
import { startDatabase } from './programs/database.mjs';
import { Programs } from './programs/programs.mjs';
import { startService } from './programs/service.mjs';
import { median, print, printMeasurements, progress } from './report.mjs';
import { suites } from './suites/workloads.mjs';

const names = [...Object.keys(suites), 'webhooks', 'memory', 'keys', 'path'];
const usage = `npm run bench -- [${names.join('|')}] [options]

  --only <names>       measurements of the suite, separated by commas
  --against <commit>   measures another version too, in alternating rounds
  --seconds, --rounds  length and number of measurements (2.5, 3)
  --clients, --count   concurrent requests (32), records or requests of a suite (10000)
  --sizes <list>       multiples of the data of the suites growth and console
  --profile            writes profiles of the CPU time of the first measurement
`;
const profiles = join(import.meta.dirname, '../node_modules/.cache/bench-profiles');

const { options, suite } = parse();
if (options.help) {
  process.stdout.write(usage);
  process.exit(0);
}
const builds = [thisBuild];
if (options.against !== undefined) builds.push(await buildOf(options.against));
const programs = await Programs.inNewFolder();
try {
  if (suite in suites) await measureSuite(suites[suite]);
  else await (await import(`./suites/${suite}.mjs`)).run({ programs, builds, options });
} finally {
  await programs.stop();
}

function parse() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        against: { type: 'string' },
        only: { type: 'string' },
        seconds: { type: 'string', default: '2.5' },
        rounds: { type: 'string', default: '3' },
        clients: { type: 'string', default: '32' },
        sizes: { type: 'string' },
        count: { type: 'string', default: '10000' },
        profile: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    const [name = 'requests'] = positionals;
    if (!names.includes(name)) throw new Error(`There is no suite ${name}.`);
    return { options: values, suite: name };
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${usage}`);
    return process.exit(2);
  }
}

/** Measures every workload with the service of each build and each size of the data. */
async function measureSuite({ workloads, factors, more, variables, session }) {
  const chosen = selected(workloads).slice(0, options.profile ? 1 : undefined);
  const runs = {};
  const multiples = factors && (options.sizes ?? factors).split(',').map(Number);
  for (const factor of multiples ?? [undefined]) {
    const contexts = [];
    for (const build of builds) {
      const sizes = factor && { ...sizesAt(factor), ...more };
      const database = await startDatabase({ programs, build, sizes });
      const nodeOptions = options.profile ? ['--cpu-prof', `--cpu-prof-dir=${profiles}`] : [];
      const name = factor ? `${build.name} ×${factor}` : build.name;
      const context = { programs, build, database, variables: await variables?.(), nodeOptions };
      contexts.push({ ...context, name, session, memory: [] });
    }
    await measureByTurns(chosen, contexts, runs);
    for (const { name, memory, database } of contexts) {
      const [now, highest] = ['now', 'highest'].map((key) => median(memory.map((at) => at[key])));
      print(`${name}: ${now.toFixed(0)} MB resident, ${highest.toFixed(0)} MB at most`);
      await programs.end(database);
    }
  }
  printMeasurements(runs);
  if (options.profile) print(`${profiles} has profiles for the developer tools of Chromium.`);
}

/** Measures one service at a time, and pauses the others so that they use no CPU time. */
async function measureByTurns(workloads, contexts, runs) {
  const rounds = Number(options.rounds);
  const seconds = Number(options.seconds);
  for (let round = 0; round < rounds; round++) {
    // The order alternates, so that no service always runs after the same one.
    const ordered = round % 2 === 0 ? contexts : contexts.toReversed();
    // A process can be slow for its whole life, so each round has new ones.
    const services = [];
    for (const context of ordered) services.push(await startPaused(context));
    for (const workload of workloads) {
      progress(`Round ${round + 1} of ${rounds}: ${workload.name}`);
      const connections = Math.min(workload.connections, Number(options.clients));
      for (const service of services) {
        service.resume();
        const measured = await measure(workload, service, { seconds, connections, round });
        service.pause();
        ((runs[workload.name] ??= {})[service.name] ??= []).push(measured);
      }
    }
    for (const [place, service] of services.entries()) {
      ordered[place].memory.push(service.memory());
      await programs.end(service);
    }
  }
}

async function startPaused(context) {
  const service = await startService(context);
  service.name = context.name;
  service.session = await context.session?.(service);
  service.pause();
  return service;
}

/** Returns the workloads whose names start with a wanted name, or all workloads without names. */
function selected(list) {
  const wanted = options.only?.split(',');
  const isWanted = (name) =>
    wanted.some((one) => name === one || name.startsWith(`${one}-`) || name.startsWith(`${one}:`));
  const found = list.filter(({ name }) => wanted === undefined || isWanted(name));
  if (found.length > 0) return found;
  const known = list.map(({ name }) => name).join(', ');
  throw new Error(`There is no workload ${options.only}; there are ${known}.`);
}
