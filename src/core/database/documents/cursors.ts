import type { AbstractCursor } from 'mongodb';
import { isBadValue } from '../connection/database-errors.js';

/**
 * Of a list that is streamed. Units take some kilobytes, so that many responses at the same time stay
 * small in memory; of larger ones the server gives no more than 16 MB at a time.
 */
export const documentsInBatch = 100;
/**
 * How many of them are taken at a time: what is made of more outlives the collections of the young
 * heap, which then copy it, and that costs a large list a tenth of its time.
 */
export const documentsTakenTogether = 25;

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

/** A cursor that has its first documents: what is wrong with its query has been thrown. */
export async function startCursor<Cursor extends AbstractCursor>(cursor: Cursor): Promise<Cursor> {
  try {
    await cursor.hasNext();
    return cursor;
  } catch (error) {
    await cursor.close();
    throw error;
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
