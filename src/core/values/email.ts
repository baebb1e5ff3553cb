import { isEmail } from 'class-validator';

/** The library accepts characters that nobody sees, which make two addresses of one. */
export const withoutInvisible = /^[^\p{Cf}\p{Cc}\p{Zs}\p{Zl}\p{Zp}]*$/u;

export function isVisibleEmail(value: unknown): boolean {
  return isEmail(value) && withoutInvisible.test(value as string);
}
