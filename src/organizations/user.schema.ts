import { Schema } from 'mongoose';
import type { TenantDocument } from '../database/documents/tenant-collection.js';

/** A document of `users`: whom a lead may be assigned to. */
export interface UserDocument extends TenantDocument {
  name?: string;
}

/** Collection `users`; read only, the admin platform keeps it. */
export const userSchema = new Schema<UserDocument>(
  {
    organizationId: { type: Schema.Types.ObjectId, required: true },
    name: String,
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'users' },
);

/** Every query of a tenant starts with the organization. */
userSchema.index({ organizationId: 1, _id: 1 }, { name: 'byOrganization' });
