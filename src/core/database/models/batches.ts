import type { AbstractCursor, Collection, Document, Filter, FindCursor } from 'mongodb';
import type { Connection, Types } from 'mongoose';
import { afterPosition, tenantIndexOrder } from '../documents/keyset.js';
import type { TenantDocument } from '../documents/tenant-document.js';
import {
  type BatchedUpdates,
  type BatchOptions,
  type TenantFilter,
  type TenantUpdate,
  type TenantWrite,
  withIndexHint,
} from '../documents/tenant-queries.js';
import { currentSession } from '../transactions/sessions.js';
import { ownKeys } from './own-keys.js';
import { writeAll } from './bulk-writes.js';
import type { ScopedFilter, TenantModel } from './tenant-model.js';

const documentsPerCommand = 100;
/** Documents in larger chunks survive into V8's old generation, which makes a large list about 10% slower. */
const documentsPerChunk = 25;

/**
 * Streams documents in chunks of at most 25.
 *
 * Only this function uses the driver's collection: a cursor of Mongoose yields one document at a time, and the cursor
 * of a snapshot must be closed with a command, which needs its id.
 *
 * @param options `after` starts behind a position of `sort`; `fields` must include the sort fields
 */
export async function* batchesOf<T extends TenantDocument, R extends object = T>(
  model: TenantModel<T>,
  filter: ScopedFilter<T>,
  { fields = [], sort, after, hint, ...options }: BatchOptions<T> = {},
): AsyncGenerator<R[], void> {
  const { collection, db } = model as unknown as {
    readonly collection: Collection;
    readonly db: Connection;
  };
  const { organizationId, ...conditions } = filter;
  const wanted: Document = sort
    ? { organizationId, $and: [conditions, afterPosition(after, sort)] }
    : { ...conditions, organizationId };
  const { session } = currentSession();
  const all = {
    ...options,
    ...ownKeys,
    projection: Object.fromEntries(fields.map((field) => [field, 1])),
    ...(session && { session }),
    ...(sort && { sort: tenantIndexOrder(sort), allowDiskUse: true }),
    batchSize: documentsPerCommand,
  };
  const cursor = await withIndexHint(hint, async (hinted) => {
    const started = collection.find(wanted as Filter<Document>, { ...all, ...hinted });
    await started.hasNext();
    return started as unknown as FindCursor<R>;
  });
  try {
    while (await cursor.hasNext()) yield cursor.readBufferedDocuments(documentsPerChunk);
  } finally {
    await close(cursor, session?.snapshotEnabled === true ? db : undefined);
  }
}

/** @param snapshotDatabase database of a snapshot, whose cursor the driver cannot close by itself */
async function close(
  cursor: AbstractCursor,
  snapshotDatabase: Connection | undefined,
): Promise<void> {
  const { id, namespace } = cursor;
  await cursor.close();
  if (snapshotDatabase === undefined || id === undefined || id.isZero()) return;
  const command = { killCursors: namespace.collection, cursors: [id] };
  await snapshotDatabase.db?.command(command).catch(() => undefined);
}

/** Yields the writes for each chunk of documents; returning null keeps a document unchanged. */
export async function* batchedUpdatesOf<T extends TenantDocument>(
  model: TenantModel<T>,
  organizationId: Types.ObjectId,
  filter: TenantFilter<T>,
  updateOf: (document: T) => TenantUpdate<T> | null,
): AsyncGenerator<BatchedUpdates, void> {
  for await (const documents of batchesOf(model, {
    ...filter,
    organizationId,
  } as ScopedFilter<T>)) {
    const writes = documents.flatMap((document) => {
      const update = updateOf(document);
      return update === null ? [] : { _id: document._id, update };
    });
    const write = async () =>
      void (await writeAll(model, organizationId, writes as TenantWrite<T>[]));
    if (writes.length > 0) yield { count: writes.length, write };
  }
}
