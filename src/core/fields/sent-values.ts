import * as texts from '../values/text.js';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import { atMostItems, externalIdApi } from '../http/validation/fields.js';
import { languages } from '../localization/language.js';
import { quantity } from '../values/numbers.js';
import { isPlainObject } from '../values/json.js';
import { isValid, type Rule, type ValueKind } from '../values/rule.js';
import { parseTime } from '../values/time.js';

export interface InputKind {
  readonly rules: ValueKind;
  readonly api: ApiPropertyOptions;
  /** Replace the rules where a field holds objects, which are checked as DTOs of their own. */
  readonly inRequests?: (api: ApiPropertyOptions) => PropertyDecorator;
  readonly inImports?: (api: ApiPropertyOptions) => PropertyDecorator;
  /** Converts the sent value, or undefined, to the stored one. */
  readonly toStored?: (sent: unknown) => unknown;
}

export const maxListItems = 500;
const { name: tooLong, isMet: isShort } = texts.maxLength(texts.maxShortTextLength);
/** `fits` checks the length, as a rule of its own. */
const unlimitedText = texts.shortText.filter(({ name }) => name !== tooLong);
const limited = { limit: texts.maxShortTextLength };

const fits: Rule = {
  name: tooLong,
  isMet: (value) =>
    (isPlainObject(value) ? Object.values(value) : [value]).every((text) => isShort(text)),
  values: limited,
};

export const shortTextInput = {
  rules: texts.shortText,
  api: {
    type: 'string',
    minLength: 1,
    maxLength: texts.maxShortTextLength,
    pattern: String.raw`^[^\x00]*[^\s\x00][^\x00]*$`,
  },
} as const satisfies InputKind;

export const requiredTextInput: InputKind = {
  rules: texts.text,
  api: { type: String, minLength: 1 },
};

export const externalIdInput: InputKind = { rules: texts.externalId, api: externalIdApi };

export const newSlugInput: InputKind = { rules: texts.newSlug, api: shortTextInput.api };

export const urlInput: InputKind = {
  rules: texts.httpUrl,
  api: { ...shortTextInput.api, format: 'uri' },
};

export const boolean: InputKind = {
  rules: [{ name: 'isBoolean', isMet: (value) => typeof value === 'boolean' }],
  api: { type: Boolean },
};

export const nonNegativeNumber: InputKind = { rules: quantity, api: { type: Number, minimum: 0 } };

export const isoTime: InputKind = {
  rules: [{ name: 'isTime', isMet: (value) => parseTime(value) !== null }],
  api: { type: String, format: 'date-time' },
};

export const nameOrNull: InputKind = {
  rules: [
    fits,
    { name: 'isTextOrNull', isMet: (value) => value === null || isValid(unlimitedText, value) },
  ],
  api: { ...shortTextInput.api, nullable: true },
};

export const textList: InputKind = {
  rules: [
    atMostItems(maxListItems),
    {
      name: 'isTextList',
      isMet: (value) =>
        Array.isArray(value) && value.every((text) => isValid(texts.shortText, text)),
      values: limited,
    },
  ],
  api: { type: 'array', items: shortTextInput.api, maxItems: maxListItems },
};

export const localizedText: InputKind = {
  rules: [
    fits,
    { name: 'isName', isMet: (value) => isValid(unlimitedText, value) || isLocalized(value) },
  ],
  api: {
    oneOf: [
      { ...shortTextInput.api, description: 'In the language of the request.' },
      {
        type: 'object',
        properties: { 'en-us': shortTextInput.api, 'ar-eg': shortTextInput.api },
        minProperties: 1,
        additionalProperties: false,
      },
    ],
  },
};

/** Other languages are reported as unknown names. */
function isLocalized(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const sent = languages.filter((language) => Object.hasOwn(value, language));
  return sent.length > 0 && sent.every((language) => isValid(unlimitedText, value[language]));
}

export function orNull({ rules, api }: InputKind): InputKind {
  return {
    rules: rules.map((rule) => ({
      ...rule,
      isMet: (value: unknown) => value === null || rule.isMet(value),
    })),
    api: { ...api, nullable: true },
  };
}
