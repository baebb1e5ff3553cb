import { Gauge, Histogram } from 'prom-client';
import type { Metrics } from '../observability/metrics.js';

/** A single larger request forms a group of its own. */
export interface GroupLimits {
  readonly count: number;
  readonly bytes: number;
}

export interface GroupMetrics {
  readonly sizes: Histogram;
  readonly waiting: Gauge;
}

const sizeBounds = [1, 2, 4, 8, 16, 32];

export function groupMetrics(metrics: Metrics, kind: string): GroupMetrics {
  const sizes = metrics.options(
    `${kind}_group_size`,
    `Requests about ${kind}s in one transaction.`,
  );
  const waiting = metrics.options(
    `${kind}_requests_waiting`,
    `Requests about ${kind}s that wait for an earlier group.`,
  );
  return { sizes: new Histogram({ ...sizes, buckets: sizeBounds }), waiting: new Gauge(waiting) };
}

/** Reports the outcome of the request at a position of the group. */
export type Settle<Response> = (index: number, outcome: PromiseSettledResult<Response>) => void;

interface Waiting<Request, Response> {
  readonly request: Request;
  readonly bytes: number;
  readonly settle: (outcome: PromiseSettledResult<Response>) => void;
}

/** Runs one group of requests at a time for each key; requests gather while a group runs. */
export class RequestGroups<Request, Response> {
  private readonly waiting = new Map<string, Waiting<Request, Response>[]>();

  /** @param run settles each request as soon as it has an outcome; never rejects */
  constructor(
    private readonly run: (requests: readonly Request[], settle: Settle<Response>) => Promise<void>,
    private readonly limits: GroupLimits,
    private readonly metrics: GroupMetrics,
  ) {}

  async submit(key: string, request: Request, bytes: number): Promise<Response> {
    const outcome = await new Promise<PromiseSettledResult<Response>>((settle) => {
      const entry = { request, bytes, settle };
      const queue = this.waiting.get(key);
      this.metrics.waiting.inc();
      if (queue !== undefined) queue.push(entry);
      else void this.runAll(key, [entry]);
    });
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }

  private async runAll(key: string, queue: Waiting<Request, Response>[]): Promise<void> {
    this.waiting.set(key, queue);
    while (queue.length > 0) {
      const group = this.takeGroup(queue);
      this.metrics.waiting.dec(group.length);
      this.metrics.sizes.observe(group.length);
      await this.run(
        group.map(({ request }) => request),
        // Stryker disable next-line OptionalChaining: each position has a request.
        (index, outcome) => group[index]?.settle(outcome),
      );
    }
    this.waiting.delete(key);
  }

  private takeGroup(queue: Waiting<Request, Response>[]): Waiting<Request, Response>[] {
    let bytes = 0;
    const end = queue.findIndex((entry, index) => {
      bytes += entry.bytes;
      return index === this.limits.count || (index > 0 && bytes > this.limits.bytes);
    });
    return queue.splice(0, end === -1 ? queue.length : end);
  }
}
