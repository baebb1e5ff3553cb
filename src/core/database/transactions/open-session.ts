import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientSession } from 'mongodb';

const sessions = new AsyncLocalStorage<ClientSession | undefined>();

export function withSession<T>(session: ClientSession, work: () => Promise<T>): Promise<T> {
  return sessions.run(session, work);
}

export function withoutSession<T>(work: () => Promise<T>): Promise<T> {
  return sessions.run(undefined, work);
}

/** In parallel with the transaction. Only a caller that awaits the result gets its error. */
export function readOutsideTransaction<T>(read: () => Promise<T>): Promise<T> {
  const result = withoutSession(read);
  result.catch(() => undefined);
  return result;
}

export function openSession(): { session?: ClientSession } {
  const session = sessions.getStore();
  return session === undefined ? {} : { session };
}

const ending = new WeakMap<ClientSession, Set<() => void>>();

/** Calls back once after the open transaction, stored or not; immediately if none is open. */
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
