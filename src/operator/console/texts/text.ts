import type { Language } from '../../../core/localization/language.js';
import { viewTexts } from '../../views/texts.js';
import { commonTexts } from './common-texts.js';
import { leadTexts } from '../pages/leads/lead-texts.js';
import { operatorLogTexts } from '../pages/operator-log/operator-log-texts.js';
import { reservationTexts } from '../pages/reservations/reservation-texts.js';
import { searchTexts } from '../pages/search/search-texts.js';
import { sharedTexts } from '../pages/shared/shared-texts.js';
import { unitTexts } from '../pages/units/unit-texts.js';
import { webhookTexts } from '../pages/webhooks/webhook-texts.js';
import { catalogueTexts } from '../pages/catalogue/catalogue-texts.js';
import { overviewTexts } from '../pages/overview/overview-texts.js';
import { partnerTexts } from '../pages/partners/partner-texts.js';

/** A text in both languages; `{name}` is filled with a value. */
type Texts = Readonly<Record<string, Readonly<Record<Language, string>>>>;

/** All texts of the console, by their keys. Each page adds those of its own file here. */
export const texts = {
  ...viewTexts,
  ...commonTexts,
  ...sharedTexts,
  ...searchTexts,
  ...overviewTexts,
  ...partnerTexts,
  ...catalogueTexts,
  ...leadTexts,
  ...reservationTexts,
  ...unitTexts,
  ...webhookTexts,
  ...operatorLogTexts,
} as const satisfies Texts;

/** What can be said. */
export type TextKey = keyof typeof texts;

/** Gives a text in the language of the reader. */
export type Translate = (
  key: TextKey,
  values?: Readonly<Record<string, string | number>>,
) => string;

/** The texts of a language. */
export function translator(language: Language): Translate {
  return (key, values = {}) =>
    texts[key][language].replaceAll(/\{(\w+)\}/g, (placeholder, name: string) =>
      String(values[name] ?? placeholder),
    );
}
