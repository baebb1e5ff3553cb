import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import { TenantDocument } from '../../core/database/documents/tenant-document.js';

/** How many records of each kind something was removed from. */
export interface ErasureCounts {
  readonly leads: number;
  readonly clients: number;
  readonly changeLogEntries: number;
  readonly events: number;
  readonly attempts: number;
}

/**
 * A wish to be forgotten, as far as it has come (rule LEAD-15): ids only, so that it may be kept, and
 * done again after a restore, for as long as there are backups.
 */
@Schema({ collection: 'erasures' })
export class ErasureDocument extends TenantDocument {
  @Prop({ type: [SchemaTypes.ObjectId], required: true })
  leadIds!: Types.ObjectId[];

  /** When all was removed; null before that. */
  @Prop({ type: Date })
  completedAt!: Date | null;

  @Prop({ type: SchemaTypes.Mixed, bsonType: 'object' })
  counts!: ErasureCounts;
}

export const erasureSchema = SchemaFactory.createForClass(ErasureDocument);

/** A lead is erased once, however many ask for it. */
erasureSchema.index({ organizationId: 1, leadIds: 1 }, { name: 'lead', unique: true });
