import { Logger } from '@nestjs/common';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { Metrics } from '../../observability/metrics.js';
import { type InTrace, inCurrentTrace } from '../../observability/tracing.js';
import { DatabaseUnavailableError, isDatabaseUnavailable } from '../connection/database-errors.js';
import { type GroupLimits, RequestGroups, type Settle } from './request-groups.js';
import {
  ContentionError,
  endOfWork,
  restartTransaction,
  type TransactionOptions,
  type Transactions,
} from './transactions.js';

/** Of the sizes of groups; each has at most 32 requests. */
const sizeBounds = [1, 2, 4, 8, 16, 32];

/** How long a group is held up by a transaction that does not end, in milliseconds. */
const conflictPatienceMs = 500;

/** Requests in one transaction, which may be attempted many times. */
export interface GroupTransaction<Request, Response> extends Pick<
  TransactionOptions,
  'onDuplicateKey'
> {
  /**
   * Runs requests inside the open transaction; what one of them throws for itself alone is its outcome.
   *
   * @returns the outcomes in the order of the requests; what is left out runs in the next transaction
   */
  run(requests: readonly Request[]): Promise<PromiseSettledResult<Response>[]>;
}

/** What a kind of request does in a group, and how it runs when it has to be alone. */
export interface GroupedWork<Request, Response> {
  /**
   * Begins a transaction; what it holds outlives the attempts.
   *
   * @param newest of its requests, which knows the newest settings
   */
  begin(newest: Request): GroupTransaction<Request, Response>;
  /** What a request that is alone waits for inside the process. */
  queueKeys(request: Request): Promise<string[]>;
}

interface Timed<Request> {
  readonly request: Request;
  /** When the request gets its 503, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** A group runs after others, in the trace of its first request. */
  readonly inTrace: InTrace;
}

/** A request that is held up leaves its group with a promise. */
type Outcome<Response> = PromiseSettledResult<Response | Promise<Response>>;

/** The metrics count the groups of each kind of request by themselves. */
export interface GroupCounting {
  readonly metrics: Metrics;
  readonly kind: 'lead' | 'callback';
}

/**
 * Runs requests that share a key in groups of one transaction each. One that the database cannot store
 * fails alone, one that is held up by a foreign transaction holds up the others for half a second at
 * most, and each keeps its own deadline.
 */
export class GroupedTransactions<Request, Response> {
  private readonly logger = new Logger(GroupedTransactions.name);
  private readonly groups: RequestGroups<Timed<Request>, Response | Promise<Response>>;
  private readonly heldUp;

  constructor(
    private readonly transactions: Transactions,
    private readonly work: GroupedWork<Request, Response>,
    limits: GroupLimits,
    { metrics, kind }: GroupCounting,
  ) {
    this.groups = new RequestGroups((requests, settle) => this.runGroup(requests, settle), limits, {
      sizes: new Histogram({
        ...metrics.options(
          `${kind}_group_size`,
          `Requests about ${kind}s that one transaction has stored.`,
        ),
        buckets: sizeBounds,
      }),
      waiting: new Gauge(
        metrics.options(
          `${kind}_requests_waiting`,
          `Requests about ${kind}s that wait for the group before theirs.`,
        ),
      ),
    });
    this.heldUp = new Counter(
      metrics.options(
        `${kind}_groups_held_up_total`,
        `Groups about ${kind}s that another transaction has held up, so that their requests went alone.`,
      ),
    );
  }

  /**
   * The response to a request.
   *
   * @param bytes how much it counts against the limit of a group
   * @param expiresAt when it gets its 503, in milliseconds since 1970
   * @throws DatabaseUnavailableError when its time is over (rule HTTP-12); whatever the work throws
   */
  async submit(
    key: string,
    request: Request,
    bytes: number,
    expiresAt = Date.now() + this.transactions.deadlineMs,
  ): Promise<Response> {
    return this.groups.submit(key, { request, expiresAt, inTrace: inCurrentTrace() }, bytes);
  }

