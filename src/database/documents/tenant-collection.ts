import type { CollationOptions, Collection, Document, FindOptions, Long } from 'mongodb';
import type { Model, Types } from 'mongoose';
import { withoutUndefined } from '../../values/plain-object.js';
import { readAsValues } from '../connection/mongoose-settings.js';
import { openSession } from '../transactions/open-session.js';
import { behind, type Order, type Position } from './positions.js';
import type { TenantDocument } from './tenant-document.js';
import type { TenantFilter, TenantSort, TenantUpdate } from './tenant-filter.js';

type FieldOf<T> = keyof T & string;

/** Fields to set of one document; what is undefined stays as it is. */
export interface FieldsOf<T> {
  readonly _id: Types.ObjectId;
  readonly fields: { readonly [Field in keyof T]?: T[Field] | undefined };
}

/** A new document, or the update of another one. */
export type WriteOf<T> =
  { readonly insert: T } | { readonly _id: Types.ObjectId; readonly update: TenantUpdate<T> };

/** In what order to read, how many, compared how. */
export interface ReadOptions<T> {
  readonly sort?: TenantSort<T>;
  readonly skip?: number;
  readonly limit?: number;
  readonly collation?: CollationOptions;
}

/** Reads these fields only, `_id` always among them. */
interface Fields<F> {
  readonly fields: readonly F[];
}

/** Reads all fields but these. */
interface Without<F> {
  readonly without: readonly F[];
}

type AnyReadOptions<T> = ReadOptions<T> & Partial<Fields<FieldOf<T>> & Without<FieldOf<T>>>;

/** A document with the fields that were read. */
type Read<T, F extends keyof T> = Pick<T, F | (keyof T & '_id')>;

/** Small enough for many responses at the same time to stay small in memory. */
const documentsInBatch = 25;

/**
 * The documents of one collection as one organization sees them. It is the only way that
 * repositories reach a tenant's data: without an organization there is no query.
 *
 * Documents are plain objects, read and written exactly as given: free-form fields such as a lead's
 * `data` may hold any key, which the casting and cloning of mongoose documents would interpret.
 * Operations join the transaction that is open around them.
 */
export class TenantCollection<T extends TenantDocument> {
  constructor(private readonly model: Model<T>) {}

  /**
   * The collection itself, for whom no tenant is known: the operator, background work, and the
   * authentication of a key.
   */
  get acrossTenants(): Collection<T> {
    return this.model.collection as unknown as Collection<T>;
  }

  /** The first document that matches, or null. */
  async findOne(
    organizationId: Types.ObjectId,
    filter: TenantFilter<T>,
    options?: ReadOptions<T>,
  ): Promise<T | null>;
  async findOne<F extends FieldOf<T>>(
    organizationId: Types.ObjectId,
    filter: TenantFilter<T>,
    options: ReadOptions<T> & Fields<F>,
  ): Promise<Read<T, F> | null>;
  async findOne(
    organizationId: Types.ObjectId,
    filter: TenantFilter<T>,
    options: AnyReadOptions<T> = {},
  ): Promise<unknown> {
    const [document] = await this.find(organizationId, filter, { ...options, limit: 1 });
    return document ?? null;
  }

  async find(
    organizationId: Types.ObjectId,
    filter: TenantFilter<T>,
    options?: ReadOptions<T>,
  ): Promise<T[]>;
  async find<F extends FieldOf<T>>(
    organizationId: Types.ObjectId,
    filter: TenantFilter<T>,
    options: ReadOptions<T> & Fields<F>,
  ): Promise<Read<T, F>[]>;
  async find<F extends FieldOf<T>>(
    organizationId: Types.ObjectId,
    filter: TenantFilter<T>,
    options: ReadOptions<T> & Without<F>,
  ): Promise<Omit<T, F>[]>;
  async find(
    organizationId: Types.ObjectId,
    filter: TenantFilter<T>,
    options: AnyReadOptions<T> = {},
  ): Promise<unknown[]> {
    return this.model.collection
      .find(withTenant(filter, organizationId), { ...findOptions(options), ...openSession() })
      .toArray();
  }

  /** Documents of several organizations; for the operator, no request reaches it. */
  async findAcross(
    organizationIds: readonly Types.ObjectId[],
    filter: TenantFilter<T>,
    options: ReadOptions<T> = {},
  ): Promise<T[]> {
    const scoped = withTenant(filter, { $in: [...organizationIds] });
    return this.model.collection.find<T>(scoped, findOptions(options)).toArray();
  }

