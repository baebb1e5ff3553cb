import type { ValueKind } from './rule.js';
import { shortText } from './text.js';

/** An absolute http or https address: others, such as `javascript:`, would run where it is shown. */
export const webAddress: ValueKind = [...shortText, { name: 'isWebAddress', isMet: isWebAddress }];

function isWebAddress(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  return ['http:', 'https:'].includes(new URL(value).protocol);
}
