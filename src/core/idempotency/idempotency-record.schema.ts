import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import { addTtlIndex, TenantDocument } from '../database/documents/tenant-document.js';
import { FreeFormType } from '../database/models/by-reference.js';
import type { CompressedResponse } from '../http/requests/idempotency-claim.js';

/** Records a request with an `Idempotency-Key` and its response (rule HTTP-23). */
@Schema({ collection: 'idempotencyRecords' })
export class IdempotencyRecordDocument extends TenantDocument {
  @Prop({ type: SchemaTypes.ObjectId, required: true })
  apiKeyId!: Types.ObjectId;

  @Prop({ type: String, required: true })
  key!: string;

  /**
   * SHA-256 of the path and the body as sent, in base64url. Instances of versions before 1.0.0 compare only this one,
   * and they may run on the same database during an upgrade.
   */
  @Prop({ type: String, required: true })
  fingerprint!: string;

  /**
   * The first fingerprint, a blank, and that of the body with sorted members of objects. Missing in records of versions
   * before 1.0.0.
   */
  @Prop({ type: String })
  valueFingerprint?: string | undefined;

  /** Each request that claims the key stores a random owner. */
  @Prop({ type: String, required: true })
  owner!: string;

  /** Start of the owner's lease; 1970 after the owner has released it. */
  @Prop({ type: Date, required: true })
  claimedAt!: Date;

  @Prop({ type: Date, required: true })
  expiresAt!: Date;

  @Prop({ type: FreeFormType, bsonType: 'object' })
  response?: CompressedResponse;
}

export const idempotencyRecordSchema = SchemaFactory.createForClass(IdempotencyRecordDocument);

idempotencyRecordSchema.index(
  { organizationId: 1, apiKeyId: 1, key: 1 },
  { name: 'key', unique: true },
);
addTtlIndex(
  idempotencyRecordSchema,
  { expiresAt: 1 },
  { kind: 'idempotency records', setting: 'IDEMPOTENCY_RETENTION_HOURS', storesRemoval: true },
);
