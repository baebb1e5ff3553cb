import { hasAtMost } from '../../core/values/text.js';

/** Every report of a cheque repeats its number, so it has to be short. */
export const maxChequeNumberLength = 256;

export function isChequeNumber(value: unknown): value is string {
  return typeof value === 'string' && hasAtMost(maxChequeNumberLength, value);
}
