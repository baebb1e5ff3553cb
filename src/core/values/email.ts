import { isEmail } from 'class-validator';
import type { ValueRule } from './rule.js';

/** The library accepts characters that nobody sees, which make two addresses of one. */
const invisible = /[\p{Cf}\p{Cc}\p{Zs}\p{Zl}\p{Zp}]/u;

/** Requires an address without invisible characters (rule LEAD-4). */
export const emailRule: ValueRule = {
  name: 'isEmail',
  isMet: (value) => isEmail(value) && !invisible.test(value as string),
};
