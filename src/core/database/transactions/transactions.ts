import { Inject, Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import { MongoError, MongoErrorLabel, ReadPreference } from 'mongodb';
import type { Connection } from 'mongoose';
import { Counter } from 'prom-client';
import { ENVIRONMENT, type Environment } from '../../configuration/environment.js';
import {
  DatabaseUnavailableError,
  duplicateKey,
  isDatabaseUnavailable,
  isInterrupted,
  isWriteConflict,
} from '../connection/database-errors.js';
import { withSession } from './open-session.js';
import { OrphanedTransactions } from './orphaned-transactions.js';
import { Metrics } from '../../observability/metrics.js';
import { traced } from '../../observability/tracing.js';

/**
 * Longest time in milliseconds between a writer's reading of the clock and its commit: the server ends transactions
 * after a minute, the rest is for clocks that differ.
 */
export const commitLagMs = 120_000;

/** How often a lost race for a unique index is retried with the new state. */
const duplicateKeyRetries = 10;

/** How long a conflict lasts before it looks like one with a process that has died. */
const conflictThresholdMs = 1_000;

/** The part of a deadline that is left for the commit: one second of eight. */
const commitShare = 1 / 8;

export interface TransactionOptions {
  /** Called with the name of the violated unique index before the work is retried. */
  readonly onDuplicateKey?: (index: string) => Promise<void>;
  /** How long conflicts may go on, in milliseconds; without it until the time is over. */
  readonly conflictPatienceMs?: number;
  /** Whether nothing of the work is stored: it only shows what it would do. */
  readonly isRehearsal?: boolean;
  /** When nobody waits for the result any more, in milliseconds since 1970; DATABASE_DEADLINE_MS from now by default. */
  readonly expiresAt?: number | undefined;
}

/** Another transaction holds on to what this one would write; nothing was stored. */
export class ContentionError extends Error {
  constructor(cause: unknown) {
    super('Another transaction does not end.', { cause });
  }
}

/** Nothing of an attempt is to be stored; the work runs again. */
export function restartTransaction(): MongoError {
  const error = new MongoError('The transaction is restarted.');
  error.addErrorLabel(MongoErrorLabel.TransientTransactionError);
  return error;
}

/**
 * When a transaction has to be ready for its commit, in milliseconds since 1970, so that its result is
 * there before nobody waits for it any more.
 */
export function workDeadline(expiresAt: number, deadlineMs: number): number {
  return expiresAt - deadlineMs * commitShare;
}

/** Runs work in MongoDB transactions; the only place that opens one. */
@Injectable()
export class Transactions {
  /** How long work may take when nobody says otherwise, in milliseconds. */
  readonly deadlineMs: number;
  private readonly started;
  private readonly attempts;
  private readonly conflicts;
  private readonly lostRaces;
  private readonly expirations;

  constructor(
    @InjectConnection() private readonly connection: Connection,
    @Inject(ENVIRONMENT) { DATABASE_DEADLINE_MS }: Environment,
    private readonly orphans: OrphanedTransactions,
    metrics: Metrics,
  ) {
    this.started = new Counter(
      metrics.options('transactions_total', 'Transactions that were begun.'),
    );
    this.attempts = new Counter(
      metrics.options(
        'transaction_attempts_total',
        'How often the work of transactions ran; each is run again after a conflict.',
      ),
    );
    this.conflicts = new Counter(
      metrics.options(
        'transaction_conflicts_total',
        'Attempts that met another transaction on the same document.',
      ),
    );
    this.lostRaces = new Counter(
      metrics.options(
        'transaction_lost_races_total',
        'Attempts that lost a race for a unique index.',
      ),
    );
    this.expirations = new Counter(
      metrics.options(
        'transactions_expired_total',
        'Transactions that were not stored within DATABASE_DEADLINE_MS.',
      ),
    );
    this.deadlineMs = DATABASE_DEADLINE_MS;
  }

  /**
   * Runs the work in one transaction: snapshot reads, majority commit, retried after a transient
   * error, an unknown commit result or a lost race for a unique index.
   *
   * The work may run many times: it loads what it changes inside, runs its operations one after
   * the other, has no other side effects and lets database errors through.
   *
   * @returns what the committed run of the work returned
   * @throws DatabaseUnavailableError when DATABASE_DEADLINE_MS is over (rule HTTP-12);
   *   ContentionError when `conflictPatienceMs` is; whatever the work throws
   */
  async run<T>(work: () => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    this.started.inc();
    const { deadlineMs } = this;
    const { expiresAt = Date.now() + deadlineMs } = options;
    const deadline = workDeadline(expiresAt, deadlineMs);
    return traced('transaction', {}, () => this.runUntilUnique(work, deadline, options));
  }

  private expired(cause?: unknown): DatabaseUnavailableError {
    this.expirations.inc();
    return new DatabaseUnavailableError(cause);
  }

  private async runUntilUnique<T>(
    work: () => Promise<T>,
    deadline: number,
    { onDuplicateKey, ...options }: TransactionOptions,
  ): Promise<T> {
    for (let retries = 0; ; retries++) {
      try {
        return await this.runOnce(work, deadline, options);
      } catch (error) {
        // Inside the callback the transaction is already aborted; only a new one can continue.
        const duplicate = duplicateKey(error);
        if (duplicate !== undefined) this.lostRaces.inc();
        if (duplicate === undefined || retries === duplicateKeyRetries) throw error;
        await onDuplicateKey?.(duplicate.index);
      }
    }
  }

  private async runOnce<T>(
    work: () => Promise<T>,
    deadline: number,
    { conflictPatienceMs = Number.POSITIVE_INFINITY, isRehearsal = false }: TransactionOptions,
  ): Promise<T> {
    let lastError: unknown;
    const patienceEnd = Date.now() + conflictPatienceMs;
    let conflictDeadline = Date.now() + conflictThresholdMs;
    const attempt = async () => {
      // The driver retries for two minutes unless the callback stops it.
      if (Date.now() >= deadline) throw this.expired(lastError);
      if (Date.now() >= patienceEnd && isWriteConflict(lastError)) {
        throw new ContentionError(lastError);
      }
      if (Date.now() >= conflictDeadline) {
        await this.orphans.abort();
        conflictDeadline = Date.now() + conflictThresholdMs;
      }
      this.attempts.inc();
      try {
        const result = await work();
        // The request has its response by now, or will have it before the commit is over.
        if (Date.now() >= deadline) throw this.expired();
        return result;
      } catch (error) {
        if (isInterrupted(error)) error.addErrorLabel(MongoErrorLabel.TransientTransactionError);
        if (isWriteConflict(error)) this.conflicts.inc();
        if (isDatabaseUnavailable(error)) lastError = error;
        throw error;
      }
    };
    return this.connection.getClient().withSession((session) =>
      session.withTransaction(
        async () => {
          const result = await withSession(session, attempt);
          // The driver commits nothing that has ended already.
          if (isRehearsal) await session.abortTransaction();
          return result;
        },
        {
          readConcern: { level: 'snapshot' },
          writeConcern: { w: 'majority' },
          readPreference: ReadPreference.primary,
          maxCommitTimeMS: this.deadlineMs,
        },
      ),
    );
  }
}
