import { Gauge, Histogram } from 'prom-client';
import type { Metrics } from '../observability/metrics.js';

/** A single larger request forms a group of its own. */
export interface GroupLimits {
  readonly count: number;
  readonly bytes: number;
}

const sizeBounds = [1, 2, 4, 8, 16, 32];

/** Runs one group of requests at a time for each key; requests gather while a group runs. */
export class RequestGroups<Request extends { readonly bytes: number }> {
  private readonly queues = new Map<string, Request[]>();
  private readonly sizes: Histogram;
  private readonly waiting: Gauge;

  /** @param run never rejects */
  constructor(
    private readonly run: (requests: readonly Request[]) => Promise<void>,
    private readonly limits: GroupLimits,
    metrics: Metrics,
    kind: string,
  ) {
    const sizes = metrics.options(
      `${kind}_group_size`,
      `Requests about ${kind}s in one transaction.`,
    );
    const waiting = metrics.options(
      `${kind}_requests_waiting`,
      `Requests about ${kind}s that wait for an earlier group.`,
    );
    this.sizes = new Histogram({ ...sizes, buckets: sizeBounds });
    this.waiting = new Gauge(waiting);
  }

  add(key: string, request: Request): void {
    this.waiting.inc();
    const queue = this.queues.get(key);
    if (queue !== undefined) queue.push(request);
    else void this.runAll(key, [request]);
  }

  private async runAll(key: string, queue: Request[]): Promise<void> {
    this.queues.set(key, queue);
    while (queue.length > 0) {
      const group = this.takeGroup(queue);
      this.waiting.dec(group.length);
      this.sizes.observe(group.length);
      await this.run(group);
    }
    this.queues.delete(key);
  }

  private takeGroup(queue: Request[]): Request[] {
    let bytes = 0;
    const end = queue.findIndex((request, index) => {
      bytes += request.bytes;
      return index === this.limits.count || (index > 0 && bytes > this.limits.bytes);
    });
    return queue.splice(0, end === -1 ? queue.length : end);
  }
}
