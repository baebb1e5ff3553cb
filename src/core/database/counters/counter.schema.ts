import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';

/** The last number given out of a sequence of an organization. */
@Schema({ collection: 'counters' })
export class CounterDocument {
  declare _id: Types.ObjectId;

  @Prop({ type: SchemaTypes.ObjectId, required: true })
  organizationId!: Types.ObjectId;

  @Prop({ required: true })
  name!: string;

  @Prop({ required: true })
  value!: number;
}

export const counterSchema = SchemaFactory.createForClass(CounterDocument);

/** The counter of a sequence; without it two first increments would make two counters. */
counterSchema.index({ organizationId: 1, name: 1 }, { name: 'counter', unique: true });
