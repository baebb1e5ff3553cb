import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import type { Types } from 'mongoose';

/** Work that one process of all does at a time, and which one that is. */
@Schema({ collection: 'duties' })
export class DutyDocument {
  declare _id: Types.ObjectId;

  @Prop({ required: true })
  name!: string;

  /** Null when nobody does it. */
  @Prop({ type: String })
  owner!: string | null;

  /** Grows for as long as the owner lives. */
  @Prop({ type: Number, required: true })
  beats!: number;
}

export const dutySchema = SchemaFactory.createForClass(DutyDocument);

dutySchema.index({ name: 1 }, { name: 'name', unique: true });
