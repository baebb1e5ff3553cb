import type { CollationOptions } from 'mongodb';

/** Compares texts without regard to case; what it finds is a superset of {@link foldCase}'s. */
export const caseInsensitive: CollationOptions = { locale: 'en', strength: 2 };

/** A form in which texts that differ in nothing but case are equal, in any script. */
export function foldCase(text: string): string {
  return text.normalize('NFC').toUpperCase().toLowerCase();
}
