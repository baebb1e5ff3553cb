import { raw, Schema, SchemaFactory } from '@nestjs/mongoose';
import type { Types } from 'mongoose';
import { addChangeIndexes, addUniqueIndex } from '../core/database/documents/tenant-document.js';
import { declareField } from '../core/fields/declared-fields.js';
import {
  Choice,
  NullableRecordId,
  NullableTime,
  OptionalText,
  PresentedDocument,
} from '../core/fields/fields.js';
import { asObject } from '../core/values/json.js';
import { type ReservationStatus, reservationStatuses } from './reservation-status.js';

@Schema({ collection: 'reservations' })
export class ReservationDocument extends PresentedDocument {
  /** Only another program can omit it; the unit then counts as deleted. */
  @NullableRecordId({ example: '6740b1f2c3d4e5f607182942' })
  unitId?: Types.ObjectId | null;

  @NullableRecordId({ example: null })
  leadId?: Types.ObjectId | null;

  @OptionalText({ example: 'deal-4711' })
  recordSystemId?: string;

  @Choice(reservationStatuses, { example: 'approved' })
  status!: ReservationStatus;

  @PartnerCollection()
  partnerCollection?: { isActive?: boolean } | null;

  @NullableTime({ example: '2026-01-05T09:30:00.000Z' })
  approvedAt?: Date | null;

  @NullableTime()
  canceledAt?: Date | null;
}

function PartnerCollection(): PropertyDecorator {
  return declareField(
    {
      stored: raw({ isActive: Boolean }),
      read: (value) => ({ isActive: asObject(value)['isActive'] === true }),
      api: {
        type: 'object',
        properties: { isActive: { type: 'boolean' } },
        required: ['isActive'],
      },
    },
    {
      description: 'Whether the reservation is active in the partner collection flow.',
      example: { isActive: true },
    },
  );
}

export const reservationSchema = SchemaFactory.createForClass(ReservationDocument);

addUniqueIndex(reservationSchema, 'recordSystemId');
reservationSchema.index(
  { organizationId: 1, unitId: 1, status: 1 },
  { name: 'ofUnit', partialFilterExpression: { isDeleted: false } },
);
reservationSchema.index({ organizationId: 1, leadId: 1 }, { name: 'ofLead' });
addChangeIndexes(reservationSchema);
/** Copies read reservations in the order of `_id`; with `isDeleted`, the server counts without reading documents. */
reservationSchema.index({ organizationId: 1, isDeleted: 1, _id: 1 }, { name: 'byOrganization' });
reservationSchema.index(
  { organizationId: 1, status: 1, isDeleted: 1, _id: 1 },
  { name: 'byStatus' },
);
/** Reconciliation reads reservations in the order of `_id`. */
reservationSchema.index(
  { organizationId: 1, 'partnerCollection.isActive': 1, _id: 1 },
  {
    name: 'inPartnerFlow',
    partialFilterExpression: { isDeleted: false, 'partnerCollection.isActive': true },
  },
);
