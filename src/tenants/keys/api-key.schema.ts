import { Prop, raw, Schema, SchemaFactory } from '@nestjs/mongoose';
import { type SealedSecret, sealedSecretSchema } from '../../core/secrets/signing-secret.js';
import { TenantDocument } from '../../core/database/documents/tenant-document.js';

/** The key itself is never stored. */
@Schema({ collection: 'apiKeys' })
export class ApiKeyDocument extends TenantDocument {
  @Prop({ type: String })
  name?: string;

  /** The first characters of the key, safe to show. */
  @Prop({ type: String })
  prefix?: string;

  /** Lower-case hexadecimal SHA-256 of the whole key. */
  @Prop({ type: String, required: true })
  hash!: string;

  @Prop(
    raw({ allowExternal: Boolean, readEvents: Boolean, operations: [String], addresses: [String] }),
  )
  permissions?: {
    allowExternal?: boolean;
    /** Counts while there are no operations; the operation `events.read` replaces it. */
    readEvents?: boolean;
    /** Without them the key may do everything but read events. */
    operations?: string[] | null;
    /** Addresses and CIDR ranges from which alone it may be used. */
    addresses?: string[] | null;
  };

  /** Its own limit of requests, in place of the service's. */
  @Prop(raw({ rps: Number, burst: Number }))
  rateLimit?: { rps?: number; burst?: number } | null;

  /** With them, callbacks have to be signed by one of them; newest first. */
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

/** Serves authentication, which knows nothing but the key. */
apiKeySchema.index({ hash: 1 }, { name: 'hash', unique: true });
/** Serves the operator's list of an organization's keys. */
apiKeySchema.index({ organizationId: 1, createdAt: 1 }, { name: 'byOrganization' });
