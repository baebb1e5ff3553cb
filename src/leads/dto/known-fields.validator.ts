import { isEmail } from 'class-validator';
import type { ValueKind, Rule } from '../../values/rule.js';

/**
 * The known keys of a lead's `data` (rule LEAD-4): texts or null, phones also integers, an email
 * that is not empty valid. Objects in their place would reach database queries.
 */
export const knownFields: ValueKind = [
  ...['name', 'email', 'project', 'leadSource'].map((key) =>
    keyRule(key, 'isStringOrNull', `data.${key}`, isTextOrNull),
  ),
  ...['phoneNumber', 'phoneNumber2'].map((key) =>
    keyRule(key, 'isPhoneOrNull', `data.${key}`, isPhoneOrNull),
  ),
  keyRule('email', 'isEmail', 'email', isNoTextOrEmail),
];

function keyRule(
  key: string,
  name: string,
  property: string,
  isMet: (value: unknown) => boolean,
): Rule {
  return {
    name,
    isMet: (data) =>
      typeof data !== 'object' || data === null || isMet((data as Record<string, unknown>)[key]),
    values: { property },
  };
}

function isTextOrNull(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'string';
}

function isPhoneOrNull(value: unknown): boolean {
  return isTextOrNull(value) || Number.isSafeInteger(value);
}

function isNoTextOrEmail(value: unknown): boolean {
  return typeof value !== 'string' || value === '' || isEmail(value);
}
