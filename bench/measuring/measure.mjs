// One run of one workload against one subject.
import { setTimeout as delay } from 'node:timers/promises';
import { drive } from '../driving/drive.mjs';
import { prefix } from '../driving/requests.mjs';
import { seedOf } from '../driving/workloads.mjs';
import { garden } from '../data/catalogue.mjs';
import { apiKeyOf, idOf } from '../data/names.mjs';
import { sizes } from '../data/sizes.mjs';
import { unnumberedEvent } from './database.mjs';

/** How long a subject runs in before it is measured; what was paused has to catch up with its database. */
const runInSeconds = { service: 1.2, reference: 0.6, ceiling: 0.4, framework: 0.4 };
const settleMs = 10_000;
const pollMs = 50;

/**
 * @param runIn seconds of running in, where it is not the usual time
 * @returns the figures of the run: requests a second, latencies, processor microseconds a request
 * @throws Error when a response had another status than expected
 */
export async function measure(workload, subject, { seconds, connections, round, runIn }) {
  const nextRequest = workload.requests(
    seedOf(round),
    workload.needsTag ? await tagOf(workload, subject) : undefined,
  );
  const { urls = [subject.url] } = subject;
  const load = { urls, connections, nextRequest, expected: workload.expected };
  const stopWriting =
    workload.writes === undefined ? async () => {} : startWriting(workload, subject);
  try {
    assertExpected(
      workload,
      subject,
      await drive({ ...load, seconds: runIn ?? runInSeconds[subject.name] }),
    );
    await settled(workload, subject);
    const before = await countersOf(subject);
    const run = await drive({ ...load, seconds });
    await settled(workload, subject);
    const after = await countersOf(subject);
    assertExpected(workload, subject, run);
    return figuresOf(run, before, after);
  } finally {
    await stopWriting();
  }
}

async function tagOf({ path, headers }, { url }) {
  const response = await fetch(url + prefix + path, {
    headers: { ...headers, 'api-key': apiKeyOf(0) },
  });
  await response.arrayBuffer();
  // Fixed answers have no tag and ask for none in particular.
  return response.headers.get('etag') ?? '"fixed"';
}

/** What a subject's writes cause in the background is part of what they cost. */
async function settled({ isWrite }, { name, database }) {
  if (!isWrite || name !== 'service') return;
  const until = performance.now() + settleMs;
  while (await unnumberedEvent(database.db)) {
    if (performance.now() > until) throw new Error('The events of the service were not numbered.');
    await delay(pollMs);
  }
}

async function countersOf(subject) {
  const { own, database } = subject.processorTimes();
  const status = await subject.database?.db.admin().serverStatus();
  return { own, database, transactions: Number(status?.transactions?.totalStarted ?? 0) };
}

function assertExpected({ name }, subject, { unexpected }) {
  if (Object.keys(unexpected).length === 0) return;
  const line = `${name}, ${subject.name}: unexpected responses ${JSON.stringify(unexpected)}`;
  throw new Error([line, ...subject.lastErrors()].join('\n'));
}

function figuresOf({ latencies, seconds, bytes }, before, after) {
  const count = latencies.length;
  const sorted = Float64Array.from(latencies).toSorted();
  const at = (part) => sorted[Math.min(count - 1, Math.floor(count * part))];
  return {
    requests: count,
    rate: count / seconds,
    p50: at(0.5),
    p99: at(0.99),
    processor: (after.own - before.own) / count,
    mongod: (after.database - before.database) / count,
    transactions: (after.transactions - before.transactions) / count,
    bytes: bytes / count,
  };
}

/** Changes a document that the reads show, once a second, as another program does. */
function startWriting({ writes }, { database }) {
  const collection = database.db.collection(writes);
  const running = new Set();
  let turn = 0;
  const write = () => {
    turn += 1;
    const change = {
      [writes === 'units' ? 'price' : 'area']: 1_000_000 + turn,
      updatedAt: new Date(),
    };
    const written = collection.updateOne({ _id: shownId(writes) }, { $set: change });
    running.add(written);
    written.finally(() => running.delete(written)).catch(() => undefined);
  };
  write();
  const timer = setInterval(write, 1_000);
  return async () => {
    clearInterval(timer);
    await Promise.all(running);
  };
}

/** A unit of the small compound, or a compound of the first page. */
function shownId(collection) {
  return collection === 'units'
    ? idOf('unit', garden.firstUnit)
    : idOf('compound', sizes.compounds - 1);
}
