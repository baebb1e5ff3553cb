import type { Language } from '../../../core/localization/language.js';
import { formattersFor } from './formatters.js';
import { recordTexts } from './record-texts.js';
import { pageTexts } from './page-texts.js';
import { viewTexts } from './view-texts.js';

/** `{name}` is a placeholder. */
export const texts = {
  ...viewTexts,
  ...pageTexts,
  ...recordTexts,
} as const satisfies Readonly<Record<string, Readonly<Record<Language, string>>>>;

export type TextKey = keyof typeof texts;

export type TextValues = Readonly<Record<string, string | number | Date | null | undefined>>;

export type Translate = (key: TextKey, values?: TextValues) => string;

/** Formats numbers and times for the language; a missing value is a dash. */
export function translator(language: Language): Translate {
  const formats = formattersFor(language);
  const format = (value: TextValues[string]) => {
    if (value instanceof Date) return formats.time(value);
    return typeof value === 'string' ? value : formats.number(value);
  };
  return (key, values = {}) =>
    texts[key][language].replaceAll(/\{(\w+)\}/g, (placeholder, name: string) =>
      Object.hasOwn(values, name) ? format(values[name]) : placeholder,
    );
}
