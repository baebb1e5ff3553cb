import { type ValueRules, type ValueRule, textRule } from './rule.js';

/** These limits count characters (rule HTTP-7). */
export const maxExternalIdLength = 1_024;
export const maxShortTextLength = 2_048;
const maxSlugLength = 400;

export const stringRule: ValueRule = {
  name: 'isString',
  isMet: (value) => typeof value === 'string',
};

/** Returns the strings of a stored value, which may have other items or not be a list. */
export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** The database changes or rejects null characters and lone surrogates in keys. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

export const storableRule = textRule('isStorableText', isStorableText);

/** Counts Unicode code points, as OpenAPI's `maxLength` does. */
export function maxLength(limit: number): ValueRule {
  // No code point has more than two code units.
  const fits = (text: string) =>
    text.length <= limit || (text.length <= 2 * limit && Array.from(text).length <= limit);
  return textRule('maxLength', fits, { limit });
}

const notEmpty = textRule('isNotEmpty', (value) => value !== '');

export const text: ValueRules = [
  stringRule,
  notEmpty,
  textRule('isStorableText', (value) => value.isWellFormed()),
];

/** Identifies a record of another system, exactly as sent (rule HTTP-7). */
export const externalId: ValueRules = [
  stringRule,
  notEmpty,
  maxLength(maxExternalIdLength),
  storableRule,
];

export const shortText: ValueRules = [
  stringRule,
  textRule('isNotEmpty', (value) => value.trim() !== ''),
  maxLength(maxShortTextLength),
  storableRule,
];

/** A slug is a segment of paths, so it must not contain a character that ends or changes a path. */
export const newSlug: ValueRules = [
  ...shortText,
  maxLength(maxSlugLength),
  textRule('isSlug', (value) => !/[\s\p{Cc}/\\?#%]/u.test(value) && !/^\.*$/.test(value)),
];

/** Requires absolute http or https: `javascript:` would run where the address is shown. */
export const httpUrl: ValueRules = [...shortText, { name: 'isWebAddress', isMet: isWebAddress }];

function isWebAddress(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  return ['http:', 'https:'].includes(new URL(value).protocol);
}

/** Every report of a cheque repeats its number, so it has to be short. */
export const maxChequeNumberLength = 256;

export const chequeNumber: ValueRules = [stringRule, maxLength(maxChequeNumberLength)];

/** The final dot is the root of the domain name system: both spellings are the same host. */
export function normalizedHost(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

export function isObjectId(value: string): boolean {
  return /^[0-9a-f]{24}$/i.test(value);
}

/** Splits at commas; `\,` is a comma within an item. */
export function splitList(list: string): string[] {
  return list.split(/(?<!\\),/).map((item) => item.replaceAll('\\,', ','));
}
