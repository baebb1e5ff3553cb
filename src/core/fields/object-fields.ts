import { applyDecorators, type Type } from '@nestjs/common';
import { raw } from '@nestjs/mongoose';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import { SchemaTypes } from 'mongoose';
import { objectsOf } from '../database/documents/stored-values.js';
import { Field, AllowedNestedKeys } from '../http/validation/field.js';
import { ItemsField, NestedField } from '../http/validation/fields.js';
import { languages, type Localized, textIn } from '../localization/language.js';
import { isPlainObject, objectOf } from '../values/json.js';
import {
  declareField,
  type FieldOptions,
  declaredFieldsOf,
  present,
  storedFields,
} from './declared-fields.js';
import { importClass, shownClass } from './derived-classes.js';
import { Text } from './fields.js';
import { maxListItems, localizedText } from './sent-values.js';

type ObjectOptions = Pick<FieldOptions, 'description' | 'imported' | 'sent'>;

export function EmbeddedObject<T extends object>(
  type: Type<T>,
  options: ObjectOptions,
): PropertyDecorator {
  const nested = (api: ApiPropertyOptions) => NestedField(importClass(type), api);
  return declareField(
    {
      stored: { type: SchemaTypes.Mixed, bsonType: 'object' } as object,
      read: (value, language) => present(type, objectOf(value), language),
      api: { type: shownClass(type) },
      sent: {
        rules: [],
        api: apiOf(type),
        inRequests: nested,
        inImports: nested,
        toStored: (value) => storedObject(type, value),
      },
    },
    options,
  );
}

export function EmbeddedObjects<T extends object>(
  type: Type<T>,
  options: ObjectOptions = {},
): PropertyDecorator {
  const nested = (api: ApiPropertyOptions, maxItems = Infinity) =>
    ItemsField(importClass(type), { ...api, maxItems });
  return declareField(
    {
      stored: { type: [] },
      read: (value, language) => objectsOf(value).map((item) => present(type, item, language)),
      api: { type: [shownClass(type)] },
      sent: {
        rules: [],
        api: { type: 'array', items: apiOf(type) } as ApiPropertyOptions,
        inRequests: (api) => nested(api, maxListItems),
        inImports: (api) => nested(api, options.sent && maxListItems),
        toStored: (value) =>
          Array.isArray(value) ? value.map((item) => storedObject(type, item)) : undefined,
      },
    },
    options,
  );
}

class Translations {
  @Text({ imported: 'required' })
  'en-us'!: string;

  @Text({ imported: true })
  'ar-eg'?: string;
}

/** A text in several languages, of which a response shows one (rule HTTP-4). */
export function LocalizedText(options: FieldOptions = {}): PropertyDecorator {
  return declareField(
    {
      stored: raw({ 'en-us': String, 'ar-eg': String }),
      read: (value, language) => textIn(value as Localized | undefined, language),
      api: { type: String },
      sent: {
        ...localizedText,
        inRequests: (api) =>
          applyDecorators(Field(api, localizedText.rules), AllowedNestedKeys(languages)),
        inImports: (api) => NestedField(importClass(Translations), api),
        toStored: (value) => storedObject(Translations, value),
      },
    },
    options,
  );
}

function storedObject(type: Type, value: unknown): unknown {
  return isPlainObject(value) ? storedFields(type, value) : value;
}

function apiOf(type: Type): ApiPropertyOptions {
  const sent = declaredFieldsOf(type).flatMap((field) =>
    field.sent ? [{ ...field.sent, ...field }] : [],
  );
  const properties = sent.map(({ name, api: { example: _shown, ...api } }) => [name, api] as const);
  return {
    type: 'object',
    properties: Object.fromEntries<unknown>(properties),
    required: sent.flatMap(({ name, isRequired }) => (isRequired ? [name] : [])),
    additionalProperties: false,
  } as ApiPropertyOptions;
}
