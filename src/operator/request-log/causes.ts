import { allErrors } from '../../reference/errors.js';
import { ignoredFieldsCode } from '../usage/usage-counter.js';
import { ignoredFieldsNotice, notices } from './notices.js';

export type CauseKind = 'error' | 'notice' | 'ignored';

export interface CauseText {
  readonly kind: CauseKind;
  /** Null for a code of another version. */
  readonly meaning: string | null;
  readonly remedy: string | null;
}

const errorTexts = new Map(
  allErrors.map(({ code, cause, remedy }) => [
    code,
    { kind: 'error', meaning: cause, remedy } as const,
  ]),
);

export function causeText(code: string): CauseText {
  if (code === ignoredFieldsCode) return { kind: 'ignored', ...ignoredFieldsNotice };
  const notice = notices[code];
  if (notice !== undefined) return { kind: 'notice', ...notice };
  return errorTexts.get(code) ?? { kind: 'error', meaning: null, remedy: null };
}
