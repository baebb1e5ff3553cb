import type { CollationOptions } from 'mongodb';

/**
 * A query for the {@link caseVariants} of a text finds every text that differs only in case. It also finds others,
 * which {@link foldCase} has to exclude.
 */
export const caseInsensitive: CollationOptions = { locale: 'en', strength: 1 };

/** `ı` and `i` are different letters with the same upper case, `I`. */
const dotlessI = 'ı';

/**
 * Normalization takes quadratic time for a run of combining marks. Inserting U+034F, as in Unicode's
 * stream-safe format, bounds each run.
 */
const longMarkRun = /\p{M}{30}/gu;
const joiner = '\u{34F}';

/** Without these bounds, the server would take minutes for the sort key of a megabyte of marks. */
export function withBoundedMarks(text: string): string {
  return text.replace(longMarkRun, `$&${joiner}`);
}

/** Unicode case folding: equal for texts that differ only in case or in the composition of accents. */
export function foldCase(text: string): string {
  const parts = withBoundedMarks(text).normalize('NFC').split(dotlessI);
  const folded = parts.map((part) => part.toLowerCase().toUpperCase().toLowerCase());
  // Sigma has two lower cases.
  return folded.join(dotlessI).replaceAll('ς', 'σ').normalize('NFC');
}

/** The server's collation may not know the case of new letters, so queries list all spellings. */
export function caseVariants(text: string): string[] {
  const folded = foldCase(text);
  return [...new Set([text, folded, folded.toUpperCase()])];
}
