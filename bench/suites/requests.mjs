// Requests of every kind against a database of usual size: `npm run bench [-- requests --only leads,units]`.
import { join } from 'node:path';
import { loadData } from '../data/load.mjs';
import { measure } from '../load/measure.mjs';
import { selected, workloads } from '../load/workloads.mjs';
import { startDatabase } from '../programs/database.mjs';
import { startService } from '../programs/service.mjs';
import { medians, print, printMeasurements, progress } from '../report.mjs';

/** Before a profile begins, the program is loaded and compiled. */
const profileRunInSeconds = 6;
const profiles = join(import.meta.dirname, '../../node_modules/.cache/bench-profiles');

export async function run({ programs, builds, options }) {
  const chosen = selected(workloads, options.only);
  if (options.profile) {
    await profile(chosen[0], { programs, builds, options });
    return;
  }
  const services = [];
  for (const build of builds) services.push(await start({ programs, build }));
  for (const service of services) service.pause();
  const runs = await measureByTurns(chosen, services, options);
  printMeasurements(runs);
  for (const service of services) {
    const { now, highest } = service.memory();
    print(
      `${service.build.name}: ${now.toFixed(0)} MB resident at the end, ${highest.toFixed(0)} MB at most`,
    );
  }
}

async function start({ programs, build }, settings) {
  const database = await startDatabase({ programs, build }, { name: 'usual', load: loadData });
  return programs.add(startService({ build, database, folder: programs.folder }, settings));
}

/** Every workload against each service by turns; the others are paused meanwhile. */
async function measureByTurns(chosen, services, { rounds, seconds, clients }) {
  const runs = {};
  for (let round = 0; round < Number(rounds); round++) {
    for (const workload of chosen) {
      progress(`Round ${round + 1} of ${rounds}: ${workload.name}`);
      const connections = Math.min(workload.connections, Number(clients));
      // The first one changes, so that none always follows the same other one.
      for (const service of round % 2 === 0 ? services : services.toReversed()) {
        service.resume();
        const measured = await measure(workload, service, {
          seconds: Number(seconds),
          connections,
          round,
        });
        service.pause();
        ((runs[workload.name] ??= {})[service.build.name] ??= []).push(measured);
      }
    }
  }
  for (const service of services) service.resume();
  const ofBuilds = (byBuild) =>
    services.map(({ build: { name } }) => [name, medians(byBuild[name])]);
  return Object.fromEntries(
    Object.entries(runs).map(([name, byBuild]) => [name, Object.fromEntries(ofBuilds(byBuild))]),
  );
}

/** Writes a profile of the processor time of one workload. */
async function profile(workload, { programs, builds: [build], options }) {
  const nodeOptions = ['--cpu-prof', `--cpu-prof-dir=${profiles}`, '--cpu-prof-interval=500'];
  const service = await start({ programs, build }, { nodeOptions });
  const { connections } = workload;
  const seconds = Number(options.seconds);
  await measure(workload, service, { seconds, connections, runIn: profileRunInSeconds });
  // It writes the profile when it ends.
  await programs.end(service);
  print(`The newest profile in ${profiles} opens in the developer tools of Chromium.`);
}
