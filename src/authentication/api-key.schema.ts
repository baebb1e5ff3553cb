import { Schema, type Types } from 'mongoose';

/** A document of `apiKeys`; the key itself is never stored. */
export interface ApiKeyDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  name: string;
  /** The first characters of the key, safe to show. */
  prefix: string;
  /** Lower-case hexadecimal SHA-256 of the whole key. */
  hash: string;
  permissions?: { allowExternal?: boolean };
  expiresAt?: Date | null;
  revokedAt?: Date | null;
  lastUsedAt?: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** Collection `apiKeys`. */
export const apiKeySchema = new Schema<ApiKeyDocument>(
  {
    organizationId: { type: Schema.Types.ObjectId, required: true },
    name: String,
    prefix: String,
    hash: { type: String, required: true },
    permissions: { allowExternal: Boolean },
    expiresAt: Date,
    revokedAt: Date,
    lastUsedAt: Date,
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'apiKeys' },
);

/** Serves authentication, which knows nothing but the key. */
apiKeySchema.index({ hash: 1 }, { name: 'hash', unique: true });
/** Serves the operator's list of an organization's keys. */
apiKeySchema.index({ organizationId: 1, createdAt: 1 }, { name: 'byOrganization' });
