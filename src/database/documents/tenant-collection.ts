import type { Document, FindOptions, Sort, UpdateFilter } from 'mongodb';
import type { Model, Types } from 'mongoose';
import { openSession, readAsValues } from '../connection/mongoose-settings.js';

/** What every document of a tenant carries. */
export interface TenantDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  createdAt: Date;
  updatedAt: Date;
}

/** What every tenant document that can be soft-deleted carries. */
export interface DeletableDocument extends TenantDocument {
  isDeleted: boolean;
  deletedAt?: Date;
}

/** A filter on stored fields; the tenant is not part of it because it is always added. */
export type TenantFilter = Document & { organizationId?: never };

/** How to read: which fields, in what order, how many, compared how. */
export type ReadOptions = Pick<FindOptions, 'projection' | 'limit' | 'skip' | 'collation'> & {
  readonly sort?: Sort;
};

/** Small enough for many answers at once to stay small in memory. */
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

  /** The first document that matches, or null. */
  async findOne(
    organizationId: Types.ObjectId,
    filter: TenantFilter,
    options: ReadOptions = {},
  ): Promise<T | null> {
    const [document] = await this.find(organizationId, filter, { ...options, limit: 1 });
    return document ?? null;
  }

  /** All documents that match. */
  async find(
    organizationId: Types.ObjectId,
    filter: TenantFilter,
    options: ReadOptions = {},
  ): Promise<T[]> {
    const cursor = this.model.collection.find(
      { ...filter, organizationId },
      { ...options, ...readAsValues, ...openSession() },
    );
    return (await cursor.toArray()) as unknown as T[];
  }

  /** Documents of several organizations at once; for the operator, whom no tenant's request reaches. */
  async findAcross(
    organizationIds: readonly Types.ObjectId[],
    filter: TenantFilter,
    options: ReadOptions = {},
  ): Promise<T[]> {
    const scoped = { ...filter, organizationId: { $in: [...organizationIds] } };
    const cursor = this.model.collection.find(scoped, { ...options, ...readAsValues });
    return (await cursor.toArray()) as unknown as T[];
  }

  /**
   * All documents that match, read from the server as they are asked for.
   *
   * @param computed expressions of fields that are no stored ones, for sorting by them
   */
  async *batches(
    organizationId: Types.ObjectId,
    filter: TenantFilter,
    { sort, skip, limit }: ReadOptions = {},
    computed: Record<string, object> | null = null,
  ): AsyncGenerator<T[], void> {
    const steps = [
      { $match: { ...filter, organizationId } },
      ...(computed === null ? [] : [{ $set: computed }]),
      ...(sort === undefined ? [] : [{ $sort: sort }]),
      ...(skip === undefined || skip === 0 ? [] : [{ $skip: skip }]),
      ...(limit === undefined ? [] : [{ $limit: limit }]),
    ];
    const options = { ...readAsValues, batchSize: documentsInBatch, allowDiskUse: true };
    const cursor = this.model.collection.aggregate(steps, options);
    try {
      while (await cursor.hasNext()) yield cursor.readBufferedDocuments() as unknown as T[];
    } finally {
      await cursor.close();
    }
  }

  /** How many documents match. */
  async count(organizationId: Types.ObjectId, filter: TenantFilter): Promise<number> {
    return this.model.collection.countDocuments({ ...filter, organizationId }, openSession());
  }

  /** Stores a new document; its `organizationId` decides whose it is. */
  async insert(document: T): Promise<void> {
    await this.model.collection.insertOne(document, openSession());
  }

  /** Stores new documents and sets fields of others, in no order; not all or nothing. */
  async write(
    organizationId: Types.ObjectId,
    inserts: readonly T[],
    updates: readonly { readonly _id: Types.ObjectId; readonly fields: Partial<T> }[],
  ): Promise<void> {
    const operations = [
      ...inserts.map((document) => ({ insertOne: { document } })),
      ...updates.map(({ _id, fields }) => ({
        updateOne: { filter: { _id, organizationId }, update: { $set: fields } },
      })),
    ];
    if (operations.length === 0) return;
    await this.model.collection.bulkWrite(operations, { ordered: false, ...openSession() });
  }

  /**
   * Applies an update to the one document that matches.
   *
   * @returns whether there was one
   */
  async updateOne(
    organizationId: Types.ObjectId,
    filter: TenantFilter,
    update: UpdateFilter<Document>,
    options: { readonly upsert?: boolean } = {},
  ): Promise<boolean> {
    const result = await this.model.collection.updateOne({ ...filter, organizationId }, update, {
      ...options,
      ...openSession(),
    });
    return result.matchedCount + result.upsertedCount > 0;
  }
}
