import { isValid, type ValueKind } from './rule.js';
import { shortText } from './text.js';

/** An absolute URL of any scheme. */
export const url: ValueKind = [
  ...shortText,
  { name: 'isUrl', isMet: (value) => typeof value === 'string' && URL.canParse(value) },
];

/** Whether a text is an http or https address. */
export function isHttpAddress(text: string): boolean {
  return isValid(url, text) && /^https?:$/.test(new URL(text).protocol);
}
