import { defaultLanguage, type Language } from './language.js';

/** A text in the default language and, where it has been translated, in the others. */
export type Localized = { 'en-us': string; 'ar-eg'?: string };

/** A stored text with the translations that are sent; the others stay. */
export function mergeTranslations(
  stored: Partial<Localized> | null | undefined,
  sent: Localized,
): Localized {
  return { ...stored, ...sent };
}

/** The text as it is shown in a language: the translation, or the default where it is missing. */
export function textIn(localized: Partial<Localized> | null | undefined, language: Language) {
  return localized?.[language] || localized?.[defaultLanguage] || '';
}
