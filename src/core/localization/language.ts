export const languages = ['en-us', 'ar-eg'] as const;

export type Language = (typeof languages)[number];

export const defaultLanguage: Language = 'en-us';

/** Invalid values count as the default. */
export function parseLanguage(header: string | string[] | undefined): Language {
  // The header may be kilobytes long.
  if (typeof header !== 'string' || header.length !== defaultLanguage.length) {
    return defaultLanguage;
  }
  const value = header.toLowerCase();
  return languages.find((language) => language === value) ?? defaultLanguage;
}

/** A hook sets the language of the endpoint or the header; errors before it use the header. */
export function requestLanguage(request: {
  readonly language?: Language;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}): Language {
  return request.language ?? parseLanguage(request.headers['language']);
}

export type Localized = { 'en-us': string; 'ar-eg'?: string };

/** The default language replaces a missing translation. */
export function localizedText(
  localized: Partial<Localized> | null | undefined,
  language: Language,
) {
  return localized?.[language] || localized?.[defaultLanguage] || '';
}
