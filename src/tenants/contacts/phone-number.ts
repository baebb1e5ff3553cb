import { type CountryCode, parsePhoneNumberFromString, type PhoneNumber } from 'libphonenumber-js';
import { LRUCache } from 'lru-cache';
import { isValid } from '../../core/values/rule.js';
import { maxLength } from '../../core/values/text.js';
import { scalarText } from '../../core/values/json.js';

/** Strings with more characters are not phones (rule LEAD-4). */
export const maxPhoneLength = 64;

/** Fewer digits mean that there is no phone: `N/A`, `-`, `0`. */
export const phoneMinDigits = 5;

export const maxCachedPhones = 10_000;

interface ParsedPhone {
  readonly parsed: PhoneNumber | undefined;
  readonly key: string;
  spellings?: readonly (string | number)[];
}

/** Parsing is slow, and one request compares a phone many times. */
const phoneCache = new LRUCache<string, ParsedPhone>({ max: maxCachedPhones });

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

export function isPhone(text: string): boolean {
  return isValid([maxLength(maxPhoneLength)], text) && digitsOf(text).length >= phoneMinDigits;
}

/** All spellings of a phone have the same key: E.164, else the digits, else the whole string (rule LEAD-7). */
export function phoneKey(phone: string, country: CountryCode): string {
  return readPhone(phone, country).key;
}

/** Other programs store phones as sent, in E.164, national, with the exit code, or as integers. */
export function phoneFormats(phone: string, country: CountryCode): readonly (string | number)[] {
  const known = readPhone(phone, country);
  return (known.spellings ??= listSpellings(phone, known));
}

function listSpellings(phone: string, { parsed }: ParsedPhone): (string | number)[] {
  const texts = [phone, digitsOf(phone)];
  if (parsed !== undefined) {
    const national = parsed.formatNational();
    const plain = parsed.number.slice(1);
    texts.push(parsed.number, plain, `00${plain}`, parsed.formatInternational());
    texts.push(national, digitsOf(national), parsed.nationalNumber);
  }
  const distinct = [...new Set(texts)].filter((spelling) => spelling !== '');
  return [...distinct, ...new Set(distinct.flatMap(asInteger))];
}

function readPhone(phone: string, country: CountryCode): ParsedPhone {
  if (phone.length > maxPhoneLength) return parsePhone(phone, country);
  const name = `${country} ${phone}`;
  const known = phoneCache.get(name);
  if (known !== undefined) return known;
  const parsed = parsePhone(phone, country);
  phoneCache.set(name, parsed);
  return parsed;
}

function parsePhone(phone: string, country: CountryCode): ParsedPhone {
  const parsed = parsePhoneNumberFromString(phone, country);
  return { parsed, key: parsed?.number ?? (digitsOf(phone) || phone) };
}

/** Converts Arabic, Persian and full-width digits. */
function digitsOf(text: string): string {
  return text
    .replaceAll(/[^\d\u0660-\u0669\u06f0-\u06f9\uff10-\uff19]/g, '')
    .replaceAll(/\D/g, asciiDigit);
}

/** Digits of each script start at a multiple of 16. */
function asciiDigit(digit: string): string {
  return String(digit.charCodeAt(0) % 16);
}

function asInteger(text: string): number[] {
  const number = Number(text);
  return /^\d+$/.test(text) && Number.isSafeInteger(number) ? [number] : [];
}
