import { Schema, type Types } from 'mongoose';

/** What a client record is looked up by. */
export const clientMatchFields = ['phone', 'email'] as const;
export type ClientMatchField = (typeof clientMatchFields)[number];

/** How an organization wants its leads and clients handled; what is missing has a default. */
export interface OrganizationSettings {
  allowConflictLeads?: boolean;
  phoneCountry?: string;
  clients?: {
    createFromLeads?: boolean;
    updateExisting?: boolean;
    matchBy?: ClientMatchField[];
  };
}

/** A document of `organizations`, the tenants. */
export interface OrganizationDocument {
  _id: Types.ObjectId;
  name: string;
  logo?: string;
  apiDomain?: string;
  isDeleted: boolean;
  deletedAt?: Date;
  settings?: OrganizationSettings;
  createdAt: Date;
  updatedAt: Date;
}

/** Collection `organizations`. */
export const organizationSchema = new Schema<OrganizationDocument>(
  {
    name: String,
    logo: String,
    apiDomain: String,
    isDeleted: { type: Boolean, required: true },
    deletedAt: Date,
    settings: {
      allowConflictLeads: Boolean,
      phoneCountry: String,
      clients: { createFromLeads: Boolean, updateExisting: Boolean, matchBy: [String] },
    },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'organizations' },
);

/** Serves the operator's look-up of an organization by its API domain. */
organizationSchema.index({ apiDomain: 1 }, { name: 'apiDomain' });
