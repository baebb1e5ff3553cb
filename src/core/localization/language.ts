/** Rule HTTP-4. */
export const languages = ['en-us', 'ar-eg'] as const;

export type Language = (typeof languages)[number];

export const defaultLanguage: Language = 'en-us';

/** Invalid values count as the default. */
export function parseLanguage(header: string | string[] | undefined): Language {
  // The header of a request may have kilobytes.
  if (typeof header !== 'string' || header.length !== defaultLanguage.length) {
    return defaultLanguage;
  }
  const value = header.toLowerCase();
  return languages.find((language) => language === value) ?? defaultLanguage;
}

/** A hook sets the language of the endpoint or header; before it the header counts. */
export function requestLanguage(request: {
  readonly language?: Language;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}): Language {
  return request.language ?? parseLanguage(request.headers['language']);
}

export type Localized = { 'en-us': string; 'ar-eg'?: string };

/** A missing translation is replaced by the default. */
export function textIn(localized: Partial<Localized> | null | undefined, language: Language) {
  return localized?.[language] || localized?.[defaultLanguage] || '';
}
