import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import { TenantDocument } from '../../core/database/documents/tenant-document.js';

export const zeroCounts = { leads: 0, clients: 0, changeLogEntries: 0, events: 0, attempts: 0 };

export type ErasureCounts = Readonly<typeof zeroCounts>;

/**
 * Contains only ids, so it may be kept as long as backups exist and reapplied after a restore (rule LEAD-15).
 */
@Schema({ collection: 'erasures' })
export class ErasureDocument extends TenantDocument {
  @Prop({ type: [SchemaTypes.ObjectId], required: true })
  leadIds!: Types.ObjectId[];

  /** Null until everything has been removed. */
  @Prop({ type: Date })
  completedAt!: Date | null;

  @Prop({ type: SchemaTypes.Mixed, bsonType: 'object' })
  counts!: ErasureCounts;
}

export const erasureSchema = SchemaFactory.createForClass(ErasureDocument);

/** Prevents concurrent requests from erasing a lead twice. */
erasureSchema.index({ organizationId: 1, leadIds: 1 }, { name: 'lead', unique: true });
