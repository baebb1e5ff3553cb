import { Prop, raw, Schema, SchemaFactory } from '@nestjs/mongoose';
import { type SealedSecret, sealedSecretSchema } from '../../core/secrets/signing-secret.js';
import { TenantDocument } from '../../core/database/documents/tenant-document.js';

@Schema({ collection: 'apiKeys' })
export class ApiKeyDocument extends TenantDocument {
  @Prop({ type: String })
  name?: string;

  @Prop({ type: String })
  prefix?: string;

  /** Lower-case hexadecimal SHA-256; the key itself is never stored. */
  @Prop({ type: String, required: true })
  hash!: string;

  @Prop(
    raw({ allowExternal: Boolean, readEvents: Boolean, operations: [String], addresses: [String] }),
  )
  permissions?: {
    allowExternal?: boolean;
    /** Used without `operations` only. */
    readEvents?: boolean;
    /** Without them the key may do everything but read events. */
    operations?: string[] | null;
    /** Addresses and CIDR ranges; without them the key works everywhere. */
    addresses?: string[] | null;
  };

  @Prop(raw({ rps: Number, burst: Number }))
  rateLimit?: { rps?: number; burst?: number } | null;

  /** One of them has to sign each callback; newest first. */
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
