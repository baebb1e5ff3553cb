import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';

/** Position of a reader of the event feed. `at` is first, because `$max` compares fields in their order. */
export interface FeedPosition {
  readonly at: Date;
  /** The `after` of the last accepted request. */
  readonly after: number;
}

/** Contains when a key, whose id is `_id`, last used its operations (rule OPS-33). */
@Schema({ collection: 'keyActivity', versionKey: false })
export class KeyActivityDocument {
  @Prop({ type: SchemaTypes.ObjectId, required: true })
  _id!: Types.ObjectId;

  /** Time of the first use that was noted. */
  @Prop({ type: Date })
  since?: Date;

  /** Keyed by operation, with colons for dots. */
  @Prop({ type: SchemaTypes.Mixed })
  operations?: Record<string, Date>;

  /** Set for readers of the event feed. */
  @Prop({ type: SchemaTypes.Mixed })
  feed?: FeedPosition;
}

export const keyActivitySchema = SchemaFactory.createForClass(KeyActivityDocument);
