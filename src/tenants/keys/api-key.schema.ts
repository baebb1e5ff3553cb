import { Prop, raw, Schema, SchemaFactory } from '@nestjs/mongoose';
import { type SealedSecret, sealedSecretSchema } from '../../core/secrets/signing-secret.js';
import { TenantDocument } from '../../core/database/documents/tenant-document.js';

@Schema({ collection: 'apiKeys' })
export class ApiKeyDocument extends TenantDocument {
  @Prop({ type: String })
  name?: string;

  @Prop({ type: String })
  prefix?: string;

  /** SHA-256 in lower-case hexadecimal; the key itself is never stored. */
  @Prop({ type: String, required: true })
  hash!: string;

  @Prop(
    raw({
      allowExternal: Boolean,
      readEvents: Boolean,
      operations: [String],
      addresses: [String],
      origins: [String],
      visibility: String,
    }),
  )
  permissions?: {
    allowExternal?: boolean;
    /** It has no effect; `key list` and `db status` name keys that relied on it. */
    readEvents?: boolean;
    /** If absent, the key may do everything except `unimpliedOperations`. */
    operations?: string[] | null;
    /** Addresses and CIDR ranges; if absent or empty, the key works everywhere. */
    addresses?: string[] | null;
    /** Origins whose pages may use the key; if absent or empty, no page may use it. */
    origins?: string[] | null;
    /** If absent, the key sees everything. */
    visibility?: string | null;
  };

  @Prop(raw({ rps: Number, burst: Number }))
  rateLimit?: { rps?: number; burst?: number } | null;

  /** One of them must sign each callback; the newest is first. */
  @Prop({ type: [sealedSecretSchema], default: undefined })
  secrets?: SealedSecret[] | null;

  @Prop({ type: Date })
  expiresAt?: Date | null;

  @Prop({ type: Date })
  revokedAt?: Date | null;

  @Prop({ type: Date })
  lastUsedAt?: Date | null;
}

export const apiKeySchema = SchemaFactory.createForClass(ApiKeyDocument);

apiKeySchema.index({ hash: 1 }, { name: 'hash', unique: true });
apiKeySchema.index({ organizationId: 1, createdAt: 1 }, { name: 'byOrganization' });
/** Preflights have no key, and so no organization. */
apiKeySchema.index({ 'permissions.origins': 1 }, { name: 'byOrigin', sparse: true });
