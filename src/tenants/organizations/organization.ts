import { type CountryCode, isSupportedCountry } from 'libphonenumber-js';
import { type ClientMatchField, clientMatchFields } from './client-match-fields.js';
import { asText } from '../../core/values/text.js';
import type { OrganizationDocument } from './organization.schema.js';

export const defaultCountry: CountryCode = 'EG';

/** All settings have values (rule DATA-3). */
export type Organization = ReturnType<typeof toOrganization>;

/** @param code ISO 3166 alpha-2 in any case */
export function parseCountry(code: string): CountryCode | null {
  const upper = code.trim().toUpperCase();
  return isSupportedCountry(upper) ? upper : null;
}

/** A setting of another type counts as missing, so that it fails no request. */
export function toOrganization(document: OrganizationDocument) {
  const { settings } = document;
  const { clients } = settings ?? {};
  const matchBy: readonly unknown[] = Array.isArray(clients?.matchBy)
    ? clients.matchBy
    : clientMatchFields;
  return {
    _id: document._id,
    name: asText(document.name),
    apiDomain: asText(document.apiDomain) || undefined,
    allowConflictLeads: settings?.allowConflictLeads === true,
    ...phoneCountryOf(asText(settings?.phoneCountry)),
    clients: {
      createFromLeads: clients?.createFromLeads !== false,
      updateExisting: clients?.updateExisting !== false,
      matchBy: matchBy.filter(isMatchField),
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

function isMatchField(field: unknown): field is ClientMatchField {
  return clientMatchFields.includes(field as ClientMatchField);
}
