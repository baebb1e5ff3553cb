import { Schema } from 'mongoose';
import type { DeletableDocument } from '../database/documents/tenant-document.js';
import { caseInsensitive } from '../localization/fold-case.js';

/** A document of `clients`: a person who may have many leads. */
export interface ClientDocument extends DeletableDocument {
  name?: string;
  email?: string;
  /** E.164 where the number parses. */
  phoneNumbers: string[];
}

/** Collection `clients`. */
export const clientSchema = new Schema<ClientDocument>(
  {
    organizationId: { type: Schema.Types.ObjectId, required: true },
    name: String,
    email: String,
    phoneNumbers: [String],
    isDeleted: { type: Boolean, required: true },
    deletedAt: Date,
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'clients' },
);

const notDeleted = { partialFilterExpression: { isDeleted: false } };

/** Serves matching a lead to a client by phone. */
clientSchema.index({ organizationId: 1, phoneNumbers: 1 }, { name: 'byPhone', ...notDeleted });
/** Serves matching a lead to a client by email, in any case. */
clientSchema.index(
  { organizationId: 1, email: 1 },
  { name: 'byEmail', collation: caseInsensitive, ...notDeleted },
);
