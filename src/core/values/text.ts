import { type ValueKind, type Rule, textRule } from './rule.js';

/** Longest external id in characters (rule HTTP-7). */
export const externalIdLimit = 1_024;
/** Longest short text in characters. */
export const shortTextLimit = 2_048;
/** Longest slug in characters. */
const slugLimit = 400;

/** A text of any content. */
export const string: Rule = { name: 'isString', isMet: (value) => typeof value === 'string' };

/** The texts of a list that another program may have stored; none where it is no list. */
export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Whether a text survives storage as a key unchanged: no null character, no lone surrogate. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** A text for which {@link isStorableText} holds. */
export const storable = textRule('isStorableText', isStorableText);

/** Counts Unicode code points, as OpenAPI's `maxLength` does: most emoji are one. */
export function maxLength(limit: number): Rule {
  // No code point has more than two code units.
  const fits = (text: string) =>
    text.length <= limit || (text.length <= 2 * limit && Array.from(text).length <= limit);
  return textRule('maxLength', fits, { limit });
}

const notEmpty = textRule('isNotEmpty', (value) => value !== '');

/** A text, kept as sent. */
export const text: ValueKind = [
  string,
  notEmpty,
  textRule('isStorableText', (value) => value.isWellFormed()),
];

/** The id of something in an outside system, used exactly as sent (rule HTTP-7). */
export const externalId: ValueKind = [string, notEmpty, maxLength(externalIdLimit), storable];

/** A name or another text of one line of the catalogue, kept as sent. */
export const shortText: ValueKind = [
  string,
  textRule('isNotEmpty', (value) => value.trim() !== ''),
  maxLength(shortTextLimit),
  storable,
];

/** A slug that a document may be given: one part of a path, whoever writes or reads the path. */
export const newSlug: ValueKind = [
  ...shortText,
  maxLength(slugLimit),
  textRule('isSlug', (value) => !/[\s\p{Cc}/\\?#%]/u.test(value) && !/^\.*$/.test(value)),
];

/** An absolute http or https address: others, such as `javascript:`, would run where it is shown. */
export const webAddress: ValueKind = [...shortText, { name: 'isWebAddress', isMet: isWebAddress }];

function isWebAddress(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  return ['http:', 'https:'].includes(new URL(value).protocol);
}

/** Longest number of a cheque: every report is kept, and has to stay small. */
export const chequeNumberLimit = 256;

export const chequeNumber: ValueKind = [string, maxLength(chequeNumberLimit)];

/** Whether a text is the 24 hexadecimal digits of an ObjectId, in either case. */
export function isObjectId(value: string): boolean {
  return /^[0-9a-f]{24}$/i.test(value);
}

/** The items of a list that is separated by commas; a comma inside of one is written `\,`. */
export function listItems(list: string): string[] {
  return list.split(/(?<!\\),/).map((item) => item.replaceAll('\\,', ','));
}
