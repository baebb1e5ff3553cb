/** These limits count characters (rule HTTP-7). */
export const maxExternalIdLength = 1_024;
export const maxShortTextLength = 2_048;
export const maxSlugLength = 400;

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Returns the strings of a stored value, which may have other items or not be a list. */
export function asTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** The database changes or refuses null characters and lone surrogates in keys. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Counts Unicode code points, as OpenAPI's `maxLength` does. */
export function hasAtMost(limit: number, text: string): boolean {
  // No code point has more than two code units.
  return text.length <= limit || (text.length <= 2 * limit && Array.from(text).length <= limit);
}

/** Identifies a record of another system, exactly as sent (rule HTTP-7). */
export function isExternalId(value: unknown): value is string {
  const isText = typeof value === 'string' && value !== '';
  return isText && hasAtMost(maxExternalIdLength, value) && isStorableText(value);
}

export function isVisibleText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && isStorableText(value);
}

export function isShortText(value: unknown): value is string {
  return isVisibleText(value) && hasAtMost(maxShortTextLength, value);
}

/** A slug is a segment of paths, so it must not contain a character that ends or changes a path. */
export function isPathSegment(text: string): boolean {
  return !/[\s\p{Cc}/\\?#%]/u.test(text) && !/^\.*$/.test(text);
}

/** Requires absolute http or https: `javascript:` would run where the address is shown. */
export function isWebAddress(value: unknown): value is string {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  return ['http:', 'https:'].includes(new URL(value).protocol);
}

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
