// Where the service's processor time goes in a workload: `npm run bench:profile -- leads-50 [--seconds 8]`.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { selected } from './driving/workloads.mjs';
import { startDatabase } from './measuring/database.mjs';
import { measure } from './measuring/measure.mjs';
import { Running } from './measuring/running.mjs';
import { startService } from './measuring/subject.mjs';
import { profileReport } from './reporting/profile-report.mjs';

/** What comes before is loading the program and compiling what is hot. */
const runInSeconds = 6;
const { values, positionals } = parseArgs({
  options: { seconds: { type: 'string', default: '8' } },
  allowPositionals: true,
});
const [name] = positionals;
const workload = selected(name === undefined ? [] : [name]).find((each) => each.name === name);
if (workload === undefined) throw new Error('Name a workload: npm run bench:profile -- leads-50');

const running = await Running.inNewFolder();
const folder = join(running.folder, 'profiles');
try {
  const database = await running.add(startDatabase(join(running.folder, 'data')));
  const options = ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=500'];
  const service = await running.add(startService(database, running.folder, { options }));
  const startedAt = performance.now() - service.startMs;
  const { connections } = workload;
  const seconds = Number(values.seconds);
  await measure(workload, service, { seconds, connections, round: 0, runIn: runInSeconds });
  const measuredUntil = performance.now() - startedAt;
  // It writes the profile when it ends.
  await running.end(service);
  const [file] = await readdir(folder);
  const profile = JSON.parse(await readFile(join(folder, file), 'utf8'));
  const times = { fromMs: measuredUntil - seconds * 1_000, untilMs: measuredUntil };
  process.stdout.write(`${profileReport(profile, times)}\n`);
} finally {
  await running.stop();
}
