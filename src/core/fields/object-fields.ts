import type { Type } from '@nestjs/common';
import { raw } from '@nestjs/mongoose';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import { SchemaTypes } from 'mongoose';
import { objectsOf } from '../database/documents/stored-values.js';
import { ReadNested } from '../validation/dto-reader.js';
import {
  Field,
  ItemsField,
  maxListItems,
  NestedField,
  shortTextApi,
} from '../validation/fields.js';
import { Rule } from '../validation/rules.js';
import { languages, type Localized, localizedText } from '../localization/language.js';
import { isPlainObject, objectOf } from '../values/json.js';
import { hasAtMost, isVisibleText, maxShortTextLength } from '../values/text.js';
import {
  declareField,
  type FieldOptions,
  importClass,
  present,
  responseClass,
  storedFields,
} from './declared-fields.js';
import { Text } from './fields.js';

export function EmbeddedObject<T extends object>(
  type: Type<T>,
  options: FieldOptions,
): PropertyDecorator {
  return declareField(
    {
      stored: { type: SchemaTypes.Mixed, bsonType: 'object' } as object,
      read: (value, language) => present(type, objectOf(value), language),
      api: { type: responseClass(type) },
      sent: (api) => NestedField(importClass(type), api),
      toStored: (value) => storedObject(type, value),
    },
    options,
  );
}

export function EmbeddedObjects<T extends object>(
  type: Type<T>,
  options: FieldOptions = {},
): PropertyDecorator {
  const maxItems = options.sent === undefined ? Infinity : maxListItems;
  return declareField(
    {
      stored: { type: [] },
      read: (value, language) => objectsOf(value).map((item) => present(type, item, language)),
      api: { type: [responseClass(type)] },
      sent: (api) => ItemsField(importClass(type), { ...api, maxItems }),
      toStored: (value) =>
        Array.isArray(value) ? value.map((item) => storedObject(type, item)) : undefined,
    },
    options,
  );
}

function storedObject(type: Type, value: unknown): unknown {
  return isPlainObject(value) ? storedFields(type, value) : value;
}

class Translations {
  @Text({ imported: 'required' })
  'en-us'!: string;

  @Text({ imported: true })
  'ar-eg'?: string;
}

const translatedApi = {
  oneOf: [
    { ...shortTextApi, description: 'In the language of the request.' },
    {
      type: 'object',
      properties: { 'en-us': shortTextApi, 'ar-eg': shortTextApi },
      minProperties: 1,
      additionalProperties: false,
    },
  ],
};

function TranslatedField(api: ApiPropertyOptions): PropertyDecorator {
  return Field(
    { ...translatedApi, ...api },
    ReadNested({ names: languages }),
    Rule('maxLength', hasShortTexts, { limit: maxShortTextLength }),
    Rule('isName', (value) => isVisibleText(value) || isTranslated(value)),
  );
}

function hasShortTexts(value: unknown): boolean {
  const texts = isPlainObject(value) ? Object.values(value) : [value];
  return texts.every((text) => typeof text !== 'string' || hasAtMost(maxShortTextLength, text));
}

/** Other languages are reported as unknown names. */
function isTranslated(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const sent = languages.filter((language) => Object.hasOwn(value, language));
  return sent.length > 0 && sent.every((language) => isVisibleText(value[language]));
}

/** Responses show one language (rule HTTP-4). */
export function LocalizedText(options: FieldOptions = {}): PropertyDecorator {
  return declareField(
    {
      stored: raw({ 'en-us': String, 'ar-eg': String }),
      read: (value, language) => localizedText(value as Localized | undefined, language),
      api: { type: String, description: 'In the language of the request.' },
      sent: TranslatedField,
      imported: (api) => NestedField(importClass(Translations), api),
      toStored: (value) => storedObject(Translations, value),
    },
    options,
  );
}
