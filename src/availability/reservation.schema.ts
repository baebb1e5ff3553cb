import { Prop, raw, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import { DeletableDocument } from '../core/database/documents/tenant-document.js';
import type { ReservationStatus } from './availability.js';

@Schema({ collection: 'reservations' })
export class ReservationDocument extends DeletableDocument {
  /** Missing only where another program omitted it; such a unit counts as deleted. */
  @Prop({ type: SchemaTypes.ObjectId })
  unitId?: Types.ObjectId | null;

  @Prop({ type: SchemaTypes.ObjectId })
  leadId?: Types.ObjectId | null;

  @Prop({ type: String })
  recordSystemId?: string;

  @Prop({ type: String })
  status!: ReservationStatus;

  /** Whether the reservation is active in the partner collection flow. */
  @Prop(raw({ isActive: Boolean }))
  partnerCollection?: { isActive?: boolean } | null;

  @Prop({ type: Date })
  approvedAt?: Date;

  @Prop({ type: Date })
  canceledAt?: Date;
}

export const reservationSchema = SchemaFactory.createForClass(ReservationDocument);

/** An outside system's id names one reservation of an organization. */
reservationSchema.index(
  { organizationId: 1, recordSystemId: 1 },
  {
    name: 'recordSystemId',
    unique: true,
    partialFilterExpression: { isDeleted: false, recordSystemId: { $exists: true } },
  },
);
/** Serves the availability of a unit and the search for another approved reservation. */
reservationSchema.index(
  { organizationId: 1, unitId: 1, status: 1 },
  { name: 'ofUnit', partialFilterExpression: { isDeleted: false } },
);
/** Serves the reservations of a lead, deleted ones included. */
reservationSchema.index({ organizationId: 1, leadId: 1 }, { name: 'ofLead' });
/** Serves the reservations whose cheques a partner collects, in the order of their ids. */
reservationSchema.index(
  { organizationId: 1, 'partnerCollection.isActive': 1, _id: 1 },
  {
    name: 'inPartnerFlow',
    partialFilterExpression: { isDeleted: false, 'partnerCollection.isActive': true },
  },
);
