import { Prop, raw, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import { TenantDocument } from '../../core/database/documents/tenant-document.js';

/** Which events get the next numbers: the first one `first`, each of the others one more. */
export interface NumberingPlan {
  readonly first: number;
  readonly eventIds: readonly Types.ObjectId[];
  /** When; never before the last numbers were given. */
  readonly at: Date;
}

/** How far the events of an organization are numbered (rule FEED-2). Its `_id` is that of the organization. */
@Schema({ collection: 'eventFeeds' })
export class EventFeedDocument extends TenantDocument {
  /** The highest number up to which all events have theirs: those beyond it are not shown. */
  @Prop({ type: Number, required: true })
  last!: number;

  /** When that number was given; null before there is one. */
  @Prop({ type: Date })
  numberedAt!: Date | null;

  /** Which process gave it. */
  @Prop({ type: String })
  numberedBy!: string | null;

  /** What is being numbered: whoever finds it finishes it. Null while nothing is. */
  @Prop(raw({ first: Number, eventIds: { type: [SchemaTypes.ObjectId] }, at: Date }))
  pending!: NumberingPlan | null;
}

export const eventFeedSchema = SchemaFactory.createForClass(EventFeedDocument);
