import type { CollationOptions } from 'mongodb';
import { caseVariants, foldCase, withBoundedMarks } from './fold-case.js';

/** Format characters, which nobody sees, and the Arabic tatweel, which only stretches a word. */
const unseen = /[\p{Cf}\u{640}]/gu;
/** Vowel marks, and hamza and madda at a letter such as أ, which people often omit. */
const arabicMarks = /(?=\p{M})\p{scx=Arab}/gu;
const blanks = /\p{White_Space}+/gu;

/**
 * Finds every name that {@link foldName} makes equal to one of the {@link nameVariants}, and others, which it has to
 * exclude. Of the server's collations only the ones for search treat the Arabic letters as equal. The exceptions are
 * format characters and marks that are newer than the server's Unicode version.
 */
export const nameInsensitive: CollationOptions = {
  locale: 'el@collation=search',
  strength: 1,
  alternate: 'shifted',
  maxVariable: 'space',
};

/** Equal for names that a person would take for the same. */
export function foldName(name: string): string {
  return foldCase(name.replaceAll(unseen, ''))
    .normalize('NFD')
    .replaceAll(arabicMarks, '')
    .replaceAll('ى', 'ي')
    .replaceAll('ة', 'ه')
    .replaceAll(blanks, ' ')
    .trim()
    .normalize('NFC');
}

/** The server does not know all characters that are folded, so queries list all spellings. */
export function nameVariants(name: string): string[] {
  return [...new Set([withBoundedMarks(name), ...caseVariants(foldName(name))])];
}
