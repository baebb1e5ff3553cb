import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import { TenantDocument } from '../../core/database/documents/tenant-document.js';

export const noCounts = { leads: 0, clients: 0, changeLogEntries: 0, events: 0, attempts: 0 };

export type ErasureCounts = Readonly<typeof noCounts>;

/**
 * An erasure and its progress (rule LEAD-15). It holds ids only, so that it may be kept, and repeated after a
 * restore, for as long as there are backups.
 */
@Schema({ collection: 'erasures' })
export class ErasureDocument extends TenantDocument {
  @Prop({ type: [SchemaTypes.ObjectId], required: true })
  leadIds!: Types.ObjectId[];

  /** Null until everything is removed. */
  @Prop({ type: Date })
  completedAt!: Date | null;

  @Prop({ type: SchemaTypes.Mixed, bsonType: 'object' })
  counts!: ErasureCounts;
}

export const erasureSchema = SchemaFactory.createForClass(ErasureDocument);

/** A lead is erased once, also by simultaneous requests. */
erasureSchema.index({ organizationId: 1, leadIds: 1 }, { name: 'lead', unique: true });
