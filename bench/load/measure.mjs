// Runs one workload against one service.
import { setTimeout as delay } from 'node:timers/promises';
import { quantile } from '../report.mjs';
import { drive } from './drive.mjs';

const runInSeconds = 1.2;
const quietSampleMs = 200;
/** An idle service and its database use less than this share of a processor together. */
const quietShare = 0.1;
const quietPatienceMs = 15_000;

/**
 * @param round every service gets the same requests in a round
 * @returns requests per second, latencies in ms, processor time per request in µs, bytes per response
 * @throws Error if a response has a status that the workload does not expect
 */
export async function measure(workload, service, { seconds, connections, round }) {
  const { name, expected, isWrite, writes } = workload;
  const nextRequest = await workload.requests(round + 1, service);
  const url = service.session?.url ?? service.url;
  const load = { url, connections, nextRequest, expected };
  const writing = writes && setInterval(() => void writes(service.database), 1_000);
  try {
    await drive({ ...load, seconds: runInSeconds });
    if (isWrite) await quiet(service);
    const before = service.processorTimes();
    const run = await drive({ ...load, seconds });
    // The background work of a write is part of its cost.
    if (isWrite) await quiet(service);
    return figuresOf(run, before, service.processorTimes());
  } catch (error) {
    throw new Error([`${name}, ${service.name}`, ...service.lastErrors()].join('\n'), {
      cause: error,
    });
  } finally {
    clearInterval(writing);
  }
}

/** Waits until a service and its database are nearly idle. */
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
