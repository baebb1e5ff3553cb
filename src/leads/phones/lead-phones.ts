import type { CountryCode } from 'libphonenumber-js';
import { allPhoneKeys, phonesOf } from '../../tenants/contacts/phone-number.js';
import { phoneRule } from '../../tenants/contacts/phone-rule.js';
import type { LeadData, LeadDocument } from '../lead.schema.js';

export type PhoneKeys = Required<Pick<LeadDocument, 'phoneKeys' | 'phoneKeysOf'>>;

export function derivePhoneKeys(
  data: LeadData | null | undefined,
  country: CountryCode,
): PhoneKeys {
  const phones = phonesOf(data);
  return {
    phoneKeys: allPhoneKeys(phones, country),
    phoneKeysOf: phoneRule(country, phones),
  };
}

/** Reuses stored keys that match the phones and the country, because parsing phones is slow. */
export function currentPhoneKeys(
  { data, phoneKeys, phoneKeysOf }: Pick<LeadDocument, 'data' | 'phoneKeys' | 'phoneKeysOf'>,
  country: CountryCode,
): PhoneKeys {
  return Array.isArray(phoneKeys) && phoneKeysOf === phoneRule(country, phonesOf(data))
    ? { phoneKeys, phoneKeysOf }
    : derivePhoneKeys(data, country);
}

/** Compares only text; parsing phones would be slow. */
export function hasCurrentPhoneKeys(
  { data, phoneKeysOf }: Pick<LeadDocument, 'data' | 'phoneKeysOf'>,
  country: CountryCode,
): boolean {
  return phoneKeysOf === phoneRule(country, phonesOf(data));
}
