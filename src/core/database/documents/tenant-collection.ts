import { Inject } from '@nestjs/common';
import type { Document } from 'mongodb';
import type { Model, Types } from 'mongoose';
import { withoutUndefined } from '../../values/plain-object.js';
import type { FreshCache } from '../../cache/fresh-cache.js';
import { readAsValues } from '../connection/mongoose-settings.js';
import { afterTransaction, openSession } from '../transactions/open-session.js';
import { documentsInBatch, documentsTakenTogether, startCursor, withIndexHint } from './cursors.js';
import {
  afterPosition,
  type KeysetPage,
  type Order,
  type KeysetRequest,
  ofTenant,
  readPage,
} from './keyset.js';
import type { StoredTypes } from './stored-types.js';
import type { TenantDocument } from './tenant-document.js';
import type { TenantFilter, TenantSort, TenantUpdate } from './tenant-filter.js';
import {
  type BatchOptions,
  type FieldOf,
  findOptions,
  type Projection,
  type ReadOptions,
  type Tenants,
  withTenant,
  type WriteOf,
} from './tenant-operations.js';

/** Injects the collection that TenantCollectionsModule has registered under the name. */
export function InjectCollection(name: string): ParameterDecorator {
  return Inject(collectionToken(name));
}

/** The injection token of a collection. */
export function collectionToken(name: string): string {
  return `${name}Collection`;
}

/**
 * The documents of one collection as one organization sees them: repositories reach a tenant's data in
 * no other way. Operations join the open transaction.
 *
 * Documents are plain objects, stored exactly as given: free-form fields such as a lead's `data` may
 * hold any key, which the casting and cloning of mongoose documents would interpret.
 */
export class TenantCollection<T extends TenantDocument> {
  /** @param types of the fields that other programs store too; without them any value is taken */
  constructor(
    protected readonly model: Model<T>,
    private readonly types?: StoredTypes,
    private readonly cache?: FreshCache,
  ) {}

  /** The first document that matches, or null. */
  async findOne<R extends object = T>(
    organizationId: Types.ObjectId,
    filter: TenantFilter<T>,
    options: ReadOptions<T> = {},
  ): Promise<R | null> {
    const [document] = await this.find<R>(organizationId, filter, { ...options, limit: 1 });
    return document ?? null;
  }

  /** The documents that match, of one organization; of several for the operator, no request reaches it. */
  async find<R extends object = T>(
    organizationId: Tenants,
    filter: TenantFilter<T>,
    options: ReadOptions<T> = {},
  ): Promise<R[]> {
    const documents = await this.model.collection
      .find<R>(withTenant(filter, organizationId), { ...findOptions(options), ...openSession() })
      .toArray();
    return this.known(documents, options.fields);
  }

  /** The documents that match as they are stored, also what has other types than it should. */
  async findAsStored(organizationId: Types.ObjectId, filter: TenantFilter<T>): Promise<T[]> {
    const scoped = withTenant(filter, organizationId);
    return this.model.collection.find<T>(scoped, { ...readAsValues, ...openSession() }).toArray();
  }

  /** A page of the documents that match, in an order whose fields are read. */
  async page<R extends object = T>(
    organizationId: Types.ObjectId,
    filter: TenantFilter<T>,
    order: TenantSort<T> & Order,
    page: KeysetRequest,
    projection: Projection<T> = {},
  ): Promise<KeysetPage<R>> {
    const { items, next } = await readPage(order, page, (after, options) =>
      this.model.collection
        .find<R>(
          { $and: [withTenant(filter, organizationId), after] },
          { ...findOptions({ ...projection, ...options }), ...openSession() },
        )
        .toArray(),
    );
    return { items: this.known(items, projection.fields), next };
  }

  /** All documents that match as they are stored, read from the server as they are asked for. */
  async *batches<R extends object = T>(
    organizationId: Types.ObjectId,
    filter: TenantFilter<T>,
    options: BatchOptions<T> = {},
  ): AsyncGenerator<R[], void> {
    const { sort, after, hint, ...rest } = options;
    const { collection, db } = this.model;
    const following = sort === undefined ? {} : afterPosition(after, sort);
    const cursor = await withIndexHint(hint, (hintOptions) =>
      startCursor(
        collection.find<R>(
          { $and: [withTenant(filter, organizationId), following] },
          {
            ...findOptions<T>(rest),
            ...(sort === undefined ? {} : { sort: ofTenant(sort), allowDiskUse: true }),
            batchSize: documentsInBatch,
            ...hintOptions,
            ...openSession(),
          },
        ),
      ),
    );
    const isSnapshot = openSession().session?.snapshotEnabled === true;
    try {
      while (await cursor.hasNext()) yield cursor.readBufferedDocuments(documentsTakenTogether);
    } finally {
      const { id } = cursor;
      await cursor.close();
      if (isSnapshot && id !== undefined && !id.isZero()) {
        // The driver closes a snapshot's cursor with a read concern that the server refuses for this.
        const command = { killCursors: collection.collectionName, cursors: [id] };
        await db.db?.command(command).catch(() => undefined);
      }
    }
  }

