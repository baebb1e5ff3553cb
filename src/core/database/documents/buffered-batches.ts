import type { AbstractCursor } from 'mongodb';

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
