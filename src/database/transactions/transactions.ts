import { Inject, Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import AsyncLock from 'async-lock';
import { ReadPreference } from 'mongodb';
import type { Connection } from 'mongoose';
import { ENVIRONMENT, type Environment } from '../../configuration/environment.js';
import {
  DatabaseUnavailableError,
  duplicateKey,
  isDatabaseUnavailable,
} from '../connection/database-errors.js';
import { withSession } from './open-session.js';
import { OrphanedTransactions } from './orphaned-transactions.js';

/** How often a lost race for a unique index is run again with the fresh state. */
const duplicateKeyRetries = 10;

/** How long a conflict lasts before it looks like one with a process that is no more. */
const suspiciousAfter = 1_000;

/** Time in milliseconds that is left for the commit when the work is done in the last moment. */
const commitMargin = 200;

/** Settings of one transaction. */
export interface TransactionOptions {
  /**
   * What requests would contend for. Work that shares a key waits its turn inside this process
   * instead of being fought out, and repeated, in the database.
   */
  readonly queueKeys?: readonly string[];
  /** Called with the name of the violated unique index before the work is run again. */
  readonly onDuplicateKey?: (index: string) => Promise<void>;
}

/** Runs work in MongoDB transactions; the only place that opens one. */
@Injectable()
export class Transactions {
  private readonly queue: AsyncLock;

  constructor(
    @InjectConnection() private readonly connection: Connection,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly orphans: OrphanedTransactions,
  ) {
    this.queue = new AsyncLock({
      timeout: environment.DATABASE_DEADLINE_MS,
      maxPending: Number.POSITIVE_INFINITY,
    });
  }

  /**
   * Runs the work in one transaction: snapshot reads, majority commit, run again after a transient
   * error, an unknown commit result or a lost race for a unique index.
   *
   * The work may run many times: it loads what it changes inside, runs its operations one after
   * the other, has no other side effects and lets database errors through.
   *
   * @returns what the committed run of the work returned
   * @throws DatabaseUnavailableError when DATABASE_DEADLINE_MS is over; whatever the work throws
   */
  async run<T>(work: () => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const patience = this.environment.DATABASE_DEADLINE_MS;
    const deadline = Date.now() + patience - Math.min(commitMargin, patience / 10);
    const attempt = () => this.runUntilUnique(work, deadline, options.onDuplicateKey);
    const keys = [...new Set(options.queueKeys)].toSorted();
    if (keys.length === 0) return attempt();
    try {
      return await this.queue.acquire(keys, attempt);
    } catch (error) {
      const timedOut = error instanceof Error && error.message.startsWith('async-lock timed out');
      throw timedOut ? new DatabaseUnavailableError(error) : error;
    }
  }

  private async runUntilUnique<T>(
    work: () => Promise<T>,
    deadline: number,
    onDuplicateKey?: (index: string) => Promise<void>,
  ): Promise<T> {
    for (let retries = 0; ; retries++) {
      try {
        return await this.runOnce(work, deadline);
      } catch (error) {
        // Inside the callback the transaction is already aborted; only a new one can go on.
        const duplicate = duplicateKey(error);
        if (duplicate === undefined || retries === duplicateKeyRetries) throw error;
        await onDuplicateKey?.(duplicate.index);
      }
    }
  }

  private async runOnce<T>(work: () => Promise<T>, deadline: number): Promise<T> {
    let lastError: unknown;
    let suspiciousAt = Date.now() + suspiciousAfter;
    const attempt = async () => {
      // The driver goes on retrying for two minutes unless the callback stops it.
      if (Date.now() >= deadline) throw new DatabaseUnavailableError(lastError);
      if (Date.now() >= suspiciousAt) {
        await this.orphans.abort();
        suspiciousAt = Date.now() + suspiciousAfter;
      }
      try {
        const result = await work();
        // The request has been answered by now, or will be while the commit is under way.
        if (Date.now() >= deadline) throw new DatabaseUnavailableError();
        return result;
      } catch (error) {
        if (isDatabaseUnavailable(error)) lastError = error;
        throw error;
      }
    };
    return this.connection.getClient().withSession((session) =>
      session.withTransaction(() => withSession(session, attempt), {
        readConcern: { level: 'snapshot' },
        writeConcern: { w: 'majority' },
        readPreference: ReadPreference.primary,
        maxCommitTimeMS: this.environment.DATABASE_DEADLINE_MS,
      }),
    );
  }
}
