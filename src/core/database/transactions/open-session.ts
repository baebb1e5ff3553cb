import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientSession } from 'mongodb';

const sessions = new AsyncLocalStorage<ClientSession | undefined>();

/** Runs work whose operations join the transaction of a session. */
export function withSession<T>(session: ClientSession, work: () => Promise<T>): Promise<T> {
  return sessions.run(session, work);
}

/** Runs work whose operations join no transaction, though one is open around it. */
export function withoutSession<T>(work: () => Promise<T>): Promise<T> {
  return sessions.run(undefined, work);
}

/**
 * Begins to read what the transaction that is open around it does not decide about, beside its commands, which
 * come one after the other. A failure is that of whoever waits for the result; nobody may, when another
 * command fails before.
 */
export function readOutsideTransaction<T>(read: () => Promise<T>): Promise<T> {
  const result = withoutSession(read);
  result.catch(() => undefined);
  return result;
}

/** The option that makes an operation join the transaction that is open around it, if any. */
export function openSession(): { session?: ClientSession } {
  const session = sessions.getStore();
  return session === undefined ? {} : { session };
}

/** What is called once their transactions have ended. */
const ending = new WeakMap<ClientSession, Set<() => void>>();

/**
 * Calls back when the transaction that is open around it has ended, stored or not, however often it was
 * asked to; at once where none is open.
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
