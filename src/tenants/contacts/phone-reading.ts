import { type CountryCode, parsePhoneNumberFromString, type PhoneNumber } from 'libphonenumber-js';
import { hasAtMost } from '../../core/values/text.js';

/** Strings with more characters are not phones (rule LEAD-4). */
export const maxPhoneLength = 64;

/** Fewer digits mean that there is no phone: `N/A`, `-`, `0`. */
export const phoneMinDigits = 5;

/** Characters that pasted numbers contain and that no number needs. */
const insertedCharacters =
  /[\p{Cf}\p{Variation_Selector}\u0640\p{Zs}\t\n\v\f\r\u0085\p{Zl}\p{Zp}\p{Dash}ー.．。․﹒·•‧∙⋅・･,،，、﹐٫٬_＿]/gu;

const extension = /(?:ext|[x#＃]|تحويلة|داخلي)\d{1,7}$/iu;
/** A shorter text before an extension is not a number of its own. */
const minDigitsBeforeExtension = 7;

const listSeparator = /[/／;；؛|｜\n\v\f\r\u0085\u2028\u2029]/u;

/** A spreadsheet appends `.0` to a number, and shortens a long one to `2.01E+11`, which many numbers share. */
const wholeFraction = /^(\d+)[.٫]0$/;
const scientificNotation = /^\d+[.,٫]\d+E\+\d+$/i;
const repeatedDigit = /^(\d)\1{7,}$/;

export function isPhone(text: string): boolean {
  return hasAtMost(maxPhoneLength, text) && digitsOf(text).length >= phoneMinDigits;
}

/** Converts the digits of all scripts to ASCII and drops everything else. */
export function digitsOf(text: string): string {
  return withAsciiDigits(text).replaceAll(/\D/g, '');
}

/**
 * Returns the comparison keys of a text: E.164 for each number that can be read, else digits; none for a text that is
 * no phone (rule LEAD-7). The only key of a key is the key itself.
 *
 * @param texts earlier texts, whose last key is `text`
 */
export function readPhoneKeys(
  text: string,
  country: CountryCode,
  texts: readonly string[] = [],
): readonly string[] {
  if (!isPhone(text)) return [];
  const sent = withAsciiDigits(text).trim();
  const first = parse(sent, country);
  // A complete number after a semicolon is the next one of a list and no extension.
  if (first?.isValid()) return (first.ext && numbersOfList(sent, country)) || [first.number];
  const whole = wholeFraction.exec(sent)?.[1];
  if (whole !== undefined) return readPhoneKeys(whole, country, texts);
  // Without its signs, `4.00000000E+00` would read as a number.
  if (scientificNotation.test(sent)) return [];
  const numbers = validNumbers(withoutInserted(sent), country) ?? numbersOfList(sent, country);
  if (numbers !== undefined) return numbers;
  if (isPlaceholder(sent)) return [];
  const key = keyOfInvalidNumber(sent, first, country);
  const seen = [...texts, text];
  // Parsing drops prefixes one after the other. If it ever came back to a text, all texts of the circle need one key.
  const circle = seen.includes(key) ? seen.slice(seen.indexOf(key)).toSorted() : [];
  return circle.length === 0 ? readPhoneKeys(key, country, seen) : circle.slice(0, 1);
}

function keyOfInvalidNumber(
  sent: string,
  first: PhoneNumber | undefined,
  country: CountryCode,
): string {
  const digits = digitsOf(sent);
  const read = [first, parse(digits, country)].flatMap((number) => number?.number ?? []);
  return read.find((key) => isPhone(key) && !isPlaceholder(key)) ?? digits;
}

function parse(text: string, country: CountryCode): PhoneNumber | undefined {
  return parsePhoneNumberFromString(text, country);
}

function validNumbers(text: string, country: CountryCode): [string] | undefined {
  const parsed = parse(text, country);
  return parsed?.isValid() ? [parsed.number] : undefined;
}

function numbersOfList(text: string, country: CountryCode): readonly string[] | undefined {
  const parts = text.split(listSeparator).filter((part) => part.trim() !== '');
  if (parts.length < 2) return undefined;
  const numbers = parts.map(
    (part) => validNumbers(part, country) ?? validNumbers(withoutInserted(part), country),
  );
  const isList = numbers.every((number) => number !== undefined);
  return isList ? [...new Set(numbers.flat())] : undefined;
}

function withoutInserted(text: string): string {
  const plain = text
    .replaceAll(insertedCharacters, '')
    .replaceAll(/[+＋]+/g, '+')
    .replace('00+', '+')
    .replace('+00', '+')
    .replace('+0', '0');
  const number = plain.replace(extension, '');
  return digitsOf(number).length >= minDigitsBeforeExtension ? number : plain;
}

function isPlaceholder(text: string): boolean {
  return scientificNotation.test(text) || repeatedDigit.test(digitsOf(text));
}

function withAsciiDigits(text: string): string {
  return text.replaceAll(/(?!\d)\p{Nd}/gu, asciiDigit);
}

/** Unicode has the digits of each script in a row that starts with zero, and some rows after each other. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let first = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1;
  return String((code - first) % 10);
}
