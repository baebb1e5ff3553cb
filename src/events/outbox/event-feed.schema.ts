import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { TenantDocument } from '../../core/database/documents/tenant-document.js';

/** How far the events of an organization are numbered (rule FEED-2). Its `_id` is that of the organization. */
@Schema({ collection: 'eventFeeds' })
export class EventFeedDocument extends TenantDocument {
  /** The highest number that was given. */
  @Prop({ type: Number, required: true })
  last!: number;

  /** When that number was given; null before there is one. */
  @Prop({ type: Date })
  numberedAt!: Date | null;
}

export const eventFeedSchema = SchemaFactory.createForClass(EventFeedDocument);
