import { Schema, type Types } from 'mongoose';

/** The key that stands in for ENCRYPTION_KEYS outside production. */
export interface DevelopmentKeyDocument {
  _id: Types.ObjectId;
  name: string;
  /** Base64. */
  key: string;
}

/** Collection `developmentKeys`; empty in production. */
export const developmentKeySchema = new Schema<DevelopmentKeyDocument>(
  { name: { type: String, required: true }, key: { type: String, required: true } },
  { collection: 'developmentKeys' },
);

/** Of two processes that start at once, one makes the key. */
developmentKeySchema.index({ name: 1 }, { name: 'name', unique: true });
