import type { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientSession } from 'mongodb';
import mongoose from 'mongoose';

// From here on mongoose's own operations join the transaction that is open around them.
mongoose.set('transactionAsyncLocalStorage', true);
// A filter's value is compared, never run as an operator, unless the code says that it is trusted.
mongoose.set('sanitizeFilter', true);

const { transactionAsyncLocalStorage } = mongoose as unknown as {
  transactionAsyncLocalStorage: AsyncLocalStorage<{ session: ClientSession }>;
};

/** The option that makes an operation of the native driver join the open transaction, if any. */
export function openSession(): { session?: ClientSession } {
  const session = transactionAsyncLocalStorage.getStore()?.session;
  return session === undefined ? {} : { session };
}

/**
 * The option with which documents that hold free-form data have to be read. The driver looks field
 * names up in this object; in an ordinary one it finds `constructor` or `toString` and then gives
 * the objects below such a key back as bytes.
 */
export const readAsValues = { fieldsAsRaw: Object.create(null) as Record<string, boolean> };
