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

/** The option that makes an operation join the transaction that is open around it, if any. */
export function openSession(): { session?: ClientSession } {
  const session = sessions.getStore();
  return session === undefined ? {} : { session };
}
