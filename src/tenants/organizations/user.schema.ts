import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { TenantDocument } from '../../core/database/documents/tenant-document.js';

/** Whom a lead may be assigned to; read only, the admin platform keeps these documents. */
@Schema({ collection: 'users' })
export class UserDocument extends TenantDocument {
  @Prop()
  name?: string;
}

export const userSchema = SchemaFactory.createForClass(UserDocument);

/** Every query of a tenant starts with the organization. */
userSchema.index({ organizationId: 1, _id: 1 }, { name: 'byOrganization' });
