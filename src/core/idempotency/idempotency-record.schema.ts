import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import type { Binary } from 'mongodb';
import { SchemaTypes, type Types } from 'mongoose';
import { removeAfter } from '../database/structure/retention.js';
import { TenantDocument } from '../database/documents/tenant-document.js';
import type { StoredResponse } from './idempotency-claim.js';

/** A response whose body is compressed when it is long. */
type PackedResponse = Omit<StoredResponse, 'body'> & { readonly body: string | Binary | null };

/** An `Idempotency-Key` of an API key: who runs the request, and what came of it (rule HTTP-23). */
@Schema({ collection: 'idempotencyRecords' })
export class IdempotencyRecordDocument extends TenantDocument {
  @Prop({ type: SchemaTypes.ObjectId, required: true })
  apiKeyId!: Types.ObjectId;

  @Prop({ type: String, required: true })
  key!: string;

  /** SHA-256 of path and body, in base64url. */
  @Prop({ type: String, required: true })
  fingerprint!: string;

  /** Random, one for each request that runs or ran. */
  @Prop({ type: String, required: true })
  owner!: string;

  /** When the owner began, from which its lease runs; long ago when it has given up. */
  @Prop({ type: Date, required: true })
  claimedAt!: Date;

  /** When the key may be used for something else. */
  @Prop({ type: Date, required: true })
  expiresAt!: Date;

  /** Absent while the request runs. */
  @Prop({ type: SchemaTypes.Mixed, bsonType: 'object' })
  response?: PackedResponse;
}

export const idempotencyRecordSchema = SchemaFactory.createForClass(IdempotencyRecordDocument);

/** Lets one of several requests with a key run, and finds what the first one left. */
idempotencyRecordSchema.index(
  { organizationId: 1, apiKeyId: 1, key: 1 },
  { name: 'key', unique: true },
);
/** A key may be used for another request from then on. */
removeAfter(
  idempotencyRecordSchema,
  { expiresAt: 1 },
  { kind: 'idempotency records', setting: 'IDEMPOTENCY_RETENTION_HOURS', storesRemoval: true },
);
