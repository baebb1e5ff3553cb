import type { CollationOptions } from 'mongodb';

/**
 * The collation in which a query with all {@link caseSpellings} of a text finds every text of the same
 * case: too many, so that each is compared by {@link foldCase} again. Differences of case such as
 * ß and SS are more than case to a collation, and are left out together with accents.
 */
export const caseCandidates: CollationOptions = { locale: 'en', strength: 1 };

/** Its upper case is that of another letter. */
const dotlessI = 'ı';

/**
 * More marks on a letter than any language has; normalizing takes time by the square of them. Unicode's stream-safe
 * text format ends them with what joins and changes nothing.
 */
const manyMarks = /\p{M}{30}/gu;
const joiner = '\u{34F}';

/**
 * A form in which texts that differ in nothing but case are equal, in any script and however their
 * accents are composed: the case folding of Unicode.
 */
export function foldCase(text: string): string {
  const parts = text.replace(manyMarks, `$&${joiner}`).normalize('NFC').split(dotlessI);
  const folded = parts.map((part) => part.toLowerCase().toUpperCase().toLowerCase());
  // At the end of a word the lower case of sigma is another letter.
  return folded.join(dotlessI).replaceAll('ς', 'σ').normalize('NFC');
}

/** What to look for beside a text: the server's collation may be older than some letters. */
export function caseSpellings(text: string): string[] {
  const folded = foldCase(text);
  return [...new Set([text, folded, folded.toUpperCase()])];
}
