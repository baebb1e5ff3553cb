import type { CountryCode } from 'libphonenumber-js';
import { foldCase } from '../../core/localization/fold-case.js';
import { scalarText } from '../../core/values/json.js';
import { allPhoneKeys, phonesOf } from './phone-number.js';

/** Identifies a person; empty values count as missing (rule LEAD-4). */
export interface Contact {
  readonly name?: string;
  readonly email?: string | undefined;
  readonly phones: readonly string[];
}

export function contactOf(data: Readonly<Record<string, unknown>>): Contact {
  const name = scalarText(data['name']);
  const { email } = data;
  return {
    ...(name.trim() === '' ? {} : { name }),
    ...(typeof email === 'string' && email !== '' ? { email } : {}),
    phones: phonesOf(data),
  };
}

/** Returns one key for each phone and one for the email, which all requests about the person share. */
export function lockKeysOf({ email, phones }: Contact, country: CountryCode): string[] {
  const lockKeys = phoneLockKeys(allPhoneKeys(phones, country));
  return email === undefined ? lockKeys : [...lockKeys, emailLockKey(email)];
}

/** Equal for all spellings of an address (rule LEAD-9); empty without one. */
export function emailKeyOf(data: Readonly<Record<string, unknown>> | null | undefined): string {
  const email = data?.['email'];
  return typeof email === 'string' ? foldCase(email) : '';
}

export function emailLockKey(email: string): string {
  return `email:${foldCase(email)}`;
}

export function phoneLockKeys(phoneKeys: readonly string[]): string[] {
  return phoneKeys.map((key) => `phone:${key}`);
}
