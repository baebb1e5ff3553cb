import { Schema, type Types } from 'mongoose';
import type { DeletableDocument } from '../database/documents/tenant-document.js';

/** A lead's free-form fields; known keys are name, email, phones, project and leadSource. */
export type LeadData = Readonly<Record<string, unknown>>;

/** A document of `leads`. */
export interface LeadDocument extends DeletableDocument {
  /** Sequential number within the organization. */
  leadId: number;
  /** The lead's id in the system that it came from, exactly as sent. */
  recordSystemId?: string;
  compoundsIds: Types.ObjectId[];
  data: LeadData;
  additionalData: LeadData;
  clientId: Types.ObjectId | null;
  assignedToId: Types.ObjectId | null;
  parentId: Types.ObjectId | null;
  isActive: boolean;
  /** Derived from the phones in `data`: their comparison keys. */
  phoneKeys?: string[];
  /** What `phoneKeys` were derived from, as text; other programs may have changed it since. */
  phoneKeysOf?: string;
}

/** Collection `leads`. */
export const leadSchema = new Schema<LeadDocument>(
  {
    organizationId: { type: Schema.Types.ObjectId, required: true },
    leadId: Number,
    recordSystemId: String,
    compoundsIds: [Schema.Types.ObjectId],
    data: { type: Schema.Types.Mixed, bsonType: 'object' },
    additionalData: { type: Schema.Types.Mixed, bsonType: 'object' },
    clientId: Schema.Types.ObjectId,
    assignedToId: Schema.Types.ObjectId,
    parentId: Schema.Types.ObjectId,
    isActive: Boolean,
    phoneKeys: [String],
    phoneKeysOf: String,
    isDeleted: { type: Boolean, required: true },
    deletedAt: Date,
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'leads' },
);

const notDeleted = { partialFilterExpression: { isDeleted: false } };

/** An external id names one active lead of an organization. */
leadSchema.index(
  { organizationId: 1, recordSystemId: 1, isDeleted: 1 },
  {
    name: 'recordSystemId',
    unique: true,
    partialFilterExpression: { isDeleted: false, recordSystemId: { $exists: true } },
  },
);
/** A number is given to one lead of an organization, deleted ones included. */
leadSchema.index(
  { organizationId: 1, leadId: 1 },
  { name: 'leadId', unique: true, partialFilterExpression: { leadId: { $exists: true } } },
);
/** Serves the duplicate check by comparison keys. */
leadSchema.index({ organizationId: 1, phoneKeys: 1 }, { name: 'phoneKeys', ...notDeleted });
/** Serves the duplicate check by spelling, for leads that other programs wrote. */
leadSchema.index(
  { organizationId: 1, 'data.phoneNumber': 1 },
  { name: 'phoneNumber', ...notDeleted },
);
leadSchema.index(
  { organizationId: 1, 'data.phoneNumber2': 1 },
  { name: 'phoneNumber2', ...notDeleted },
);
/** Serves the background pass: leads that have no comparison keys yet, across organizations. */
leadSchema.index({ phoneKeysOf: 1, _id: 1 }, { name: 'withoutPhoneKeys', ...notDeleted });
/** Serves the background pass: leads that other programs changed, across organizations. */
leadSchema.index({ updatedAt: 1 }, { name: 'recentlyUpdated', ...notDeleted });
