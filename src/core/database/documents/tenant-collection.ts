import { Inject } from '@nestjs/common';
import type { Document, FindCursor, FindOptions } from 'mongodb';
import type { Model, Types } from 'mongoose';
import { withoutUndefined } from '../../values/json.js';
import type { TenantCache } from '../../cache/tenant-cache.js';
import { afterTransaction, openSession } from '../transactions/sessions.js';
import {
  bufferedBatches,
  documentsPerBatch,
  documentsPerChunk,
  withIndexHint,
  type BatchedUpdates,
  type BatchOptions,
  type FieldName,
  findOptions,
  type ReadOptions,
  type TenantFilter,
  type TenantIds,
  type TenantUpdate,
  withTenant,
  type TenantWrite,
} from './tenant-queries.js';
import {
  afterPosition,
  type KeysetPage,
  type SortOrder,
  type KeysetRequest,
  tenantIndexOrder,
  readPage,
} from './keyset.js';
import type { StoredTypes } from './stored-types.js';
import type { TenantDocument } from './tenant-document.js';

export function InjectCollection(name: string): ParameterDecorator {
  return Inject(collectionToken(name));
}

export function collectionToken(name: string): string {
  return `${name}Collection`;
}

/** Reads plain objects of one organization: mongoose would interpret the keys of free-form fields. */
export class TenantCollection<T extends TenantDocument> {
  /** @param types checks fields that other programs also write; without it any value is accepted */
  constructor(
    protected readonly model: Model<T>,
    private readonly types?: StoredTypes,
    private readonly cache?: TenantCache,
  ) {}

  async findOne<R extends object = T>(
    organizationId: Types.ObjectId,
    filter: TenantFilter<T>,
    options: ReadOptions<T> = {},
  ): Promise<R | null> {
    const [document] = await this.find<R>(organizationId, filter, { ...options, limit: 1 });
    return document ?? null;
  }

  async find<R extends object = T>(
    organizationId: TenantIds,
    filter: TenantFilter<T>,
    options: ReadOptions<T> = {},
  ): Promise<R[]> {
    const documents = await this.cursor<R>(withTenant(filter, organizationId), options).toArray();
    return this.dropInvalidFields(documents, options.fields);
  }

  async findAsStored(organizationId: Types.ObjectId, filter: TenantFilter<T>): Promise<T[]> {
    return this.cursor<T>(withTenant(filter, organizationId), {}).toArray();
  }

  /** @param options `fields` must include the sort fields */
  async page<R extends object = T>(
    organizationId: Types.ObjectId,
    filter: TenantFilter<T>,
    order: SortOrder,
    page: KeysetRequest,
    options: ReadOptions<T> = {},
  ): Promise<KeysetPage<R>> {
    const scoped = withTenant(filter, organizationId);
    const { items, next } = await readPage(order, page, (after, part) =>
      this.cursor<R>({ $and: [scoped, after] }, { ...options, ...part }).toArray(),
    );
    return { items: this.dropInvalidFields(items, options.fields), next };
  }

  async *batches<R extends object = T>(
    organizationId: Types.ObjectId,
    filter: TenantFilter<T>,
    { sort, after, hint, ...options }: BatchOptions<T> = {},
  ): AsyncGenerator<R[], void> {
    const scoped = withTenant(filter, organizationId);
    const wanted = sort ? { $and: [scoped, afterPosition(after, sort)] } : scoped;
    const sorted = sort && { sort: tenantIndexOrder(sort), allowDiskUse: true };
    const cursor = await withIndexHint(hint, async (hintOptions) => {
      const started = this.cursor<R>(wanted, options, {
        ...sorted,
        batchSize: documentsPerBatch,
        ...hintOptions,
      });
      await started.hasNext();
      return started;
    });
    const isSnapshot = openSession().session?.snapshotEnabled === true;
    yield* bufferedBatches(cursor, documentsPerChunk, isSnapshot ? this.model.db.db : undefined);
  }

  /** Reads a hundred documents at a time; returning null keeps a document unchanged. */
  async *batchedUpdates(
    organizationId: Types.ObjectId,
    filter: TenantFilter<T>,
    updateOf: (document: T) => TenantUpdate<T> | null,
  ): AsyncGenerator<BatchedUpdates, void> {
    for await (const documents of this.batches(organizationId, filter)) {
      const writes = documents.flatMap((document) => {
        const update = updateOf(document);
        return update === null ? [] : { _id: document._id, update };
      });
      const write = async () => void (await this.write(organizationId, writes));
      if (writes.length > 0) yield { count: writes.length, write };
    }
  }

  /** @param hint names a better index than the server's choice; ignored while it does not exist */
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

  async distinct(organizationId: Types.ObjectId, field: FieldName<T>): Promise<unknown[]> {
    return this.model.collection.distinct(field, { organizationId }, openSession());
  }

  /** @param documents all have the same `organizationId` */
  async insert(...documents: readonly T[]): Promise<void> {
    const [first] = documents;
    const writes = documents.map((document) => ({ insert: document }));
    if (first !== undefined) await this.write(first.organizationId, writes);
  }

  /** Is atomic only inside a transaction. Returns how many of the documents to update exist. */
  async write(organizationId: Types.ObjectId, writes: readonly TenantWrite<T>[]): Promise<number> {
    if (writes.length === 0) return 0;
    const operations = writes.map((write) => {
      if ('insert' in write) return { insertOne: { document: write.insert } };
      const ofOne = { ...('update' in write && write.filter), _id: write._id } as TenantFilter<T>;
      const filter = withTenant(ofOne, organizationId);
      const update = 'update' in write ? write.update : { $set: withoutUndefined(write.fields) };
      // Without the hint the server would try every index that begins with the organization.
      return { updateOne: { filter, update, hint: { _id: 1 } as const } };
    });
    const { matchedCount } = await this.invalidatingCache(organizationId, () =>
      this.model.collection.bulkWrite(operations, openSession()),
    );
    return matchedCount;
  }

  /** @returns whether a document matched or was inserted */
  async updateOne(
    organizationId: Types.ObjectId,
    filter: TenantFilter<T>,
    update: TenantUpdate<T> | Document[],
    options: { readonly upsert?: boolean } = {},
  ): Promise<boolean> {
    const scoped = withTenant(filter, organizationId);
    const result = await this.invalidatingCache(organizationId, () =>
      this.model.collection.updateOne(scoped, update, { ...options, ...openSession() }),
    );
    return result.matchedCount + result.upsertedCount > 0;
  }

  private cursor<R extends object>(
    filter: Document,
    options: ReadOptions<T>,
    more: FindOptions = {},
  ): FindCursor<R> {
    const all = { ...findOptions(options), ...more, ...openSession() };
    return this.model.collection.find<R>(filter, all);
  }

  /** Invalidates cached responses even after a failed transaction: its outcome may be unknown. */
  private async invalidatingCache<R>(
    organizationId: Types.ObjectId,
    write: () => Promise<R>,
  ): Promise<R> {
    try {
      return await write();
    } finally {
      const { cache } = this;
      if (cache !== undefined) afterTransaction(() => cache.invalidate(organizationId));
    }
  }

  /** Values whose type differs from the schema count as missing (rule DATA-2). */
  dropInvalidFields<R extends object>(documents: readonly R[], fields?: readonly string[]): R[] {
    return this.types?.read(documents, fields) ?? [...documents];
  }
}
