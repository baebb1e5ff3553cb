import type { CountryCode } from 'libphonenumber-js';
import { foldCase } from '../../core/localization/fold-case.js';
import { scalarText } from '../../core/values/scalar.js';
import { phoneKey, phonesOf } from './phone-number.js';

/** What identifies a person in a lead's data; an empty value counts as none (rule LEAD-4). */
export interface Contact {
  readonly name?: string;
  readonly email?: string | undefined;
  readonly phones: readonly string[];
}

/** Reads the contact out of a lead's data, which other programs may have filled with anything. */
export function contactOf(data: Readonly<Record<string, unknown>>): Contact {
  const name = scalarText(data['name']);
  const { email } = data;
  return {
    ...(name.trim() === '' ? {} : { name }),
    ...(typeof email === 'string' && email !== '' ? { email } : {}),
    phones: phonesOf(data),
  };
}

/**
 * What concurrent requests about the same person have in common: one key for each phone and one
 * for the email.
 */
export function contentionKeys({ email, phones }: Contact, country: CountryCode): string[] {
  const claims = phoneClaims(phones.map((phone) => phoneKey(phone, country)));
  return email === undefined ? claims : [...claims, `email:${foldCase(email)}`];
}

/** The contention keys of phones, of which the comparison keys are known. */
export function phoneClaims(phoneKeys: readonly string[]): string[] {
  return phoneKeys.map((key) => `phone:${key}`);
}
