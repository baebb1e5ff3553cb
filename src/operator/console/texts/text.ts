import type { Language } from '../../../core/localization/language.js';
import { viewTexts } from '../../views/texts.js';
import { commonTexts } from './common-texts.js';
import { recordTexts } from './record-texts.js';
import { usageTexts } from './usage-texts.js';
import { webhookTexts } from './webhook-texts.js';

/** All texts of the console in both languages; `{name}` is a placeholder. */
export const texts = {
  ...viewTexts,
  ...commonTexts,
  ...usageTexts,
  ...recordTexts,
  ...webhookTexts,
} as const satisfies Readonly<Record<string, Readonly<Record<Language, string>>>>;

export type TextKey = keyof typeof texts;

export type TextValues = Readonly<Record<string, string | number>>;

export type Translate = (key: TextKey, values?: TextValues) => string;

export function translator(language: Language): Translate {
  return (key, values = {}) =>
    texts[key][language].replaceAll(/\{(\w+)\}/g, (placeholder, name: string) =>
      String(values[name] ?? placeholder),
    );
}
