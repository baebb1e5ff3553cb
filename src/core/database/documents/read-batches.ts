import type { AggregationCursor, Document } from 'mongodb';
import type { Model } from 'mongoose';
import { readAsValues } from '../connection/mongoose-settings.js';
import { openSession } from '../transactions/open-session.js';
import { hinted } from './hinted.js';
import type { BatchOptions } from './ordered-steps.js';

/**
 * Of a list that is streamed. Units take some kilobytes, so that many responses at the same time stay
 * small in memory; of larger ones the server gives no more than 16 MB at a time.
 */
const documentsInBatch = 100;
/**
 * How many of them are taken at a time: what is made of more outlives the collections of the young
 * heap, which then copy it, and that costs a large list a tenth of its time.
 */
const documentsTakenTogether = 25;

/** What an aggregation gives, read from the server as it is asked for. */
export async function* readBatches<T extends object>(
  model: Model<T>,
  steps: Document[],
  options: BatchOptions,
): AsyncGenerator<T[], void> {
  const cursor = await openCursor(model, steps, options);
  const isSnapshot = openSession().session?.snapshotEnabled === true;
  try {
    while (await cursor.hasNext()) yield cursor.readBufferedDocuments(documentsTakenTogether);
  } finally {
    const { id } = cursor;
    await cursor.close();
    if (isSnapshot && id !== undefined && !id.isZero()) {
      // The driver closes a snapshot's cursor with a read concern that the server refuses for this.
      const command = { killCursors: model.collection.collectionName, cursors: [id] };
      await model.db.db?.command(command).catch(() => undefined);
    }
  }
}

/** A cursor that has its first documents. */
async function openCursor<T extends object>(
  model: Model<T>,
  steps: Document[],
  { limit = Number.POSITIVE_INFINITY, hint }: BatchOptions,
): Promise<AggregationCursor<T>> {
  return hinted(hint, async (hintOptions) => {
    const cursor = model.collection.aggregate<T>(steps, {
      ...readAsValues,
      // With one more than there are, the server knows that it has reached the end.
      batchSize: Math.min(limit + 1, documentsInBatch + 2),
      allowDiskUse: true,
      ...hintOptions,
      ...openSession(),
    });
    try {
      await cursor.hasNext();
      return cursor;
    } catch (error) {
      await cursor.close();
      throw error;
    }
  });
}
