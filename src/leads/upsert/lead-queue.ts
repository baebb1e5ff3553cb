import { Logger } from '@nestjs/common';
import { BSON } from 'mongodb';
import {
  DatabaseUnavailableError,
  isDatabaseUnavailable,
} from '../../core/database/connection/database-errors.js';
import {
  ContentionError,
  workDeadline,
  transactionRestart,
  type TransactionOptions,
  type Transactions,
} from '../../core/database/transactions/transactions.js';
import type { RequestCaller } from '../../core/http/requests/request-caller.js';
import type { Metrics } from '../../core/observability/metrics.js';
import { type InTrace, inCurrentTrace } from '../../core/observability/tracing.js';
import { mebibyte } from '../../core/values/numbers.js';
import type { LeadOutcome, LeadUpsertResult } from './lead-outcomes.js';
import type { LeadRequest } from './lead-working-set.js';

/** A larger single request gets its own group. */
const groupLimits = { count: 32, bytes: mebibyte };
const sizeBounds = [1, 2, 4, 8, 16, 32];
/** Longest delay of a group, in ms, by another program's transaction. */
const maxConflictWaitMs = 500;

/** The work of the queue, which runs inside its transactions. */
export interface LeadGroups {
  /** Stores as many leading requests as one transaction has room for, at least one. */
  upsertGroup(requests: readonly LeadRequest[]): Promise<readonly LeadOutcome[]>;
  /** Called after a lost race for a unique index, before the requests run again. */
  onDuplicateKey(index: string, caller: RequestCaller): Promise<void>;
}

interface Entry {
  readonly request: LeadRequest;
  readonly bytes: number;
  /** Time of the 503, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** Runs the work of a group in the trace of its first request. */
  readonly inTrace: InTrace;
  readonly resolve: (result: LeadUpsertResult) => void;
  readonly reject: (reason: unknown) => void;
}

/** Runs one transaction at a time per organization, while further leads gather. Each keeps its own deadline. */
export class LeadQueue {
  private readonly logger = new Logger(LeadQueue.name);
  /** Requests that wait for the running group of their organization. */
  private readonly waitingEntries = new Map<string, Entry[]>();
  private readonly sizes;
  private readonly waiting;
  private readonly blockedGroups;

  constructor(
    private readonly groups: LeadGroups,
    private readonly transactions: Pick<Transactions, 'run' | 'deadlineMs'>,
    metrics: Metrics,
  ) {
    this.sizes = metrics.histogram(
      'lead_group_size',
      'Number of lead requests in one transaction.',
      sizeBounds,
    );
    this.waiting = metrics.gauge(
      'lead_requests_waiting',
      'Number of lead requests that wait for an earlier group.',
    );
    this.blockedGroups = metrics.counter(
      'lead_groups_held_up_total',
      'Groups of lead requests that another transaction blocked, so that each request ran alone.',
    );
  }

  /** @param sent determines the size in its group */
  submit(request: LeadRequest, sent: object): Promise<LeadUpsertResult> {
    const { promise, resolve, reject } = Promise.withResolvers<LeadUpsertResult>();
    const bytes = BSON.calculateObjectSize(sent);
    const { organizationId, expiresAt = Date.now() + this.transactions.deadlineMs } =
      request.caller;
    const entry = { request, bytes, expiresAt, inTrace: inCurrentTrace(), resolve, reject };
    const organization = organizationId.toHexString();
    this.waiting.inc();
    const queue = this.waitingEntries.get(organization);
    if (queue === undefined) void this.runAll(organization, [entry]);
    else queue.push(entry);
    return promise;
  }

  private async runAll(organization: string, queue: Entry[]): Promise<void> {
    this.waitingEntries.set(organization, queue);
    while (queue.length > 0) {
      const group = takeGroup(queue);
      this.waiting.dec(group.length);
      this.sizes.observe(group.length);
      await this.runGroup(group);
    }
    this.waitingEntries.delete(organization);
  }

  /** Never rejects. Responds to each request as soon as it is stored: the rest may take until their deadlines. */
  private async runGroup(entries: readonly Entry[]): Promise<void> {
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
    entries: readonly Entry[],
    options: TransactionOptions = {},
  ): Promise<readonly Entry[]> {
    const [first] = entries;
    const newest = entries.at(-1);
    // Stryker disable next-line all: each group has a first request, which the compiler cannot know.
    if (first === undefined || newest === undefined) return [];
    const attempt = async () => {
      const inTime = this.entriesInTime(entries);
      const outcomes = await this.groups.upsertGroup(inTime.map(({ request }) => request));
      // Requests that meanwhile got a 503 must not be stored: the others run again without them.
      const stored = inTime.slice(0, outcomes.length);
      if (this.entriesInTime(stored).length < stored.length) throw transactionRestart();
      return { inTime, outcomes };
    };
    const expiresAt = Math.max(...entries.map((entry) => entry.expiresAt));
    const onDuplicateKey = (index: string) =>
      this.groups.onDuplicateKey(index, newest.request.caller);
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

  private entriesInTime(entries: readonly Entry[]): readonly Entry[] {
    const now = Date.now();
    const { deadlineMs } = this.transactions;
    return entries.filter(({ expiresAt }) => now < workDeadline(expiresAt, deadlineMs));
  }
}

function takeGroup(queue: Entry[]): Entry[] {
  let bytes = 0;
  const end = queue.findIndex((entry, index) => {
    bytes += entry.bytes;
    return index === groupLimits.count || (index > 0 && bytes > groupLimits.bytes);
  });
  return queue.splice(0, end === -1 ? queue.length : end);
}
