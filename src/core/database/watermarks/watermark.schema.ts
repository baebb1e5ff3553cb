import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import type { Types } from 'mongoose';

/** Up to when a background pass has processed what other programs wrote. */
@Schema({ collection: 'watermarks' })
export class WatermarkDocument {
  declare _id: Types.ObjectId;

  @Prop({ required: true })
  name!: string;

  @Prop({ type: Date, required: true })
  seenUpTo!: Date;
}

export const watermarkSchema = SchemaFactory.createForClass(WatermarkDocument);

watermarkSchema.index({ name: 1 }, { name: 'name', unique: true });
