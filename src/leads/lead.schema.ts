import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import type { Types } from 'mongoose';
import {
  addChangeIndexes,
  addUniqueIndex,
  notDeleted,
} from '../core/database/documents/tenant-document.js';
import {
  Flag,
  FreeForm,
  NullableRecordId,
  OptionalText,
  RecordIds,
  SequenceNumber,
  PresentedDocument,
} from '../core/fields/fields.js';

export type LeadData = Readonly<Record<string, unknown>>;

@Schema({ collection: 'leads' })
export class LeadDocument extends PresentedDocument {
  @SequenceNumber({
    description: 'Sequential number within the organization; never changes.',
    example: 42,
  })
  leadId?: number | null;

  @OptionalText({
    description: 'External id, exactly as sent; present if the lead has one.',
    example: 'website-form-7-4711',
  })
  recordSystemId?: string;

  @RecordIds({ description: 'Ids of the linked compounds.' })
  compoundsIds?: Types.ObjectId[] | null;

  @FreeForm({
    description: 'Lead fields as sent.',
    example: { name: 'Mona El Sayed', phoneNumber: '01001234567', project: 'Palm Meadows' },
  })
  data?: LeadData | null;

  @FreeForm({ description: 'Metadata as sent.', example: { utm_source: 'newsletter' } })
  additionalData?: LeadData | null;

  @NullableRecordId({
    description: 'The client that the lead belongs to.',
    example: '6740b1f2c3d4e5f607182931',
  })
  clientId?: Types.ObjectId | null;

  @NullableRecordId({ description: 'The user whom the lead is assigned to.', example: null })
  assignedToId?: Types.ObjectId | null;

  @NullableRecordId({ description: 'The parent lead.', example: null })
  parentId?: Types.ObjectId | null;

  @Flag({ example: true })
  isActive?: boolean | null;

  @Prop({ type: [String] })
  phoneKeys?: string[];

  /** Country and phones from which `phoneKeys` were derived; other programs may since have changed the phones. */
  @Prop({ type: String })
  phoneKeysOf?: string;

  /** `updatedAt` of the write of `phoneKeys`; it differs after another program's write. */
  @Prop({ type: Date })
  phoneKeysAt?: Date;

  /** The email, case-folded; empty without one. Missing until the background job has read another program's lead. */
  @Prop({ type: String })
  emailKey?: string;

  /** Set when an erasure removed the values (rule LEAD-15). */
  @Prop({ type: Date })
  erasedAt?: Date | null;
}

export const externallyChangedIndex = 'changedElsewhere';

export const leadSchema = SchemaFactory.createForClass(LeadDocument);

const partialFilterExpression = notDeleted;

addUniqueIndex(leadSchema, 'recordSystemId', { recordSystemId: 1, isDeleted: 1 });
leadSchema.index(
  { organizationId: 1, recordSystemId: 1 },
  {
    name: 'deletedRecordSystemId',
    partialFilterExpression: { isDeleted: true, recordSystemId: { $exists: true } },
  },
);
leadSchema.index(
  { organizationId: 1, leadId: 1 },
  { name: 'leadId', unique: true, partialFilterExpression: { leadId: { $exists: true } } },
);
/** Serves the duplicate check, which reports the owner with the lowest number. */
leadSchema.index(
  { organizationId: 1, phoneKeys: 1, leadId: 1, _id: 1 },
  { name: 'phoneKeys', partialFilterExpression },
);
/** Serves the duplicate check for leads of other programs, whose phone keys may not be derived yet. */
leadSchema.index(
  { organizationId: 1, 'data.phoneNumber': 1, leadId: 1, _id: 1 },
  { name: 'phoneNumber', partialFilterExpression },
);
leadSchema.index(
  { organizationId: 1, 'data.phoneNumber2': 1, leadId: 1, _id: 1 },
  { name: 'phoneNumber2', partialFilterExpression },
);
leadSchema.index({ organizationId: 1, emailKey: 1 }, { name: 'emailKey', partialFilterExpression });
addChangeIndexes(leadSchema, { phoneKeysAt: 1 });
/** Copies read leads in the order of `_id`; with `isDeleted`, the server counts without reading documents. */
leadSchema.index({ organizationId: 1, isDeleted: 1, _id: 1 }, { name: 'byOrganization' });
leadSchema.index(
  { organizationId: 1, compoundsIds: 1, isDeleted: 1, _id: 1 },
  { name: 'ofCompound' },
);
leadSchema.index(
  { organizationId: 1, 'data.leadSource': 1, isDeleted: 1, _id: 1 },
  { name: 'ofSource', partialFilterExpression: { 'data.leadSource': { $exists: true } } },
);
leadSchema.index({ organizationId: 1, clientId: 1 }, { name: 'ofClient' });
/** Serves the background job across organizations: leads without comparison keys. */
leadSchema.index({ phoneKeysOf: 1, _id: 1 }, { name: 'withoutPhoneKeys', partialFilterExpression });
/** Lets the background job recognize writes of other programs by the index alone. */
leadSchema.index(
  { updatedAt: 1, phoneKeysAt: 1, isDeleted: 1, _id: 1 },
  { name: externallyChangedIndex, partialFilterExpression },
);
