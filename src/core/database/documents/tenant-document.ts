import { Prop, Schema } from '@nestjs/mongoose';
import { SchemaTypes, Types } from 'mongoose';
import { isObjectId } from '../../values/text.js';

/** Fields of every document of a tenant (rule DATA-2). */
@Schema()
export class TenantDocument {
  declare _id: Types.ObjectId;

  @Prop({ type: SchemaTypes.ObjectId, required: true })
  organizationId!: Types.ObjectId;

  @Prop({ type: Date, required: true })
  createdAt!: Date;

  @Prop({ type: Date, required: true })
  updatedAt!: Date;
}

@Schema()
export class DeletableDocument extends TenantDocument {
  @Prop({ type: Boolean, required: true })
  isDeleted!: boolean;

  @Prop({ type: Date })
  deletedAt?: Date;
}

export const notDeleted = { isDeleted: false } as const;

/** Matches all documents and lets an index on `isDeleted` provide the order. */
export const deletedOrNot = { isDeleted: { $in: [false, true] } } as const;

export function parseObjectId(text: string): Types.ObjectId | null {
  return isObjectId(text) ? new Types.ObjectId(text) : null;
}
