import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import type { Types } from 'mongoose';

/** Work that one process of all does at a time, and which one does it until when. */
@Schema({ collection: 'leases' })
export class LeaseDocument {
  declare _id: Types.ObjectId;

  @Prop({ required: true })
  name!: string;

  /** Null when nobody has it. */
  @Prop({ type: String })
  owner?: string | null;

  /** By the clock of the server. */
  @Prop({ type: Date })
  until?: Date | null;

  /** Up to when the work has been done. */
  @Prop({ type: Date })
  watermark?: Date | null;
}

export const leaseSchema = SchemaFactory.createForClass(LeaseDocument);

leaseSchema.index({ name: 1 }, { name: 'name', unique: true });
