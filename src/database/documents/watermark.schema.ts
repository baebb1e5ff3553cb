import { Schema, type Types } from 'mongoose';

/** Up to when a background pass has seen what other programs wrote. */
export interface WatermarkDocument {
  _id: Types.ObjectId;
  name: string;
  seenUpTo: Date;
}

/** Collection `watermarks`. */
export const watermarkSchema = new Schema<WatermarkDocument>(
  { name: { type: String, required: true }, seenUpTo: { type: Date, required: true } },
  { collection: 'watermarks' },
);

/** One watermark a pass. */
watermarkSchema.index({ name: 1 }, { name: 'name', unique: true });
