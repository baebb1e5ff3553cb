import type { CountryCode } from 'libphonenumber-js';
import { isPhone, type Phone, phoneKey } from './phone-number.js';

/** What identifies a person in a lead's data; an empty value counts as none (rule LEAD-4). */
export interface Contact {
  readonly name?: string;
  readonly email?: string;
  readonly phones: readonly Phone[];
}

/** Reads the contact out of a lead's data, which other programs may have filled with anything. */
export function contactOf(data: Readonly<Record<string, unknown>>): Contact {
  const { name, email, phoneNumber, phoneNumber2 } = data;
  return {
    ...(isText(name) ? { name } : {}),
    ...(isText(email) ? { email } : {}),
    phones: [phoneNumber, phoneNumber2].filter(isPhone),
  };
}

/**
 * What concurrent requests about the same person have in common: one key for each phone and one
 * for the email.
 */
export function contentionKeys({ email, phones }: Contact, country: CountryCode): string[] {
  const phoneKeys = phones.map((phone) => `phone:${phoneKey(phone, country)}`);
  return email === undefined ? phoneKeys : [...phoneKeys, `email:${email.toLowerCase()}`];
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
