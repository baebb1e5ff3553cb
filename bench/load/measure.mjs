// One run of one workload against one service.
import { setTimeout as delay } from 'node:timers/promises';
import { idOf } from '../data/names.mjs';
import { quantile } from '../report.mjs';
import { drive } from './drive.mjs';
import { prefix } from './requests.mjs';

const runInSeconds = 1.2;
const quietSampleMs = 200;
/** A service that has nothing to do takes less of both processors together. */
const quietShare = 0.1;
const quietPatienceMs = 15_000;

/**
 * @param round requests of a round are the same for every service
 * @returns requests a second, latencies in milliseconds, processor time a request in microseconds, bytes a response
 * @throws Error when a response had another status than the workload expects
 */
export async function measure(workload, service, { seconds, connections, round = 0, runIn }) {
  const nextRequest = workload.requests(round + 1, await tagFor(workload, service));
  const load = { url: service.url, connections, nextRequest, expected: workload.expected };
  const stopWriting = workload.writes ? startWriting(workload, service) : async () => {};
  try {
    assertExpected(workload, service, await drive({ ...load, seconds: runIn ?? runInSeconds }));
    if (workload.isWrite) await quiet(service);
    const before = service.processorTimes();
    const run = await drive({ ...load, seconds });
    // Whatever a write causes in the background is part of its cost.
    if (workload.isWrite) await quiet(service);
    const after = service.processorTimes();
    assertExpected(workload, service, run);
    return figuresOf(run, before, after);
  } finally {
    await stopWriting();
  }
}

/** Waits until a service and its database have next to nothing to do. */
async function quiet(service) {
  const until = performance.now() + quietPatienceMs;
  const total = () => {
    const { own, mongod } = service.processorTimes();
    return own + mongod;
  };
  for (let before = total(); performance.now() < until;) {
    await delay(quietSampleMs);
    const now = total();
    if (now - before < quietShare * quietSampleMs * 1_000) return;
    before = now;
  }
}

async function tagFor({ taggedRequest }, { url }) {
  if (taggedRequest === undefined) return undefined;
  const { path, headers } = taggedRequest;
  const response = await fetch(url + prefix + path, { headers });
  await response.arrayBuffer();
  return response.headers.get('etag');
}

function assertExpected({ name }, service, { unexpected }) {
  if (Object.keys(unexpected).length === 0) return;
  const line = `${name}, ${service.build.name}: unexpected responses ${JSON.stringify(unexpected)}`;
  throw new Error([line, ...service.lastErrors()].join('\n'));
}

function figuresOf({ latencies, seconds, bytes }, before, after) {
  const count = latencies.length;
  const sorted = Float64Array.from(latencies).toSorted();
  return {
    rate: count / seconds,
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
    processor: (after.own - before.own) / count,
    mongod: (after.mongod - before.mongod) / count,
    bytes: bytes / count,
  };
}

/** Changes a document once a second, as another program does. */
function startWriting({ writes: { collection, kind, number, field } }, { database }) {
  const running = new Set();
  let value = 1_000_000;
  const write = () => {
    value += 1;
    const change = { [field]: value, updatedAt: new Date() };
    const written = database.db
      .collection(collection)
      .updateOne({ _id: idOf(kind, number) }, { $set: change })
      .finally(() => running.delete(written));
    running.add(written);
  };
  write();
  const timer = setInterval(write, 1_000);
  return async () => {
    clearInterval(timer);
    await Promise.all(running);
  };
}
