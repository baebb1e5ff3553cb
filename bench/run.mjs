// Measures the service beside a reference that is written by hand, the runtime's ceiling and the bare framework, in
// one run on one machine: `npm run bench [-- --only leads,compounds --seconds 2 --rounds 1]`. See docs/performance.md.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { selected } from './driving/workloads.mjs';
import { writeFixedAnswers } from './fairness/fixed-answers.mjs';
import { assertSameReads } from './fairness/reads.mjs';
import { assertSameWrites } from './fairness/writes.mjs';
import { startDatabase } from './measuring/database.mjs';
import { measureEvents } from './measuring/events.mjs';
import { measure } from './measuring/measure.mjs';
import { Running } from './measuring/running.mjs';
import { readSlowly } from './measuring/slow-exports.mjs';
import {
  startCeiling,
  startFramework,
  startReference,
  startService,
} from './measuring/subject.mjs';
import { median, medianFigures } from './reporting/medians.mjs';
import { machine, writeResults } from './reporting/results.mjs';
import { reportOf } from './reporting/tables.mjs';

const starts = 3;
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seconds: { type: 'string', default: '2.5' },
    rounds: { type: 'string', default: '3' },
    clients: { type: 'string', default: '32' },
  },
});
const only = values.only?.split(',');
const workloads = selected(only);
const measuresEvents = only?.some((name) => name === 'events' || name === 'leads') ?? true;
if (workloads.length === 0 && !measuresEvents)
  throw new Error(`There is no workload ${values.only}.`);
const isWhole = values.only === undefined;
const running = await Running.inNewFolder();
const { folder } = running;
try {
  const results = await run();
  await writeResults('latest', results);
  print(reportOf(results));
} finally {
  await running.stop();
}

async function run() {
  progress('Loading');
  const [own, other] = await startDatabases();
  progress('Starting');
  const startTimes = [];
  for (let start = 1; start < starts; start++) {
    const service = await startService(own, folder);
    startTimes.push(service.startMs);
    await service.stop();
  }
  const service = await running.add(startService(own, folder));
  const startMs = median([...startTimes, service.startMs]);
  const reference = await running.add(startReference(other, folder));
  progress('Comparing what service and reference answer');
  await assertSameReads(service, reference);
  await assertSameWrites(service, reference);
  const answers = join(folder, 'answers.json');
  await writeFixedAnswers(service, answers);
  const ceiling = await running.add(startCeiling(answers, folder));
  const framework = await running.add(startFramework(folder));
  const measured = await measureRounds({ service, reference, ceiling, framework });
  const { events, memory } = await measureService(service);
  return { ...conditions(), workloads: measured, events, service: { startMs, memory } };
}

function conditions() {
  const { seconds, rounds, clients } = values;
  return {
    ...machine(),
    seconds: Number(seconds),
    rounds: Number(rounds),
    clients: Number(clients),
    isWhole,
  };
}

async function startDatabases() {
  // One after the other: the first may load the data that both are copied from.
  const own = await running.add(startDatabase(join(folder, 'service')));
  const other = await running.add(startDatabase(join(folder, 'reference')));
  return [own, other];
}

/** Every workload against each of its subjects by turns, round by round; the others are paused meanwhile. */
async function measureRounds(subjects) {
  const rounds = Number(values.rounds);
  for (const subject of Object.values(subjects)) subject.pause();
  const runs = {};
  for (let round = 0; round < rounds; round++) {
    for (const workload of workloads) {
      progress(`Round ${round + 1} of ${rounds}: ${workload.name}`);
      // Who comes first changes, so that nobody always follows the same one.
      const order = round % 2 === 0 ? workload.subjects : workload.subjects.toReversed();
      for (const name of order) {
        const figures = await measureOne(workload, subjects[name], round);
        ((runs[workload.name] ??= {})[name] ??= []).push(figures);
      }
    }
  }
  return Object.fromEntries(
    workloads.map(({ name, subjects: names }) => [
      name,
      Object.fromEntries(names.map((subject) => [subject, medianFigures(runs[name][subject])])),
    ]),
  );
}

async function measureOne(workload, subject, round) {
  subject.resume();
  try {
    const connections = Math.min(workload.connections, Number(values.clients));
    const options = { seconds: Number(values.seconds), connections, round };
    return await measure(workload, subject, options);
  } finally {
    subject.pause();
  }
}

/** What is measured of the service alone: the cost of events, and its memory after slow exports. */
async function measureService(service) {
  service.resume();
  if (!measuresEvents) return { memory: service.memory() };
  progress('Events');
  const events = await measureEvents(service);
  if (isWhole) {
    progress('Slow exports');
    await readSlowly(service);
  }
  return { events, memory: service.memory() };
}

/** Progress with the seconds since the start. */
function progress(line) {
  process.stderr.write(`${Math.round(process.uptime())} s  ${line}\n`);
}

function print(text) {
  process.stdout.write(`${text}\n`);
}
