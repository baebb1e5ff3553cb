import { Types } from 'mongoose';
import type { UnitDocument } from '../../catalogue/collections/unit.schema.js';
import { statusWhenSent } from './availability.js';

/** A new unit; what is not said of it has its default (rule UNIT-1). */
export function newUnit(
  organizationId: Types.ObjectId,
  fields: Partial<UnitDocument>,
  now: Date,
): UnitDocument {
  return {
    rentalStatus: 'Unavailable',
    unitDesignId: null,
    propertyTypeId: null,
    amenitiesIds: [],
    media: [],
    reviews: [],
    listingType: [],
    showForBrokers: false,
    isAdminOnly: false,
    allowToTaskeen: false,
    _id: new Types.ObjectId(),
    ...fields,
    status: statusWhenSent(fields.status ?? 'Available', []),
    organizationId,
    isDeleted: false,
    createdAt: now,
    updatedAt: now,
    __v: 0,
  };
}
