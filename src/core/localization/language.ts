/** The languages of the service; the first is the default (rule HTTP-4). */
export const languages = ['en-us', 'ar-eg'] as const;

export type Language = (typeof languages)[number];

export const defaultLanguage: Language = 'en-us';

/** The `language` header's value, in any case; everything else counts as the default. */
export function parseLanguage(header: string | string[] | undefined): Language {
  // The length is looked at first: a header may have kilobytes, and this runs on every request.
  if (typeof header !== 'string' || header.length !== defaultLanguage.length) {
    return defaultLanguage;
  }
  const value = header.toLowerCase();
  return languages.find((language) => language === value) ?? defaultLanguage;
}

/** The language of a request: that of its endpoint or header, once a hook has set it, else of its header. */
export function requestLanguage(request: {
  readonly language?: Language;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}): Language {
  return request.language ?? parseLanguage(request.headers['language']);
}