  /**
   * How many documents match.
   *
   * @param hint the index to count by, where that is known better than the server can; it counts by
   *   another one while there is no such index
   */
  async count(
    organizationId: Types.ObjectId,
    filter: TenantFilter<T>,
    hint?: string,
  ): Promise<number> {
    const scoped = withTenant(filter, organizationId);
    return withIndexHint(hint, (hintOptions) =>
      this.model.collection.countDocuments(scoped, { ...openSession(), ...hintOptions }),
    );
  }

  /**
   * How many documents that match have which values of some fields.
   *
   * @param hint the index that holds these fields; without it while there is no such index
   */
  async countBy<R extends object>(
    organizationId: Types.ObjectId,
    filter: TenantFilter<T>,
    fields: readonly (keyof R & string)[],
    hint: string,
  ): Promise<(R & { count: number })[]> {
    const _id = Object.fromEntries(fields.map((field) => [field, `$${field}`]));
    const steps = [
      { $match: withTenant(filter, organizationId) },
      { $group: { _id, count: { $sum: 1 } } },
      { $replaceWith: { $mergeObjects: ['$_id', { count: '$count' }] } },
    ];
    return withIndexHint(hint, (hintOptions) =>
      this.model.collection
        .aggregate<R & { count: number }>(steps, { ...hintOptions, ...openSession() })
        .toArray(),
    );
  }

  /** The values that a field has; an index that begins with the tenant finds them without the documents. */
  async distinct(organizationId: Types.ObjectId, field: FieldOf<T>): Promise<unknown[]> {
    return this.model.collection.distinct(field, { organizationId }, openSession());
  }

  /** Stores a new document; its `organizationId` decides whose it is. */
  async insert(document: T): Promise<void> {
    await this.writing(document.organizationId, () =>
      this.model.collection.insertOne(document, openSession()),
    );
  }

  /** Stores new documents in one command; their `organizationId` decides whose they are. */
  async insertAll(documents: readonly T[]): Promise<void> {
    const [first] = documents;
    if (first === undefined) return;
    await this.writing(first.organizationId, () =>
      this.model.collection.insertMany([...documents], openSession()),
    );
  }

  /**
   * Stores new documents and updates others; all or nothing only inside a transaction. There nothing
   * may follow the first error, which would be lost behind that of the ended transaction.
   *
   * @returns how many of the others there are
   */
  async write(organizationId: Types.ObjectId, writes: readonly WriteOf<T>[]): Promise<number> {
    if (writes.length === 0) return 0;
    const operations = writes.map((write) => {
      if ('insert' in write) return { insertOne: { document: write.insert } };
      const ofOne = { ...('update' in write && write.filter), _id: write._id } as TenantFilter<T>;
      const filter = withTenant(ofOne, organizationId);
      const update = 'update' in write ? write.update : { $set: withoutUndefined(write.fields) };
      // The hint spares the server the trial of all indexes that begin with the organization.
      return { updateOne: { filter, update, hint: { _id: 1 } as const } };
    });
    const { matchedCount } = await this.writing(organizationId, () =>
      this.model.collection.bulkWrite(operations, openSession()),
    );
    return matchedCount;
  }

  /**
   * Applies an update to the one document that matches.
   *
   * @returns whether there was one
   */
  async updateOne(
    organizationId: Types.ObjectId,
    filter: TenantFilter<T>,
    update: TenantUpdate<T> | Document[],
    options: { readonly upsert?: boolean } = {},
  ): Promise<boolean> {
    const scoped = withTenant(filter, organizationId);
    const result = await this.writing(organizationId, () =>
      this.model.collection.updateOne(scoped, update, { ...options, ...openSession() }),
    );
    return result.matchedCount + result.upsertedCount > 0;
  }

  /** Ends what is cached when a write, or the transaction around it, has ended: also one that failed may be stored. */
  private async writing<R>(organizationId: Types.ObjectId, write: () => Promise<R>): Promise<R> {
    try {
      return await write();
    } finally {
      const { cache } = this;
      if (cache !== undefined) afterTransaction(() => cache.raiseGeneration(organizationId));
    }
  }

  /**
   * Documents as they are read where other programs write them too.
   *
   * @param fields those that were asked for, all without it
   */
  known<R extends object>(documents: readonly R[], fields?: readonly string[]): R[] {
    return this.types?.read(documents, fields) ?? [...documents];
  }
}
