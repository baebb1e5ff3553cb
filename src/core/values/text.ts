import { type ValueKind, type Rule, textRule } from './rule.js';

/** The unit is a character (rule HTTP-7). */
export const maxExternalIdLength = 1_024;
export const maxShortTextLength = 2_048;
const maxSlugLength = 400;

export const string: Rule = { name: 'isString', isMet: (value) => typeof value === 'string' };

/** The texts of a stored list, which may have other items or be no list. */
export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** The database would change or refuse a null character or a lone surrogate in a key. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

export const storable = textRule('isStorableText', isStorableText);

/** The limit counts Unicode code points, as OpenAPI's `maxLength` does. */
export function maxLength(limit: number): Rule {
  // No code point has more than two code units.
  const fits = (text: string) =>
    text.length <= limit || (text.length <= 2 * limit && Array.from(text).length <= limit);
  return textRule('maxLength', fits, { limit });
}

const notEmpty = textRule('isNotEmpty', (value) => value !== '');

export const text: ValueKind = [
  string,
  notEmpty,
  textRule('isStorableText', (value) => value.isWellFormed()),
];

/** An id of another system, used exactly as sent (rule HTTP-7). */
export const externalId: ValueKind = [string, notEmpty, maxLength(maxExternalIdLength), storable];

export const shortText: ValueKind = [
  string,
  textRule('isNotEmpty', (value) => value.trim() !== ''),
  maxLength(maxShortTextLength),
  storable,
];

/** One segment of a path in any encoding. */
export const newSlug: ValueKind = [
  ...shortText,
  maxLength(maxSlugLength),
  textRule('isSlug', (value) => !/[\s\p{Cc}/\\?#%]/u.test(value) && !/^\.*$/.test(value)),
];

/** Absolute http or https: `javascript:` would run where the address is shown. */
export const httpUrl: ValueKind = [...shortText, { name: 'isWebAddress', isMet: isWebAddress }];

function isWebAddress(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  return ['http:', 'https:'].includes(new URL(value).protocol);
}

/** Every report of a cheque is stored, so it has to stay small. */
export const maxChequeNumberLength = 256;

export const chequeNumber: ValueKind = [string, maxLength(maxChequeNumberLength)];

export function isObjectId(value: string): boolean {
  return /^[0-9a-f]{24}$/i.test(value);
}

/** Separated by commas; `\,` is a comma within an item. */
export function listItems(list: string): string[] {
  return list.split(/(?<!\\),/).map((item) => item.replaceAll('\\,', ','));
}
