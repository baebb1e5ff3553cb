import { Logger } from '@nestjs/common';
import { BSON } from 'mongodb';
import {
  DatabaseUnavailableError,
  isDatabaseUnavailable,
} from '../database/connection/database-errors.js';
import {
  ContentionError,
  workDeadline,
  transactionRestart,
  type TransactionOptions,
  Transactions,
} from '../database/transactions/transactions.js';
import type { ServiceResponse } from '../idempotency/idempotency-claim.js';
import { type InTrace, inCurrentTrace } from '../observability/tracing.js';
import { mebibyte } from '../values/numbers.js';
import { GroupTransaction, WriteServices } from './group-transaction.js';
import type { Batch, PendingWrites, WriteHandler, WriteRequest } from './write-handler.js';

/** A larger single request gets its own group. */
const groupLimits = { count: 32, bytes: mebibyte };
const sizeBounds = [1, 2, 4, 8, 16, 32];
/** Longest delay of a group, in ms, by another program's transaction. */
const maxConflictWaitMs = 500;

interface Entry<Request, Response> {
  readonly request: Request;
  readonly batch: Batch<Request, Response, ServiceResponse> | undefined;
  readonly bytes: number;
  /** Time of the 503, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** Runs the work of a group in the trace of its first request. */
  readonly inTrace: InTrace;
  readonly resolve: (response: ServiceResponse) => void;
  readonly reject: (reason: unknown) => void;
}

/** Runs one transaction at a time per organization, while further requests gather. Each keeps its own deadline. */
export class GroupCommit<
  Request extends WriteRequest,
  Records extends PendingWrites,
  Decision,
  Response extends ServiceResponse,
