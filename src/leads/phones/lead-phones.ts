import type { CountryCode } from 'libphonenumber-js';
import { isPhone, type Phone, phoneKey } from '../../contacts/phone-number.js';
import type { LeadData, LeadDocument } from '../lead.schema.js';

/** The fields that the duplicate check keeps beside a lead's data. */
export type DerivedPhones = Required<Pick<LeadDocument, 'phoneKeys' | 'phoneKeysOf'>>;

/** The phones in a lead's data, without empty ones. */
export function phonesOf(data: LeadData | null | undefined): Phone[] {
  return [data?.['phoneNumber'], data?.['phoneNumber2']].filter(isPhone);
}

/** The derived fields for a lead's data; they differ exactly when phones or country do. */
export function derivedPhones(
  data: LeadData | null | undefined,
  country: CountryCode,
): DerivedPhones {
  const phones = phonesOf(data);
  return {
    phoneKeys: [...new Set(phones.map((phone) => phoneKey(phone, country)))],
    phoneKeysOf: JSON.stringify([country, ...phones]),
  };
}
