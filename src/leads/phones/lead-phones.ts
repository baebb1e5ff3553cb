import type { CountryCode } from 'libphonenumber-js';
import { phoneKey, phonesOf } from '../../tenants/contacts/phone-number.js';
import type { LeadData, LeadDocument } from '../lead.schema.js';

export type PhoneKeys = Required<Pick<LeadDocument, 'phoneKeys' | 'phoneKeysOf'>>;

export function derivePhoneKeys(
  data: LeadData | null | undefined,
  country: CountryCode,
): PhoneKeys {
  const phones = phonesOf(data);
  return {
    phoneKeys: [...new Set(phones.map((phone) => phoneKey(phone, country)))],
    phoneKeysOf: phoneKeysSource(phones, country),
  };
}

/** Reuses stored keys that match the phones and the country, because parsing phones is slow. */
export function currentPhoneKeys(
  { data, phoneKeys, phoneKeysOf }: Pick<LeadDocument, 'data' | 'phoneKeys' | 'phoneKeysOf'>,
  country: CountryCode,
): PhoneKeys {
  return Array.isArray(phoneKeys) && phoneKeysOf === phoneKeysSource(phonesOf(data), country)
    ? { phoneKeys, phoneKeysOf }
    : derivePhoneKeys(data, country);
}

/** Compares only text; parsing phones would be slow. */
export function hasCurrentPhoneKeys(
  { data, phoneKeysOf }: Pick<LeadDocument, 'data' | 'phoneKeysOf'>,
  country: CountryCode,
): boolean {
  return phoneKeysOf === phoneKeysSource(phonesOf(data), country);
}

function phoneKeysSource(phones: readonly string[], country: CountryCode): string {
  return JSON.stringify([country, ...phones]);
}
