export const languages = ['en-us', 'ar-eg'] as const;

export type Language = (typeof languages)[number];

export const defaultLanguage: Language = 'en-us';

/** Reads only the start of the header, which may be kilobytes long (rule HTTP-4). */
export function parseLanguage(header: string | string[] | undefined): Language {
  return typeof header === 'string' && /^ar/i.test(header) ? 'ar-eg' : defaultLanguage;
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
