import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, type Types } from 'mongoose';
import { DeletableDocument, notDeleted } from '../core/database/documents/tenant-document.js';
import { caseCandidates } from '../core/localization/fold-case.js';

/** A lead's free-form fields; known keys are name, email, phones, project and leadSource. */
export type LeadData = Readonly<Record<string, unknown>>;

@Schema({ collection: 'leads' })
export class LeadDocument extends DeletableDocument {
  /** Sequential number within the organization. */
  @Prop({ type: Number })
  leadId?: number | null;

  /** The lead's id in the system that it came from, exactly as sent. */
  @Prop({ type: String })
  recordSystemId?: string;

  @Prop({ type: [SchemaTypes.ObjectId] })
  compoundsIds?: Types.ObjectId[] | null;

  @Prop({ type: SchemaTypes.Mixed, bsonType: 'object' })
  data?: LeadData | null;

  @Prop({ type: SchemaTypes.Mixed, bsonType: 'object' })
  additionalData?: LeadData | null;

  @Prop({ type: SchemaTypes.ObjectId })
  clientId?: Types.ObjectId | null;

  @Prop({ type: SchemaTypes.ObjectId })
  assignedToId?: Types.ObjectId | null;

  @Prop({ type: SchemaTypes.ObjectId })
  parentId?: Types.ObjectId | null;

  @Prop({ type: Boolean })
  isActive?: boolean | null;

  /** Derived from the phones in `data`: their comparison keys. */
  @Prop({ type: [String] })
  phoneKeys?: string[];

  /** What `phoneKeys` were derived from, as text; other programs may have changed it since. */
  @Prop({ type: String })
  phoneKeysOf?: string;

  /**
   * The `updatedAt` that was written together with `phoneKeys`: the write of another program, which
   * knows nothing of it, leaves it behind.
   */
  @Prop({ type: Date })
  phoneKeysAt?: Date;

  /** When its values were removed, because the person wished to be forgotten (rule LEAD-15). */
  @Prop({ type: Date })
  erasedAt?: Date | null;
}

export const changedElsewhereIndex = 'changedElsewhere';

export const leadSchema = SchemaFactory.createForClass(LeadDocument);

const partialFilterExpression = notDeleted;

/** An external id names one active lead of an organization. */
leadSchema.index(
  { organizationId: 1, recordSystemId: 1, isDeleted: 1 },
  {
    name: 'recordSystemId',
    unique: true,
    partialFilterExpression: { isDeleted: false, recordSystemId: { $exists: true } },
  },
);
/** Serves the operator's search for a deleted lead by its external id. */
leadSchema.index(
  { organizationId: 1, recordSystemId: 1 },
  {
    name: 'deletedRecordSystemId',
    partialFilterExpression: { isDeleted: true, recordSystemId: { $exists: true } },
  },
);
/** A number is given to one lead of an organization, deleted ones included. */
leadSchema.index(
  { organizationId: 1, leadId: 1 },
  { name: 'leadId', unique: true, partialFilterExpression: { leadId: { $exists: true } } },
);
/** Serves the duplicate check by comparison keys, the lead with the lowest number first. */
leadSchema.index(
  { organizationId: 1, phoneKeys: 1, leadId: 1, _id: 1 },
  { name: 'phoneKeys', partialFilterExpression },
);
/** Serves the duplicate check by spelling, for leads that other programs wrote. */
leadSchema.index(
  { organizationId: 1, 'data.phoneNumber': 1, leadId: 1, _id: 1 },
  { name: 'phoneNumber', partialFilterExpression },
);
leadSchema.index(
  { organizationId: 1, 'data.phoneNumber2': 1, leadId: 1, _id: 1 },
  { name: 'phoneNumber2', partialFilterExpression },
);
/** Serves the operator's search by an email, in any case, for leads that no client has it of. */
leadSchema.index(
  { organizationId: 1, 'data.email': 1 },
  {
    name: 'emailWithoutClient',
    collation: caseCandidates,
    partialFilterExpression: { isDeleted: false, clientId: null },
  },
);
/** Serves the leads of a client, deleted ones included. */
leadSchema.index({ organizationId: 1, clientId: 1 }, { name: 'ofClient' });
/** Serves the background pass: leads that have no comparison keys yet, across organizations. */
leadSchema.index({ phoneKeysOf: 1, _id: 1 }, { name: 'withoutPhoneKeys', partialFilterExpression });
/**
 * Serves the background pass: leads that other programs changed, across organizations. It has all that
 * tells them from the leads that this service wrote, which are not read.
 */
leadSchema.index(
  { updatedAt: 1, phoneKeysAt: 1, isDeleted: 1, _id: 1 },
  { name: changedElsewhereIndex, partialFilterExpression },
);
