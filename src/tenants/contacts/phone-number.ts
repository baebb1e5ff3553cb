import { type CountryCode, parsePhoneNumberFromString, type PhoneNumber } from 'libphonenumber-js';
import { LRUCache } from 'lru-cache';
import { isValid } from '../../core/values/rule.js';
import { maxLength } from '../../core/values/text.js';
import { scalarText } from '../../core/values/scalar.js';

/** Longest text that is a phone, in characters (rule LEAD-4). */
export const phoneLimit = 64;

/** Fewer digits are no phone but a word for none: `N/A`, `-`, `0`. */
export const phoneMinDigits = 5;

/** How many phones are kept with what they were read as. */
export const keptPhonesLimit = 10_000;

/** What a text was read as, and the spellings of that once they were asked for. */
interface ReadPhone {
  readonly parsed: PhoneNumber | undefined;
  readonly key: string;
  spellings?: readonly (string | number)[];
}

/** One request compares a phone many times, and reading one takes longer than all of that. */
const readPhones = new LRUCache<string, ReadPhone>({ max: keptPhonesLimit });

/** How many phones are kept now. */
export function keptPhones(): number {
  return readPhones.size;
}

/** Forgets all of them: a person's number must not stay for as long as a process runs (rule LEAD-15). */
export function forgetPhones(): void {
  readPhones.clear();
}

/** The phones in a lead's data, as text (rule LEAD-7). */
export function phonesOf(data: Readonly<Record<string, unknown>> | null | undefined): string[] {
  return [data?.['phoneNumber'], data?.['phoneNumber2']].map(scalarText).filter(isPhone);
}

/** Whether a text is a phone and not the absence of one. */
export function isPhone(text: string): boolean {
  return isValid([maxLength(phoneLimit)], text) && digitsOf(text).length >= phoneMinDigits;
}

/**
 * What two phones have in common when they are the same number: its E.164 form, or its digits where
 * it does not parse, or the text itself where it has none (rule LEAD-7).
 *
 * @param country whose national spelling is understood
 */
export function phoneKey(phone: string, country: CountryCode): string {
  return read(phone, country).key;
}

/**
 * The spellings under which other programs may have stored a number: as sent, E.164 and national
 * with and without separators, with the exit code, and as an integer.
 */
export function usualSpellings(phone: string, country: CountryCode): readonly (string | number)[] {
  const known = read(phone, country);
  return (known.spellings ??= spellingsOf(phone, known));
}

function spellingsOf(phone: string, { parsed }: ReadPhone): (string | number)[] {
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

function read(phone: string, country: CountryCode): ReadPhone {
  // Other programs may store texts of any length as phones.
  if (phone.length > phoneLimit) return parse(phone, country);
  const name = `${country} ${phone}`;
  const known = readPhones.get(name);
  if (known !== undefined) return known;
  const parsed = parse(phone, country);
  readPhones.set(name, parsed);
  return parsed;
}

function parse(phone: string, country: CountryCode): ReadPhone {
  const parsed = parsePhoneNumberFromString(phone, country);
  return { parsed, key: parsed?.number ?? (digitsOf(phone) || phone) };
}

/** ASCII digits of a text that may be written in Arabic, Persian or full-width ones. */
function digitsOf(text: string): string {
  return text
    .replaceAll(/[^\d\u0660-\u0669\u06f0-\u06f9\uff10-\uff19]/g, '')
    .replaceAll(/\D/g, asciiDigit);
}

/** Each of these scripts has its digits from a multiple of 16 on. */
function asciiDigit(digit: string): string {
  return String(digit.charCodeAt(0) % 16);
}

function asInteger(text: string): number[] {
  const number = Number(text);
  return /^\d+$/.test(text) && Number.isSafeInteger(number) ? [number] : [];
}
