import { Schema, type Types } from 'mongoose';
import type { FieldChange } from './field-changes.js';

/** What was done to a lead (section 1, item 5). */
export type ChangeContext =
  'External Lead Create' | 'External Lead Update' | 'External Lead Delete';

/** A document of `changeLogs`. */
export interface ChangeLogDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  entity: 'Lead';
  entityId: Types.ObjectId;
  context: ChangeContext;
  modifier: 'External API';
  source: 'API';
  changes: readonly FieldChange[];
  createdAt: Date;
  updatedAt: Date;
}

/** Collection `changeLogs`. */
export const changeLogSchema = new Schema<ChangeLogDocument>(
  {
    organizationId: { type: Schema.Types.ObjectId, required: true },
    entity: String,
    entityId: Schema.Types.ObjectId,
    context: String,
    modifier: String,
    source: String,
    changes: [{ _id: false, field: String, from: {}, to: {} }],
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'changeLogs' },
);

/** Serves the history of one record, oldest first. */
changeLogSchema.index(
  { organizationId: 1, entityId: 1, createdAt: 1 },
  { name: 'historyOfEntity' },
);
