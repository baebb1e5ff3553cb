import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js';
import { LRUCache } from 'lru-cache';
import { scalarText } from '../../core/values/json.js';
import { digitsOf, isPhone, maxPhoneLength, readPhoneKeys } from './phone-reading.js';

export const maxCachedPhones = 10_000;

interface KnownPhone {
  readonly keys: readonly string[];
  spellings?: readonly (string | number)[];
}

/** Parsing is slow, and one request compares a phone many times. */
const phoneCache = new LRUCache<string, KnownPhone>({ max: maxCachedPhones });

export function cachedPhoneCount(): number {
  return phoneCache.size;
}

/** A process must not keep a person's number in memory for its lifetime (rule LEAD-15). */
export function clearPhoneCache(): void {
  phoneCache.clear();
}

export function phonesOf(data: Readonly<Record<string, unknown>> | null | undefined): string[] {
  return [data?.['phoneNumber'], data?.['phoneNumber2']].map(scalarText).filter(isPhone);
}

/** All spellings of a phone have the same keys; a list of numbers has several, and a placeholder none (rule LEAD-7). */
export function phoneKeys(phone: string, country: CountryCode): readonly string[] {
  return knownPhone(phone, country).keys;
}

export function allPhoneKeys(phones: readonly string[], country: CountryCode): string[] {
  return [...new Set(phones.flatMap((phone) => phoneKeys(phone, country)))];
}

/** Other programs store phones as sent, in E.164, national, with the exit code, or as integers. */
export function phoneFormats(phone: string, country: CountryCode): readonly (string | number)[] {
  const known = knownPhone(phone, country);
  return (known.spellings ??= listSpellings(phone, known));
}

function listSpellings(phone: string, { keys }: KnownPhone): (string | number)[] {
  const texts = [phone, digitsOf(phone), ...keys.flatMap(numberFormats)];
  const distinct = [...new Set(texts)].filter((spelling) => spelling !== '');
  return [...distinct, ...new Set(distinct.flatMap(asInteger))];
}

function numberFormats(key: string): string[] {
  const number = parsePhoneNumberFromString(key);
  if (number === undefined) return [key];
  const national = number.formatNational();
  const plain = key.slice(1);
  const international = [key, plain, `00${plain}`, number.formatInternational()];
  return [...international, national, digitsOf(national), number.nationalNumber];
}

function knownPhone(phone: string, country: CountryCode): KnownPhone {
  if (phone.length > maxPhoneLength) return { keys: readPhoneKeys(phone, country) };
  const name = `${country} ${phone}`;
  const known = phoneCache.get(name);
  if (known !== undefined) return known;
  const read = { keys: readPhoneKeys(phone, country) };
  phoneCache.set(name, read);
  return read;
}

function asInteger(text: string): number[] {
  const number = Number(text);
  return /^\d+$/.test(text) && Number.isSafeInteger(number) ? [number] : [];
}