  /** What is stored is told at once: who waits for the rest of the group could be out of time by then. */
  private async runGroup(
    requests: readonly Timed<Request>[],
    settle: Settle<Response | Promise<Response>>,
  ): Promise<void> {
    const settleAll = (outcome: (one: Timed<Request>) => Outcome<Response>) => {
      for (const [index, one] of requests.entries()) settle(index, outcome(one));
    };
    try {
      const outcomes = await this.runTogether(requests, { conflictPatienceMs });
      for (const [index, outcome] of outcomes.entries()) settle(index, outcome);
      const done = outcomes.length;
      if (done === requests.length) return;
      await this.runGroup(requests.slice(done), (index, one) => settle(done + index, one));
    } catch (reason) {
      // Nothing was stored. Whoever holds what one of them writes must not hold up the others.
      if (reason instanceof ContentionError) {
        this.heldUp.inc();
        // Stryker disable next-line ObjectLiteral,StringLiteral: what the log says.
        this.logger.warn({ requests: requests.length }, 'A transaction held up a group');
        // Stryker disable next-line StringLiteral: stands for "not rejected" alone.
        settleAll((one) => ({ status: 'fulfilled', value: this.runAlone(one) }));
      } else if (requests.length === 1 || isDatabaseUnavailable(reason)) {
        // Whether the database has stored the group may be unknown: repeating it could do so twice.
        settleAll(() => ({ status: 'rejected', reason }));
      } else {
        for (const [index, one] of requests.entries()) {
          await this.runGroup([one], (_first, outcome) => settle(index, outcome));
        }
      }
    }
  }

  /** Runs a request beside the groups, for as long as it has time. */
  private async runAlone(one: Timed<Request>): Promise<Response> {
    const queueKeys = await this.work.queueKeys(one.request);
    const [outcome] = await this.runTogether([one], { queueKeys });
    // Stryker disable next-line OptionalChaining: one request has one outcome.
    if (outcome?.status === 'fulfilled') return outcome.value;
    // Stryker disable next-line OptionalChaining: as above.
    throw outcome?.reason;
  }

  private async runTogether(
    requests: readonly Timed<Request>[],
    options: TransactionOptions,
  ): Promise<PromiseSettledResult<Response>[]> {
    const [first] = requests;
    const newest = requests.at(-1);
    // Stryker disable next-line all: each group has a first request, which the compiler cannot know.
    if (first === undefined || newest === undefined) return [];
    const transaction = this.work.begin(newest.request);
    const attempt = async () => {
      const inTime = this.inTime(requests);
      if (inTime.length === 0) return requests.map(tooLate);
      const outcomes = await transaction.run(inTime.map(({ request }) => request));
      // What would be stored has its 503 before it could say so: the others run again without it.
      const stored = inTime.slice(0, outcomes.length);
      if (this.inTime(stored).length < stored.length) throw restartTransaction();
      return withLate(requests, inTime, outcomes);
    };
    const expiresAt = Math.max(...requests.map((one) => one.expiresAt));
    const onDuplicateKey = async (index: string) => transaction.onDuplicateKey?.(index);
    return first.inTrace(() =>
      this.transactions.run(attempt, { ...options, expiresAt, onDuplicateKey }),
    );
  }

  /** Those that have time left. */
  private inTime(requests: readonly Timed<Request>[]): readonly Timed<Request>[] {
    const now = Date.now();
    const { deadlineMs } = this.transactions;
    return requests.filter(({ expiresAt }) => now < endOfWork(expiresAt, deadlineMs));
  }
}

/** The outcomes of all requests, up to the first one that the transaction had no room for. */
function withLate<Request, Response>(
  requests: readonly Timed<Request>[],
  inTime: readonly Timed<Request>[],
  outcomes: readonly PromiseSettledResult<Response>[],
): PromiseSettledResult<Response>[] {
  const known = new Map(inTime.map((one, index) => [one, outcomes[index]]));
  const all = requests.map((one) => (known.has(one) ? known.get(one) : tooLate()));
  const end = all.indexOf(undefined);
  return all.slice(0, end === -1 ? all.length : end).filter((outcome) => outcome !== undefined);
}

function tooLate(): PromiseRejectedResult {
  return { status: 'rejected', reason: new DatabaseUnavailableError() };
}
