import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';

/** A document that contending transactions write, so that the database lets one of them win. */
@Schema({ collection: 'transactionLocks' })
export class TransactionLockDocument {
  declare _id: Types.ObjectId;

  @Prop({ type: SchemaTypes.ObjectId, required: true })
  organizationId!: Types.ObjectId;

  /** Made of what is contended for, which cannot be found from it. */
  @Prop({ required: true })
  key!: string;

  @Prop({ type: Date, required: true })
  takenAt!: Date;

  @Prop({ type: Number })
  timesTaken?: number;
}

export const transactionLockSchema = SchemaFactory.createForClass(TransactionLockDocument);

transactionLockSchema.index({ organizationId: 1, key: 1 }, { name: 'lock', unique: true });
/** A lock means nothing once the transactions that contended for it are over. */
transactionLockSchema.index({ takenAt: 1 }, { name: 'expiry', expireAfterSeconds: 3_600 });
