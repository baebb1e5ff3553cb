import { defaultLanguage, type Language } from './language.js';

export type Localized = { 'en-us': string; 'ar-eg'?: string };

/** Translations that are not sent stay. */
export function mergeTranslations(
  stored: Partial<Localized> | null | undefined,
  sent: Localized,
): Localized {
  return { ...stored, ...sent };
}

/** A missing translation is replaced by the default. */
export function textIn(localized: Partial<Localized> | null | undefined, language: Language) {
  return localized?.[language] || localized?.[defaultLanguage] || '';
}