> {
  private readonly logger = new Logger(GroupCommit.name);
  /** Requests that wait for the running group of their organization. */
  private readonly queues = new Map<string, Entry<Request, Response>[]>();
  private readonly transaction: GroupTransaction<Request, Records, Decision, Response>;
  private readonly transactions: Transactions;
  private readonly sizes;
  private readonly waiting;
  private readonly blockedGroups;

  constructor(
    services: WriteServices,
    private readonly handler: WriteHandler<Request, Records, Decision, Response>,
  ) {
    this.transactions = services.transactions;
    this.transaction = new GroupTransaction(services, handler);
    const { name } = handler;
    this.sizes = services.metrics.histogram(
      `${name}_group_size`,
      `Number of ${name} requests in one transaction.`,
      sizeBounds,
    );
    this.waiting = services.metrics.gauge(
      `${name}_requests_waiting`,
      `Number of ${name} requests that wait for an earlier group.`,
    );
    this.blockedGroups = services.metrics.counter(
      `${name}_groups_held_up_total`,
      `Groups of ${name} requests that another transaction blocked, so that each request ran alone.`,
    );
  }

  /** @param sent determines the size in its group */
  async submit(request: Request, sent: object): Promise<Response> {
    return (await this.enqueue(request, BSON.calculateObjectSize(sent))) as Response;
  }

  /** Stores all or nothing in a separate transaction. */
  async submitAll<Whole extends ServiceResponse>(
    batch: Batch<Request, Response, Whole>,
  ): Promise<Whole> {
    const [first] = batch.requests;
    if (first === undefined) return batch.responseTo([]);
    // The maximum size keeps other requests out of its group.
    return (await this.enqueue(first, groupLimits.bytes, batch)) as Whole;
  }

  /** Returns the response that {@link submitAll} would give now; stores nothing. */
  dryRun<Whole extends ServiceResponse>(batch: Batch<Request, Response, Whole>): Promise<Whole> {
    return this.transaction.dryRun(batch);
  }

  private async enqueue(
    request: Request,
    bytes: number,
    batch?: Batch<Request, Response, ServiceResponse>,
  ): Promise<ServiceResponse> {
    const { organizationId, expiresAt = Date.now() + this.transactions.deadlineMs } =
      request.caller;
    const { promise, resolve, reject } = Promise.withResolvers<ServiceResponse>();
    const inTrace = inCurrentTrace();
    const entry = { request, batch, bytes, expiresAt, inTrace, resolve, reject };
    const organization = organizationId.toHexString();
    this.waiting.inc();
    const queue = this.queues.get(organization);
    if (queue === undefined) void this.runAll(organization, [entry]);
    else queue.push(entry);
    return promise;
  }

  private async runAll(organization: string, queue: Entry<Request, Response>[]): Promise<void> {
    this.queues.set(organization, queue);
    while (queue.length > 0) {
      const group = this.takeGroup(queue);
      this.waiting.dec(group.length);
      this.sizes.observe(group.length);
      await this.runGroup(group);
    }
    this.queues.delete(organization);
  }

  private takeGroup(queue: Entry<Request, Response>[]): Entry<Request, Response>[] {
    let bytes = 0;
    const end = queue.findIndex((entry, index) => {
      bytes += entry.bytes;
      return index === groupLimits.count || (index > 0 && bytes > groupLimits.bytes);
    });
    return queue.splice(0, end === -1 ? queue.length : end);
  }

  /** Never rejects. Responds to each request as soon as it is stored: the rest may take until their deadlines. */
  private async runGroup(entries: readonly Entry<Request, Response>[]): Promise<void> {
    try {
      const rest = await this.runInTransaction(entries, { maxConflictWaitMs });
      if (rest.length > 0) await this.runGroup(rest);
    } catch (reason) {
      // Nothing was stored. Requests that the foreign transaction does not affect must not wait.
      if (reason instanceof ContentionError) {
        this.blockedGroups.inc();
        // Stryker disable ObjectLiteral,StringLiteral: text of the log.
        this.logger.warn(
          { requests: entries.length },
          'Another transaction holds a document of this group; the requests of the group now run one by one',
        );
        // Stryker restore ObjectLiteral,StringLiteral
        for (const entry of entries) void this.runInTransaction([entry]).catch(entry.reject);
      } else if (entries.length === 1 || isDatabaseUnavailable(reason)) {
        // The outcome may be unknown: a retry could store the group twice.
        for (const entry of entries) entry.reject(reason);
      } else {
        for (const entry of entries) await this.runGroup([entry]);
      }
    }
  }

  /** Returns requests that did not fit into the transaction; the others have their outcomes. */
  private async runInTransaction(
    entries: readonly Entry<Request, Response>[],
    options: TransactionOptions = {},
  ): Promise<readonly Entry<Request, Response>[]> {
    const [first] = entries;
    const newest = entries.at(-1);
    // Stryker disable next-line all: each group has a first request, which the compiler cannot know.
    if (first === undefined || newest === undefined) return [];
    const attempt = async () => {
      const inTime = this.entriesInTime(entries);
      const batch = inTime[0]?.batch;
      const requests = batch?.requests ?? inTime.map(({ request }) => request);
      const outcomes = await this.transaction.run(requests, batch);
      // Requests that meanwhile got a 503 must not be stored: the others run again without them.
      const stored = inTime.slice(0, outcomes.length);
      if (this.entriesInTime(stored).length < stored.length) throw transactionRestart();
      return { inTime, outcomes };
    };
    const expiresAt = Math.max(...entries.map((entry) => entry.expiresAt));
    const onDuplicateKey = async (index: string) =>
      this.handler.onDuplicateKey?.(index, newest.request);
    const { inTime, outcomes } = await first.inTrace(() =>
      this.transactions.run(attempt, { ...options, expiresAt, onDuplicateKey }),
    );
    for (const entry of entries) {
      const index = inTime.indexOf(entry);
      const outcome = outcomes[index];
      if (index === -1) entry.reject(new DatabaseUnavailableError());
      else if (outcome?.status === 'fulfilled') entry.resolve(outcome.value);
      else if (outcome !== undefined) entry.reject(outcome.reason);
    }
    return inTime.slice(outcomes.length);
  }

  private entriesInTime(
    entries: readonly Entry<Request, Response>[],
  ): readonly Entry<Request, Response>[] {
    const now = Date.now();
    const { deadlineMs } = this.transactions;
    return entries.filter(({ expiresAt }) => now < workDeadline(expiresAt, deadlineMs));
  }
}
