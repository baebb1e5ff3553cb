import { Prop, raw, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import { DeletableDocument } from '../core/database/documents/tenant-document.js';
import type { ReservationStatus } from './availability.js';

@Schema({ collection: 'reservations' })
export class ReservationDocument extends DeletableDocument {
  /** Missing only where another program omitted it; the unit then counts as deleted. */
  @Prop({ type: SchemaTypes.ObjectId })
  unitId?: Types.ObjectId | null;

  @Prop({ type: SchemaTypes.ObjectId })
  leadId?: Types.ObjectId | null;

  @Prop({ type: String })
  recordSystemId?: string;

  @Prop({ type: String })
  status!: ReservationStatus;

  @Prop(raw({ isActive: Boolean }))
  partnerCollection?: { isActive?: boolean } | null;

  @Prop({ type: Date })
  approvedAt?: Date;

  @Prop({ type: Date })
  canceledAt?: Date;
}

export const reservationSchema = SchemaFactory.createForClass(ReservationDocument);

reservationSchema.index(
  { organizationId: 1, recordSystemId: 1 },
  {
    name: 'recordSystemId',
    unique: true,
    partialFilterExpression: { isDeleted: false, recordSystemId: { $exists: true } },
  },
);
reservationSchema.index(
  { organizationId: 1, unitId: 1, status: 1 },
  { name: 'ofUnit', partialFilterExpression: { isDeleted: false } },
);
reservationSchema.index({ organizationId: 1, leadId: 1 }, { name: 'ofLead' });
/** Reconciliation walks these by `_id`. */
reservationSchema.index(
  { organizationId: 1, 'partnerCollection.isActive': 1, _id: 1 },
  {
    name: 'inPartnerFlow',
    partialFilterExpression: { isDeleted: false, 'partnerCollection.isActive': true },
  },
);
