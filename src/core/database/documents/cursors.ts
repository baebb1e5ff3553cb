import type { AbstractCursor, Db } from 'mongodb';
import { isBadValue } from '../connection/database-errors.js';

export const documentsPerBatch = 100;
/** Objects made of more documents outlive V8's young heap, which costs a large list a tenth of its time. */
export const documentsPerChunk = 25;

/** @param snapshotOf the database of a snapshot, whose cursor the driver cannot close by itself */
export async function* bufferedBatches<T>(
  cursor: AbstractCursor<T>,
  most?: number,
  snapshotOf?: Db,
): AsyncGenerator<T[], void> {
  try {
    while (await cursor.hasNext()) yield cursor.readBufferedDocuments(most);
  } finally {
    const { id, namespace } = cursor;
    await cursor.close();
    if (snapshotOf !== undefined && id !== undefined && !id.isZero()) {
      const command = { killCursors: namespace.collection, cursors: [id] };
      await snapshotOf.command(command).catch(() => undefined);
    }
  }
}

/** Reads by the named index, or without a hint while there is no such index. */
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
