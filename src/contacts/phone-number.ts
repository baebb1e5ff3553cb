import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js';
import { isValid } from '../values/rule.js';
import { maxLength } from '../values/text.js';
import { scalarText } from '../values/scalar.js';

/** Longest text that is a phone, in characters (rule LEAD-4). */
export const phoneLimit = 64;

/** Fewer digits are no phone but a word for none: `N/A`, `-`, `0`. */
const minDigits = 5;

/** The phones in a lead's data, as text (rule LEAD-7). */
export function phonesOf(data: Readonly<Record<string, unknown>> | null | undefined): string[] {
  return [data?.['phoneNumber'], data?.['phoneNumber2']].map(scalarText).filter(isPhone);
}

/** Whether a text is a phone and not the absence of one. */
function isPhone(text: string): boolean {
  return isValid([maxLength(phoneLimit)], text) && digitsOf(text).length >= minDigits;
}

/**
 * What two phones have in common when they are the same number: its E.164 form, or its digits where
 * it does not parse, or the text itself where it has none (rule LEAD-7).
 *
 * @param country whose national spelling is understood
 */
export function phoneKey(phone: string, country: CountryCode): string {
  return parse(phone, country)?.number ?? (digitsOf(phone) || phone);
}

/**
 * The spellings under which other programs may have stored a number: as sent, E.164 and national
 * with and without separators, with the exit code, and as an integer.
 */
export function usualSpellings(phone: string, country: CountryCode): (string | number)[] {
  const parsed = parse(phone, country);
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

function parse(text: string, country: CountryCode) {
  return parsePhoneNumberFromString(text, country);
}

/** ASCII digits of a text that may be written in Arabic or Persian ones. */
function digitsOf(text: string): string {
  return Array.from(text, digitOf).join('');
}

function digitOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  for (const zero of [0x30, 0x660, 0x6f0]) {
    if (code >= zero && code <= zero + 9) return String(code - zero);
  }
  return '';
}

function asInteger(text: string): number[] {
  const number = Number(text);
  return /^\d+$/.test(text) && Number.isSafeInteger(number) ? [number] : [];
}
