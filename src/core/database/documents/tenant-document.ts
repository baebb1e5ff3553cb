import { Prop, Schema } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';

/** What every document of a tenant carries (rule DATA-2). */
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

/** What every tenant document that can be soft-deleted carries. */
@Schema()
export class DeletableDocument extends TenantDocument {
  @Prop({ type: Boolean, required: true })
  isDeleted!: boolean;

  @Prop({ type: Date })
  deletedAt?: Date;
}

/** The filter on what is not soft-deleted, as the partial indexes have it. */
export const notDeleted = { isDeleted: false } as const;

/** The filter on all, in a form with which an index that begins like those of {@link notDeleted} has an order. */
export const deletedOrNot = { isDeleted: { $in: [false, true] } } as const;
