import type { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, Logger } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { ClientSession, MongoClient } from 'mongodb';
import mongoose, { type Connection } from 'mongoose';

mongoose.set('transactionAsyncLocalStorage', true);

/** Every query of a model joins the session in it; Mongoose's types omit the property that its option creates. */
const { transactionAsyncLocalStorage: sessions } = mongoose as unknown as {
  readonly transactionAsyncLocalStorage: AsyncLocalStorage<{ readonly session?: ClientSession }>;
};

/** Awaits inside, because a query of Mongoose runs only when it is awaited. */
function withSession<T>(session: ClientSession, work: () => PromiseLike<T>): Promise<T> {
  return sessions.run({ session }, async () => work());
}

export function withoutSession<T>(work: () => PromiseLike<T>): Promise<T> {
  return sessions.run({}, async () => work());
}

/** Reads in parallel with the transaction. Only a caller that awaits the result gets its error. */
export function readOutsideTransaction<T>(read: () => PromiseLike<T>): Promise<T> {
  const result = withoutSession(read);
  result.catch(() => undefined);
  return result;
}

export function currentSession(): { session?: ClientSession } {
  return sessions.getStore() ?? {};
}

const callbacksAfterEnd = new WeakMap<ClientSession, Set<() => void>>();

/** Calls back once after commit or abort of the open transaction, or immediately without one. */
export function afterTransaction(callback: () => void): void {
  const { session } = currentSession();
  if (session === undefined) {
    callback();
    return;
  }
  const callbacks = callbacksAfterEnd.get(session) ?? new Set();
  callbacks.add(callback);
  callbacksAfterEnd.set(session, callbacks);
}

/** Runs the callbacks of {@link afterTransaction}. */
export function endTransaction(session: ClientSession | undefined): void {
  const callbacks = session && callbacksAfterEnd.get(session);
  for (const callback of callbacks ?? []) callback();
}

@Injectable()
export class Snapshots {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  open(): Snapshot {
    return new Snapshot(this.connection.getClient().startSession({ snapshot: true }));
  }

  /** All reads see one majority-committed state. They must run one after the other. */
  async withSnapshot<T>(work: () => Promise<T>): Promise<T> {
    const snapshot = this.open();
    try {
      return await snapshot.run(work);
    } finally {
      await snapshot.close();
    }
  }
}

/** The server keeps the state of the first read for five minutes; later reads fail. */
export class Snapshot {
  constructor(private readonly session: ClientSession) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await withSession(this.session, work);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async *stream<T>(parts: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
    try {
      for (;;) {
        const { done, value } = await this.run(() => parts.next());
        if (done === true) return;
        yield value;
      }
    } finally {
      await parts.return();
      await this.close();
    }
  }

  async close(): Promise<void> {
    await this.session.endSession();
  }
}

/** A running process never pauses longer between two operations of a transaction. */
const orphanInactiveMicroseconds = 1_000_000;

/** The server keeps transactions of a dead process open for a minute, with conflicts for all others. */
export async function abortOrphanedTransactions(client: MongoClient): Promise<void> {
  const logger = new Logger('OrphanedTransactions');
  try {
    const admin = client.db('admin');
    const inactive = await admin
      .aggregate([
        { $currentOp: { idleSessions: true } },
        { $match: { type: 'idleSession', appName: client.options.appName } },
        { $match: { 'transaction.timeInactiveMicros': { $gt: orphanInactiveMicroseconds } } },
      ])
      .toArray();
    if (inactive.length === 0) return;
    const killSessions = inactive.map(({ lsid }) => ({ id: (lsid as { id: unknown }).id }));
    await admin.command({ killSessions });
    logger.warn({ count: inactive.length }, 'Aborted orphaned transactions');
  } catch (error) {
    const message =
      'Could not abort orphaned transactions; the server aborts them within a minute. The ' +
      'database user ' +
      'needs the privileges inprog and killAnySession.';
    logger.warn({ err: error }, message);
  }
}