  /**
   * All documents that match, read from the server as they are asked for.
   *
   * @param computed expressions of fields that are no stored ones, for sorting by them
   */
  async *batches(
    organizationId: Types.ObjectId,
    filter: TenantFilter<T>,
    { sort, after, skip, limit }: BatchOptions,
    computed: Record<string, object> | null = null,
  ): AsyncGenerator<T[], void> {
    const steps: Document[] = [
      { $match: withTenant(filter, organizationId) },
      ...(computed === null ? [] : [{ $set: computed }]),
      ...(after === undefined ? [] : [{ $match: behind(after, sort) }]),
      // The tenant leads, so that no index which all tenants share can serve the order.
      { $sort: { organizationId: 1, ...sort } },
      ...(skip === undefined || skip === 0 ? [] : [{ $skip: skip }]),
      ...(limit === undefined ? [] : [{ $limit: limit }]),
    ];
    const { session } = openSession();
    const isSnapshot = session?.snapshotEnabled === true;
    const cursor = this.model.collection.aggregate<T>(steps, {
      ...readAsValues,
      batchSize: documentsInBatch,
      allowDiskUse: true,
      ...(session === undefined ? {} : { session }),
    });
    try {
      while (await cursor.hasNext()) yield cursor.readBufferedDocuments();
    } finally {
      const { id } = cursor;
      await cursor.close();
      if (isSnapshot && id !== undefined && !id.isZero()) await this.killCursor(id);
    }
  }

  /** The driver closes a snapshot's cursor with a read concern that the server refuses for this. */
  private async killCursor(id: Long): Promise<void> {
    const killCursors = this.model.collection.collectionName;
    await this.model.db.db?.command({ killCursors, cursors: [id] }).catch(() => undefined);
  }

  /** How many documents match. */
  async count(organizationId: Types.ObjectId, filter: TenantFilter<T>): Promise<number> {
    return this.model.collection.countDocuments(withTenant(filter, organizationId), openSession());
  }

  /** Stores a new document; its `organizationId` decides whose it is. */
  async insert(document: T): Promise<void> {
    await this.model.collection.insertOne(document, openSession());
  }

  /** Stores new documents in one command; their `organizationId` decides whose they are. */
  async insertAll(documents: readonly T[]): Promise<void> {
    if (documents.length === 0) return;
    await this.model.collection.insertMany([...documents], openSession());
  }

  /**
   * Stores new documents and sets fields of others; all or nothing only inside a transaction. There
   * nothing may follow the first error, which would be lost behind that of the ended transaction.
   */
  async write(
    organizationId: Types.ObjectId,
    inserts: readonly T[],
    updates: readonly FieldsOf<T>[],
  ): Promise<void> {
    await this.writeChanges(organizationId, [
      ...inserts.map((insert) => ({ insert })),
      ...updates.map(({ _id, fields }) => ({
        _id,
        update: { $set: withoutUndefined(fields) } as TenantUpdate<T>,
      })),
    ]);
  }

  /** As {@link write}, with any updates. */
  async writeChanges(organizationId: Types.ObjectId, writes: readonly WriteOf<T>[]): Promise<void> {
    if (writes.length === 0) return;
    const operations = writes.map((write) =>
      'insert' in write
        ? { insertOne: { document: write.insert } }
        : { updateOne: { filter: { _id: write._id, organizationId }, update: write.update } },
    );
    await this.model.collection.bulkWrite(operations, openSession());
  }

  /**
   * Applies an update to the one document that matches.
   *
   * @returns whether there was one
   */
  async updateOne(
    organizationId: Types.ObjectId,
    filter: TenantFilter<T>,
    update: TenantUpdate<T>,
    options: { readonly upsert?: boolean } = {},
  ): Promise<boolean> {
    const scoped = withTenant(filter, organizationId);
    const result = await this.model.collection.updateOne(scoped, update, {
      ...options,
      ...openSession(),
    });
    return result.matchedCount + result.upsertedCount > 0;
  }
}

/** Which part of a list is read: all behind a position, and of these how many. */
export interface ListPart {
  readonly after?: Position | undefined;
  readonly skip?: number;
  readonly limit?: number;
}

/** The order, which may name computed fields, and the part of documents that are read in batches. */
export interface BatchOptions extends ListPart {
  readonly sort: Order;
}

function withTenant<T>(filter: TenantFilter<T>, organizationId: unknown): Document {
  return { ...filter, organizationId };
}

function findOptions<T>({ fields = [], without = [], ...rest }: AnyReadOptions<T>): FindOptions {
  const projection: Record<string, 0 | 1> = {};
  for (const field of fields) projection[field] = 1;
  for (const field of without) projection[field] = 0;
  return { ...(rest as FindOptions), projection, ...readAsValues };
}
