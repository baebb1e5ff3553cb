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
