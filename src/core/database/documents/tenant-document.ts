import { Prop, Schema } from '@nestjs/mongoose';
import {
  type IndexDefinition,
  type IndexOptions,
  type Schema as DocumentSchema,
  SchemaTypes,
  Types,
} from 'mongoose';
import type { Environment } from '../../configuration/environment.js';
import { isObjectId } from '../../values/text.js';

/** Other programs may omit the times; reads fill them in (rule DATA-2). */
@Schema()
export class TenantDocument {
  declare _id: Types.ObjectId;

  @Prop({ type: SchemaTypes.ObjectId, required: true })
  organizationId!: Types.ObjectId;

  @Prop({ type: Date, required: true })
  createdAt!: Date;

  @Prop({ type: Date, required: true })
  updatedAt!: Date;
}

@Schema()
export class DeletableDocument extends TenantDocument {
  @Prop({ type: Boolean, required: true })
  isDeleted!: boolean;

  @Prop({ type: Date })
  deletedAt?: Date | null;
}

export const notDeleted = { isDeleted: false } as const;

/** Applies to documents that are not deleted and have the field. The index is named after the field. */
export function addUniqueIndex(
  schema: DocumentSchema,
  field: string,
  fields: Readonly<Record<string, 1>> = { [field]: 1 },
): void {
  const partialFilterExpression = { ...notDeleted, [field]: { $exists: true } };
  const options = { name: field, unique: true, partialFilterExpression };
  schema.index({ organizationId: 1, ...fields }, options);
}

export const changesIndex = 'byUpdate';

/**
 * Serves lists that are polled for changes (rule COMP-3).
 *
 * @param further fields by which the index alone selects among the changes
 */
export function addChangeIndexes(
  schema: DocumentSchema,
  further: Readonly<Record<string, 1>> = {},
): void {
  const key = { organizationId: 1, updatedAt: 1, _id: 1, isDeleted: 1, ...further } as const;
  schema.index(key, { name: changesIndex });
  schema.index(
    { organizationId: 1, deletedAt: 1 },
    { name: 'tombstones', partialFilterExpression: { deletedAt: { $exists: true } } },
  );
}

/** Matches all documents and lets an index on `isDeleted` provide the order. */
export const includingDeleted = { isDeleted: { $in: [false, true] } } as const;

/** Omits ids of other types, which other programs may store and Mongoose would refuse to cast. */
export function objectIds(values: unknown): Types.ObjectId[] {
  return [values].flat().filter((value) => value instanceof Types.ObjectId);
}

export function parseObjectId(text: string): Types.ObjectId | null {
  return isObjectId(text) ? new Types.ObjectId(text) : null;
}

type RetentionSetting = Extract<
  keyof Environment,
  `${string}_RETENTION_${'DAYS' | 'HOURS'}` | 'REQUEST_LOG_DAYS'
>;

export interface Retention {
  readonly kind: string;
  readonly setting: RetentionSetting;
  /** Replaces a lower value of the setting. */
  readonly minimumDays?: number;
  readonly extraDays?: number;
  /** Delay between the end of the retention and the removal. */
  readonly marginSeconds?: number;
  readonly storesRemoval?: true;
}

export type RetentionIndexOptions = IndexOptions & { readonly retention?: Retention };

/** Declares a TTL index; records without the time are kept. */
export function addTtlIndex(
  schema: { index(key: IndexDefinition, options: IndexOptions): unknown },
  key: IndexDefinition,
  retention: Retention,
  options: IndexOptions = { name: 'expiry' },
): void {
  const withRetention: RetentionIndexOptions = { ...options, retention };
  schema.index(key, withRetention);
}
