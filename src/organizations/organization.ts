import type { CountryCode } from 'libphonenumber-js';
import type { Types } from 'mongoose';
import {
  type ClientMatchField,
  clientMatchFields,
  type OrganizationDocument,
} from './organization.schema.js';

export { clientMatchFields };

/** Whose national phone numbers are understood where an organization has not chosen a country. */
export const defaultCountry = 'EG';

/** A tenant with all its settings decided (rule DATA-3). */
export interface Organization {
  readonly _id: Types.ObjectId;
  readonly name: string;
  readonly apiDomain: string | undefined;
  readonly allowConflictLeads: boolean;
  /** Country whose national spelling of a phone number is understood. */
  readonly phoneCountry: CountryCode;
  readonly clients: {
    readonly createFromLeads: boolean;
    readonly updateExisting: boolean;
    readonly matchBy: readonly ClientMatchField[];
  };
}

/** The stored settings, with defaults for those that are missing. */
export function toOrganization(document: OrganizationDocument): Organization {
  const { settings } = document;
  return {
    _id: document._id,
    name: document.name ?? '',
    apiDomain: document.apiDomain,
    allowConflictLeads: settings?.allowConflictLeads ?? false,
    phoneCountry: (settings?.phoneCountry ?? defaultCountry) as CountryCode,
    clients: {
      createFromLeads: settings?.clients?.createFromLeads ?? true,
      updateExisting: settings?.clients?.updateExisting ?? true,
      matchBy: settings?.clients?.matchBy ?? clientMatchFields,
    },
  };
}
