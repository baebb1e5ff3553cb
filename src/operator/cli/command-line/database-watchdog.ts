import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import { DatabaseUnavailableError } from '../../../core/database/connection/database-errors.js';

const intervalMs = 1_000;
/** A busy event loop reads a response only after the timer has fired. */
const graceMs = 100;

/** Prints a notice on a terminal once the promise has been pending for a second. */
export async function withWaitNotice<T>(waiting: Promise<T>): Promise<T> {
  const timer = setTimeout(() => {
    if (process.stderr.isTTY) process.stderr.write('Waiting for the database.\n');
  }, 1_000);
  return waiting.finally(() => clearTimeout(timer));
}

/**
 * Rejects when the database does not respond for `deadlineMs`. A command's connections have no deadline, because its
 * work may take long, so nothing else notices a database that hangs.
 */
export async function withDatabaseWatchdog<T>(
  { db }: Connection,
  deadlineMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const watch = async () => {
    while (!ended.signal.aborted) {
      // A failed ping counts as a response: the work itself will fail.
      const ping = Promise.resolve(db?.command({ ping: 1 })).then(
        () => true,
        () => true,
      );
      const silence = delay(deadlineMs, false, { ref: false });
      const grace = silence.then(() => delay(graceMs, false, { ref: false }));
      const hasResponded = await withWaitNotice(Promise.race([ping, grace]));
      if (!hasResponded && !ended.signal.aborted) throw new DatabaseUnavailableError();
      await delay(intervalMs, undefined, { ref: false });
    }
  };
  const silence = Promise.withResolvers<never>();
  watch().catch(silence.reject);
  try {
    return await Promise.race([work(), silence.promise]);
  } finally {
    ended.abort();
  }
}
