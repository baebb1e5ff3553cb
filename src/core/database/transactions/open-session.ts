import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientSession } from 'mongodb';

const sessions = new AsyncLocalStorage<ClientSession | undefined>();

/** Operations of the work join the transaction of the session. */
export function withSession<T>(session: ClientSession, work: () => Promise<T>): Promise<T> {
  return sessions.run(session, work);
}

/** Operations of the work do not join the open transaction. */
export function withoutSession<T>(work: () => Promise<T>): Promise<T> {
  return sessions.run(undefined, work);
}

/**
 * Reads outside the open transaction, in parallel with its commands. A failure reaches the caller that awaits
 * the result; none does after an earlier failure of the transaction.
 */
export function readOutsideTransaction<T>(read: () => Promise<T>): Promise<T> {
  const result = withoutSession(read);
  result.catch(() => undefined);
  return result;
}

/** The option by which an operation joins the open transaction, if any. */
export function openSession(): { session?: ClientSession } {
  const session = sessions.getStore();
  return session === undefined ? {} : { session };
}

const ending = new WeakMap<ClientSession, Set<() => void>>();

/**
 * Calls back once after the open transaction has ended, stored or not, however often the callback was added;
 * immediately if none is open.
 */
export function afterTransaction(callback: () => void): void {
  const session = sessions.getStore();
  if (session === undefined) {
    callback();
    return;
  }
  const callbacks = ending.get(session) ?? new Set();
  callbacks.add(callback);
  if (ending.has(session)) return;
  ending.set(session, callbacks);
  session.once('ended', () => {
    for (const each of callbacks) each();
  });
}
