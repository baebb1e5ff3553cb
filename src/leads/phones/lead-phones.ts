import type { CountryCode } from 'libphonenumber-js';
import { phoneKey, phonesOf } from '../../tenants/contacts/phone-number.js';
import type { LeadData, LeadDocument } from '../lead.schema.js';

/** The fields that the duplicate check stores in addition to a lead's data. */
export type DerivedPhones = Required<Pick<LeadDocument, 'phoneKeys' | 'phoneKeysOf'>>;

/** The derived fields for a lead's data; they differ exactly when phones or country do. */
export function derivedPhones(
  data: LeadData | null | undefined,
  country: CountryCode,
): DerivedPhones {
  const phones = phonesOf(data);
  return {
    phoneKeys: [...new Set(phones.map((phone) => phoneKey(phone, country)))],
    phoneKeysOf: originOf(phones, country),
  };
}

/** As {@link derivedPhones}, without parsing a phone where what is stored was derived from the data. */
export function storedPhones(
  { data, phoneKeys, phoneKeysOf }: Pick<LeadDocument, 'data' | 'phoneKeys' | 'phoneKeysOf'>,
  country: CountryCode,
): DerivedPhones {
  return Array.isArray(phoneKeys) && phoneKeysOf === originOf(phonesOf(data), country)
    ? { phoneKeys, phoneKeysOf }
    : derivedPhones(data, country);
}

/** Whether what is stored was derived from a lead's data as it is; judged without parsing a phone. */
export function isDerived(
  { data, phoneKeysOf }: Pick<LeadDocument, 'data' | 'phoneKeysOf'>,
  country: CountryCode,
): boolean {
  return phoneKeysOf === originOf(phonesOf(data), country);
}

/** All that the comparison keys of phones follow from. */
function originOf(phones: readonly string[], country: CountryCode): string {
  return JSON.stringify([country, ...phones]);
}
