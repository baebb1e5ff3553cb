import { Prop, raw, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';

export interface OrganizationSettings {
  allowConflictLeads?: boolean;
  phoneCountry?: string;
  clients?: {
    createFromLeads?: boolean;
    updateExisting?: boolean;
    matchBy?: readonly string[];
  };
}

@Schema({ collection: 'organizations' })
export class OrganizationDocument {
  declare _id: Types.ObjectId;

  @Prop({ type: String })
  name?: string;

  @Prop({ type: String })
  logo?: string;

  @Prop({ type: String })
  apiDomain?: string;

  @Prop({ type: Boolean, required: true })
  isDeleted!: boolean;

  @Prop({ type: Date })
  deletedAt?: Date;

  @Prop(
    raw({
      allowConflictLeads: Boolean,
      phoneCountry: String,
      clients: { createFromLeads: Boolean, updateExisting: Boolean, matchBy: [String] },
    }),
  )
  settings?: OrganizationSettings;

  /** Only sandboxes have it, from their insert on, with their own id (rule OPS-38). */
  @Prop(
    raw({ organizationId: SchemaTypes.ObjectId, url: String, completedAt: Date, filledAt: Date }),
  )
  sandbox?: {
    organizationId?: Types.ObjectId;
    url?: string;
    completedAt?: Date | null;
    filledAt?: Date | null;
  } | null;

  @Prop({ type: Date, required: true })
  createdAt!: Date;

  @Prop({ type: Date, required: true })
  updatedAt!: Date;
}

export const organizationSchema = SchemaFactory.createForClass(OrganizationDocument);

organizationSchema.index({ apiDomain: 1 }, { name: 'apiDomain' });
/** Serves the background job for phones, which looks for changed countries every five seconds. */
organizationSchema.index({ updatedAt: 1 }, { name: 'updatedAt' });
