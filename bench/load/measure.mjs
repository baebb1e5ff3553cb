// Runs one workload against one service.
import { setTimeout as delay } from 'node:timers/promises';
import { quantile } from '../report.mjs';
import { drive } from './drive.mjs';

const warmUpSeconds = 1.2;
const idleSampleMs = 200;
/** A service counts as idle while it and its database use less than this share of one processor. */
const idleShare = 0.1;
const idleTimeoutMs = 15_000;

/**
 * @param round every service gets the same requests in a round
 * @returns requests per second, latencies in ms, CPU time per request in µs, bytes per response
 * @throws Error if a response has a status that the workload does not expect
 */
export async function measure(workload, service, { seconds, connections, round }) {
  const { name, expected, isWrite, writes } = workload;
  const nextRequest = await workload.requests(round + 1, service);
  const url = service.session?.url ?? service.url;
  const load = { url, connections, nextRequest, expected };
  const writing = writes && setInterval(() => void writes(service.database), 1_000);
  try {
    await drive({ ...load, seconds: warmUpSeconds });
    if (isWrite) await waitUntilIdle(service);
    const before = service.processorTimes();
    const run = await drive({ ...load, seconds });
    // The background work of a write is part of its cost.
    if (isWrite) await waitUntilIdle(service);
    return measurementsOf(run, before, service.processorTimes());
  } catch (error) {
    throw new Error([`${name}, ${service.name}`, ...service.lastErrors()].join('\n'), {
      cause: error,
    });
  } finally {
    clearInterval(writing);
  }
}

/** Waits until a service and its database are nearly idle. */
async function waitUntilIdle(service) {
  const until = performance.now() + idleTimeoutMs;
  const total = () => {
    const { own, mongod } = service.processorTimes();
    return own + mongod;
  };
  for (let before = total(); performance.now() < until;) {
    await delay(idleSampleMs);
    const now = total();
    if (now - before < idleShare * idleSampleMs * 1_000) return;
    before = now;
  }
}

function measurementsOf({ latencies, seconds, bytes }, before, after) {
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
