import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { InjectConnection, InjectModel, Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { type ClientSession, MongoError, MongoErrorLabel, ReadPreference } from 'mongodb';
import { type Connection, type Model, SchemaTypes, type Types } from 'mongoose';
import { ENVIRONMENT, type Environment } from '../../configuration/environment.js';
import {
  DatabaseUnavailableError,
  duplicateKey,
  isDatabaseUnavailable,
  isInterrupted,
  isWriteConflict,
} from '../connection/database-errors.js';
import { abortOrphanedTransactions, endTransaction, currentSession } from './sessions.js';
import { Metrics } from '../../observability/metrics.js';
import { traced } from '../../observability/tracing.js';

/** Longest time from reading the clock to the commit: a minute on the server plus one for clock skew. */
export const commitLagMs = 120_000;

const duplicateKeyRetries = 10;

/** A longer conflict may be with the transaction of a process that has died. */
const conflictThresholdMs = 1_000;

/** This share of the deadline is reserved for the commit. */
const commitTimeShare = 1 / 8;

export interface TransactionOptions {
  readonly onDuplicateKey?: (index: string) => Promise<void>;
  /** Longer conflicts abort with a {@link ContentionError}. */
  readonly maxConflictWaitMs?: number;
  readonly isDryRun?: boolean;
  /** A process that wrote these documents has died: the first attempt already aborts orphaned transactions. */
  readonly followsDeadProcess?: boolean;
  /** Deadline in milliseconds since 1970; DATABASE_DEADLINE_MS from now by default. */
  readonly expiresAt?: number | undefined;
  /**
   * Transactions of this process about the same record run one after the other: in parallel, 64 requests about one
   * document need nine attempts each. The organization keeps one tenant's requests from waiting for another's.
   */
  readonly oneAtATime?: { readonly organizationId: Types.ObjectId; readonly record: string };
}

/** Another transaction holds a document that this one needs; nothing was stored. */
export class ContentionError extends Error {
  constructor(cause: unknown) {
    super('Another transaction has held a document for too long.', { cause });
  }
}

export function transactionRestart(): MongoError {
  const error = new MongoError('The transaction is restarted.');
  error.addErrorLabel(MongoErrorLabel.TransientTransactionError);
  return error;
}

export function workDeadline(expiresAt: number, deadlineMs: number): number {
  return expiresAt - deadlineMs * commitTimeShare;
}

@Schema({ collection: 'transactionLocks', versionKey: false })
export class TransactionLockDocument {
  declare _id: Types.ObjectId;

  @Prop({ type: SchemaTypes.ObjectId, required: true })
  organizationId!: Types.ObjectId;

  @Prop({ type: String, required: true })
  key!: string;

  @Prop({ type: Date, required: true })
  takenAt!: Date;

  @Prop({ type: Number })
  timesTaken?: number;
}

export const transactionLockSchema = SchemaFactory.createForClass(TransactionLockDocument);

transactionLockSchema.index({ organizationId: 1, key: 1 }, { name: 'lock', unique: true });
transactionLockSchema.index({ takenAt: 1 }, { name: 'expiry', expireAfterSeconds: 3_600 });

@Injectable()
export class Transactions {
  readonly deadlineMs: number;
  private readonly counts;
  private readonly waiting;
  /** The last transaction of each record; every request of the queue holds a place of its API key (rule HTTP-22). */
  private readonly lastOfRecord = new Map<string, Promise<unknown>>();
  private abortingOrphans: Promise<void> | undefined;

  constructor(
    @InjectConnection() private readonly connection: Connection,
    @InjectModel('TransactionLock') private readonly locks: Model<TransactionLockDocument>,
    @Inject(ENVIRONMENT) { DATABASE_DEADLINE_MS }: Environment,
    metrics: Metrics,
  ) {
    this.counts = {
      started: metrics.counter('transactions_total', 'Transactions started.'),
      attempts: metrics.counter(
        'transaction_attempts_total',
        'Transaction attempts, including retries.',
      ),
      conflicts: metrics.counter(
        'transaction_conflicts_total',
        'Transaction attempts that conflicted with another transaction.',
      ),
      lostRaces: metrics.counter(
        'transaction_lost_races_total',
        'Transaction attempts that lost a race for a unique index.',
      ),
      expirations: metrics.counter(
        'transactions_expired_total',
        'Transactions that did not commit within DATABASE_DEADLINE_MS.',
      ),
    };
    this.waiting = metrics.gauge(
      'transactions_waiting',
      'Transactions that wait for an earlier one about the same record.',
    );
    this.deadlineMs = DATABASE_DEADLINE_MS;
  }

  /**
   * Retries the work, so it must load everything inside, run operations in sequence and rethrow database errors.
   *
   * @throws Error inside another transaction: one that survives the other's rollback would store half of a change
   */
  async run<T>(work: () => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    if (currentSession().session !== undefined) throw new Error('A transaction is already open.');
    const { deadlineMs } = this;
    const { expiresAt = Date.now() + deadlineMs, oneAtATime } = options;
    const deadline = workDeadline(expiresAt, deadlineMs);
    const start = async () => {
      this.counts.started.inc();
      let hasExpired = false;
      try {
        return await traced('transaction', {}, () => this.runUntilUnique(work, deadline, options));
      } catch (error) {
        hasExpired = error instanceof DatabaseUnavailableError;
        throw error;
      } finally {
        // A commit may end after its request has got 503, for example when the majority is lost.
        if (hasExpired || Date.now() > expiresAt) this.counts.expirations.inc();
      }
    };
    if (oneAtATime === undefined) return start();
    const { organizationId, record } = oneAtATime;
    return this.runInTurn(`${organizationId.toHexString()} ${record}`, start);
  }

  /**
   * Serializes open transactions that lock the same key: one commits, the others retry and see its writes.
   * Snapshot reads alone would let two transactions claim the same free phone number.
   */
  async lock(
    organizationId: Types.ObjectId,
    keys: readonly string[],
    takenAt: Date,
  ): Promise<void> {
    const operations = [...new Set(keys.map(lockIdOf))].toSorted().map((key) => ({
      updateOne: {
        filter: { organizationId, key },
        // Setting an equal time alone would be a no-op and cause no conflict.
        update: { $set: { takenAt }, $inc: { timesTaken: 1 } },
        upsert: true,
      },
    }));
    if (operations.length > 0) await this.locks.bulkWrite(operations);
  }

  private async runInTurn<T>(key: string, start: () => Promise<T>): Promise<T> {
    const earlier = this.lastOfRecord.get(key);
    this.waiting.inc();
    const inTurn = async () => {
      await earlier;
      this.waiting.dec();
      return start();
    };
    const result = inTurn();
    const end = result.catch(() => undefined);
    this.lastOfRecord.set(key, end);
    try {
      return await result;
    } finally {
      if (this.lastOfRecord.get(key) === end) this.lastOfRecord.delete(key);
    }
  }

  private async abortOrphans(): Promise<void> {
    this.abortingOrphans ??= abortOrphanedTransactions(this.connection.getClient()).finally(
      () => (this.abortingOrphans = undefined),
    );
    await this.abortingOrphans;
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
        if (duplicate !== undefined) this.counts.lostRaces.inc();
        if (duplicate === undefined || retries === duplicateKeyRetries) throw error;
        await onDuplicateKey?.(duplicate.index);
      }
    }
  }

  private async runOnce<T>(
    work: () => Promise<T>,
    deadline: number,
    {
      maxConflictWaitMs = Number.POSITIVE_INFINITY,
      isDryRun = false,
      followsDeadProcess = false,
    }: TransactionOptions,
  ): Promise<T> {
    let lastError: unknown;
    const patienceEnd = Date.now() + maxConflictWaitMs;
    let conflictDeadline = Date.now() + (followsDeadProcess ? 0 : conflictThresholdMs);
    const attempt = async () => {
      // The driver retries for two minutes unless the callback stops it.
      if (Date.now() >= deadline) throw new DatabaseUnavailableError(lastError);
      if (Date.now() >= patienceEnd && isWriteConflict(lastError)) {
        throw new ContentionError(lastError);
      }
      if (Date.now() >= conflictDeadline) {
        await this.abortOrphans();
        conflictDeadline = Date.now() + conflictThresholdMs;
      }
      this.counts.attempts.inc();
      try {
        const result = await work();
        // The commit could outlast the request, which would get its 503 first.
        if (Date.now() >= deadline) throw new DatabaseUnavailableError();
        return result;
      } catch (error) {
        if (isInterrupted(error)) error.addErrorLabel(MongoErrorLabel.TransientTransactionError);
        if (isWriteConflict(error)) this.counts.conflicts.inc();
        if (isDatabaseUnavailable(error)) lastError = error;
        throw error;
      }
    };
    return this.runInSession(attempt, isDryRun);
  }

  private async runInSession<T>(work: () => Promise<T>, isDryRun: boolean): Promise<T> {
    let ofTransaction: ClientSession | undefined;
    const inSession = async (session: ClientSession) => {
      ofTransaction = session;
      const result = await work();
      if (isDryRun) await session.abortTransaction();
      return result;
    };
    try {
      return await this.connection.transaction(inSession, {
        readConcern: { level: 'snapshot' },
        writeConcern: { w: 'majority' },
        readPreference: ReadPreference.primary,
        maxCommitTimeMS: this.deadlineMs,
      });
    } finally {
      endTransaction(ofTransaction);
    }
  }
}

/** Dozens of phones share each of 16 million locks, so a lock does not reveal a phone. */
function lockIdOf(key: string): string {
  return hash('sha256', key, 'hex').slice(0, 6);
}
