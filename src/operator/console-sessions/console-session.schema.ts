import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';

/** A session of a logged-in reader, or a link that begins one, once (rule OPS-30). */
@Schema({ collection: 'consoleSessions', versionKey: false })
export class ConsoleSessionDocument {
  /** Hash of the secret in the cookie or link, which is stored nowhere. */
  @Prop({ type: String })
  _id!: string;

  @Prop({ type: String, required: true })
  kind!: 'session' | 'link';

  /** Identifies the operator's password, so that a new password ends all sessions. */
  @Prop({ type: String, required: true })
  password!: string;

  @Prop({ type: Date, required: true })
  expiresAt!: Date;
}

export const consoleSessionSchema = SchemaFactory.createForClass(ConsoleSessionDocument);

consoleSessionSchema.index({ expiresAt: 1 }, { name: 'expiry', expireAfterSeconds: 0 });
