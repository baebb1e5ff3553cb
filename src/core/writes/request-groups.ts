import { Gauge, Histogram } from 'prom-client';
import type { Metrics } from '../observability/metrics.js';

/** How much goes together at most; a single larger request goes alone. */
export interface GroupLimits {
  readonly count: number;
  readonly bytes: number;
}

/** Counts the requests of each group, and those that wait for a group to end. */
export interface GroupMetrics {
  readonly sizes: Histogram;
  readonly waiting: Gauge;
}

/** Of the sizes of groups; each has at most 32 requests. */
const sizeBounds = [1, 2, 4, 8, 16, 32];

/** The metrics of the groups of one kind of request. */
export function groupMetrics(metrics: Metrics, kind: string): GroupMetrics {
  const sizes = metrics.options(
    `${kind}_group_size`,
    `Requests about ${kind}s that one transaction has stored.`,
  );
  const waiting = metrics.options(
    `${kind}_requests_waiting`,
    `Requests about ${kind}s that wait for the group before theirs.`,
  );
  return { sizes: new Histogram({ ...sizes, buckets: sizeBounds }), waiting: new Gauge(waiting) };
}

/** Tells the outcome of the request at a place of a group. */
export type Settle<Response> = (index: number, outcome: PromiseSettledResult<Response>) => void;

interface Waiting<Request, Response> {
  readonly request: Request;
  readonly bytes: number;
  readonly settle: (outcome: PromiseSettledResult<Response>) => void;
}

/**
 * Runs requests that share a key in groups, one group at a time: while one is under way the next
 * requests gather, and then go together. A request that finds none under way goes at once, alone.
 */
export class RequestGroups<Request, Response> {
  private readonly waiting = new Map<string, Waiting<Request, Response>[]>();

  /** @param run settles each request of a group, by its place, as soon as it has an outcome; it never rejects */
  constructor(
    private readonly run: (requests: readonly Request[], settle: Settle<Response>) => Promise<void>,
    private readonly limits: GroupLimits,
    private readonly metrics: GroupMetrics,
  ) {}

  /** The response to a request, or the error that it alone made. */
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
        // Stryker disable next-line OptionalChaining: each place is that of a request.
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
