import { isEmail } from 'class-validator';
import { phoneLimit } from '../../tenants/contacts/phone-number.js';
import { isValid, type ValueKind, type Rule } from '../../core/values/rule.js';
import { isScalar } from '../../core/values/scalar.js';
import { maxLength } from '../../core/values/text.js';
import { knownDataKeys } from '../lead-merge.js';

/**
 * The known keys of a lead's `data` (rule LEAD-4): scalars or null, an email that is a text and not
 * empty valid. Objects in their place would reach database queries.
 */
export const knownFields: ValueKind = [
  ...knownDataKeys.map((key) => keyRule(key, 'isScalarOrNull', `data.${key}`, isScalarOrNone)),
  ...['phoneNumber', 'phoneNumber2'].map((key) => ({
    ...keyRule(key, 'maxLength', `data.${key}`, isShortPhone),
    values: { property: `data.${key}`, limit: phoneLimit },
  })),
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

function isScalarOrNone(value: unknown): boolean {
  return value === undefined || value === null || isScalar(value);
}

function isNoTextOrEmail(value: unknown): boolean {
  return typeof value !== 'string' || value === '' || isEmail(value);
}

function isShortPhone(value: unknown): boolean {
  return isValid([maxLength(phoneLimit)], value);
}
