import type { CountryCode } from 'libphonenumber-js';
import { phoneKey, phonesOf } from '../../tenants/contacts/phone-number.js';
import type { LeadData, LeadDocument } from '../lead.schema.js';

export type DerivedPhones = Required<Pick<LeadDocument, 'phoneKeys' | 'phoneKeysOf'>>;

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

/** Returns the stored keys where they are right, which avoids parsing. */
export function storedPhones(
  { data, phoneKeys, phoneKeysOf }: Pick<LeadDocument, 'data' | 'phoneKeys' | 'phoneKeysOf'>,
  country: CountryCode,
): DerivedPhones {
  return Array.isArray(phoneKeys) && phoneKeysOf === originOf(phonesOf(data), country)
    ? { phoneKeys, phoneKeysOf }
    : derivedPhones(data, country);
}

/** Whether stored keys belong to the present phones; parses nothing. */
export function isDerived(
  { data, phoneKeysOf }: Pick<LeadDocument, 'data' | 'phoneKeysOf'>,
  country: CountryCode,
): boolean {
  return phoneKeysOf === originOf(phonesOf(data), country);
}

function originOf(phones: readonly string[], country: CountryCode): string {
  return JSON.stringify([country, ...phones]);
}
