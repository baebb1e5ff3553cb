import { type CountryCode, isSupportedCountry } from 'libphonenumber-js';
import { type ClientMatchField, clientMatchFields } from './client-match-fields.js';
import type { OrganizationDocument } from './organization.schema.js';

export const defaultCountry: CountryCode = 'EG';

/** All settings have values (rule DATA-3). */
export type Organization = ReturnType<typeof toOrganization>;

/** @param code ISO 3166 alpha-2 in any case */
export function parseCountry(code: string): CountryCode | null {
  const upper = code.trim().toUpperCase();
  return isSupportedCountry(upper) ? upper : null;
}

export function toOrganization(document: OrganizationDocument) {
  const { settings } = document;
  return {
    _id: document._id,
    name: document.name ?? '',
    apiDomain: document.apiDomain,
    allowConflictLeads: settings?.allowConflictLeads ?? false,
    ...phoneCountryOf(settings?.phoneCountry ?? ''),
    clients: {
      createFromLeads: settings?.clients?.createFromLeads ?? true,
      updateExisting: settings?.clients?.updateExisting ?? true,
      matchBy: (settings?.clients?.matchBy ?? clientMatchFields).filter(isMatchField),
    },
  };
}

function phoneCountryOf(stored: string) {
  const country = parseCountry(stored);
  return {
    phoneCountry: country ?? defaultCountry,
    /** An invalid stored country, which the default replaces. */
    unknownPhoneCountry: country === null && stored !== '' ? stored : null,
  };
}

function isMatchField(field: string): field is ClientMatchField {
  return clientMatchFields.includes(field as ClientMatchField);
}
