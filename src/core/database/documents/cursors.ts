import type { AbstractCursor } from 'mongodb';
import { isBadValue } from '../connection/database-errors.js';

/**
 * The documents of a cursor, as many at a time as have arrived. The cursor is closed in the end, also where
 * the reader goes no further: the server would keep it for ten minutes.
 *
 * @param most at a time
 */
export async function* bufferedBatches<T>(
  cursor: AbstractCursor<T>,
  most?: number,
): AsyncGenerator<T[], void> {
  try {
    while (await cursor.hasNext()) yield cursor.readBufferedDocuments(most);
  } finally {
    await cursor.close();
  }
}

/**
 * Reads by an index that is known to be better than the server's choice; without it while there is no
 * such index.
 *
 * @param hint its name; undefined leaves the choice to the server
 * @param read gets the option for it
 */
export async function withIndexHint<R>(
  hint: string | undefined,
  read: (options: { readonly hint?: string }) => Promise<R>,
): Promise<R> {
  if (hint === undefined) return read({});
  try {
    return await read({ hint });
  } catch (error) {
    if (!isBadValue(error)) throw error;
    return read({});
  }
}
