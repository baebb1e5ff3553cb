import { Schema, type Types } from 'mongoose';
import type { DeletableDocument } from '../../database/documents/tenant-document.js';
import type { ReservationStatus } from '../states.js';

/** A document of `reservations`. */
export interface ReservationDocument extends DeletableDocument {
  /** Missing only where another program forgot it; such a unit counts as deleted. */
  unitId?: Types.ObjectId | null;
  leadId?: Types.ObjectId | null;
  recordSystemId?: string;
  status: ReservationStatus;
  /** Whether the reservation is active in the partner collection flow. */
  partnerCollection?: { isActive?: boolean } | null;
  approvedAt?: Date;
  canceledAt?: Date;
}

/** Collection `reservations`. */
export const reservationSchema = new Schema<ReservationDocument>(
  {
    organizationId: { type: Schema.Types.ObjectId, required: true },
    unitId: Schema.Types.ObjectId,
    leadId: Schema.Types.ObjectId,
    recordSystemId: String,
    status: String,
    partnerCollection: { isActive: Boolean },
    approvedAt: Date,
    canceledAt: Date,
    isDeleted: { type: Boolean, required: true },
    deletedAt: Date,
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'reservations' },
);

/** An outside system's id names one reservation of an organization. */
reservationSchema.index(
  { organizationId: 1, recordSystemId: 1 },
  {
    name: 'recordSystemId',
    unique: true,
    partialFilterExpression: { isDeleted: false, recordSystemId: { $exists: true } },
  },
);
/** Serves the availability of a unit and the look for another approved reservation. */
reservationSchema.index(
  { organizationId: 1, unitId: 1, status: 1 },
  { name: 'ofUnit', partialFilterExpression: { isDeleted: false } },
);
