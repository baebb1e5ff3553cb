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
 * Longest time in milliseconds between a writer's reading of the clock and its commit: a minute, after which
 * the server ends transactions, and a minute for differing clocks.
 */
export const commitLagMs = 120_000;

const duplicateKeyRetries = 10;

/** A longer conflict may be one with a process that has died. */
const conflictThresholdMs = 1_000;

/** The part of a deadline that is left for the commit. */
const commitShare = 1 / 8;

export interface TransactionOptions {
  /** Called with the name of the violated unique index before a retry. */
  readonly onDuplicateKey?: (index: string) => Promise<void>;
  /** After so many milliseconds of conflicts a {@link ContentionError} ends the transaction. */
  readonly conflictPatienceMs?: number;
  /** Aborts the transaction instead of the commit. */
  readonly isRehearsal?: boolean;
  /** The end of the request, in milliseconds since 1970; by default DATABASE_DEADLINE_MS from now. */
  readonly expiresAt?: number | undefined;
}

/** Another transaction holds a document that this one would write; nothing was stored. */
export class ContentionError extends Error {
  constructor(cause: unknown) {
    super('Another transaction does not end.', { cause });
  }
}

/** An error that makes the driver retry the work. */
export function restartTransaction(): MongoError {
  const error = new MongoError('The transaction is restarted.');
  error.addErrorLabel(MongoErrorLabel.TransientTransactionError);
  return error;
}

/** The end of the work of a transaction, in milliseconds since 1970, which leaves time for the commit. */
export function workDeadline(expiresAt: number, deadlineMs: number): number {
  return expiresAt - deadlineMs * commitShare;
}

/** Runs work in MongoDB transactions; the only place that opens one. */
@Injectable()
export class Transactions {
  /** The default limit of a transaction, in milliseconds. */
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
    const counter = (name: string, help: string) => new Counter(metrics.options(name, help));
    this.started = counter('transactions_total', 'Transactions begun.');
    this.attempts = counter(
      'transaction_attempts_total',
      'Runs of the work of transactions; a conflict causes another run.',
    );
    this.conflicts = counter(
      'transaction_conflicts_total',
      'Runs that met another transaction on the same document.',
    );
    this.lostRaces = counter(
      'transaction_lost_races_total',
      'Runs that lost a race for a unique index.',
    );
    this.expirations = counter(
      'transactions_expired_total',
      'Transactions that were not stored within DATABASE_DEADLINE_MS.',
    );
    this.deadlineMs = DATABASE_DEADLINE_MS;
  }

  /**
   * Runs the work in one transaction: snapshot reads, majority commit, retries after a transient error, an
   * unknown commit result or a lost race for a unique index.
   *
   * The work may run many times. It must load all that it changes, run its operations one after the other,
   * have no other side effects, and throw database errors as they are.
   *
   * @throws DatabaseUnavailableError after the deadline (rule HTTP-12), ContentionError after
   *   `conflictPatienceMs`, and the errors of the work
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
        // The transaction is aborted; only a new one can continue.
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
        // The request would get its 503 before the end of the commit.
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
          // The driver does not commit an aborted transaction.
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
