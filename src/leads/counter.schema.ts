import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';

@Schema({ collection: 'counters', versionKey: false })
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

/** Without the unique index, two concurrent first increments would create two counters. */
counterSchema.index({ organizationId: 1, name: 1 }, { name: 'counter', unique: true });
