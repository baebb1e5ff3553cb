import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';

/** The key that replaces ENCRYPTION_KEYS outside production. */
@Schema({ collection: 'developmentKeys' })
export class DevelopmentKeyDocument {
  @Prop({ type: String, required: true })
  name!: string;

  /** Base64. */
  @Prop({ type: String, required: true })
  key!: string;
}

/** Collection `developmentKeys`; empty in production. */
export const developmentKeySchema = SchemaFactory.createForClass(DevelopmentKeyDocument);

/** Of two processes that start at the same time, one makes the key. */
developmentKeySchema.index({ name: 1 }, { name: 'name', unique: true });
