import type { Type } from '@nestjs/common';
import { raw } from '@nestjs/mongoose';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import { SchemaTypes } from 'mongoose';
import { objectsOf } from '../../core/database/documents/stored-values.js';
import { NamesInside } from '../../core/http/validation/field.js';
import { atMostItems, ItemsField, NestedField } from '../../core/http/validation/fields.js';
import { languages } from '../../core/localization/language.js';
import { type Localized, textIn } from '../../core/localization/localized.js';
import { isPlainObject, objectOf } from '../../core/values/plain-object.js';
import {
  declareField,
  type Documentation,
  type FieldOptions,
  fieldsOf,
  isSentObject,
  present,
  storedFields,
} from './declared-fields.js';
import { importClass, shownClass } from './derived-classes.js';
import { Text } from './fields.js';
import { fits, itemsLimit, limited, localizedText } from './sent-values.js';

interface ObjectOptions extends Pick<FieldOptions, 'description' | 'imported'> {
  readonly sent?: Documentation & { readonly rule: string };
}

export function ObjectOf<T extends object>(
  type: Type<T>,
  options: ObjectOptions,
): PropertyDecorator {
  const name = options.sent?.rule ?? 'isObject';
  const isMet = (value: unknown) => !fits.isMet(value) || isSentObject(type, value);
  return declareField(
    {
      stored: { type: SchemaTypes.Mixed, bsonType: 'object' } as object,
      read: (value, language) => present(type, objectOf(value), language),
      api: { type: shownClass(type) },
      sent: {
        rules: [fits, { name, isMet }],
        api: apiOf(type),
        inRequests: NamesInside(namesOf(type)),
        inImports: NestedField(importClass(type)),
        toStored: (value) => storedObject(type, value),
      },
    },
    options,
  );
}

export function ObjectsOf<T extends object>(
  type: Type<T>,
  options: ObjectOptions = {},
): PropertyDecorator {
  const name = options.sent?.rule ?? 'isArray';
  const isMet = (value: unknown) =>
    Array.isArray(value) && value.every((item) => isSentObject(type, item));
  const maxItems = options.sent ? itemsLimit : Infinity;
  return declareField(
    {
      stored: { type: [] },
      read: (value, language) => objectsOf(value).map((item) => present(type, item, language)),
      api: { type: [shownClass(type)] },
      sent: {
        rules: [atMostItems(itemsLimit), { name, isMet, values: limited }],
        api: { type: 'array', maxItems: itemsLimit, items: apiOf(type) } as ApiPropertyOptions,
        inRequests: NamesInside(namesOf(type)),
        inImports: ItemsField(importClass(type), { maxItems }),
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
  const required = options.imported === 'required';
  return declareField(
    {
      stored: raw({ 'en-us': String, 'ar-eg': String }),
      read: (value, language) => textIn(value as Localized | undefined, language),
      api: { type: String },
      sent: {
        ...localizedText,
        inRequests: NamesInside(languages),
        inImports: NestedField(importClass(Translations), { required }),
        toStored: (value) => storedObject(Translations, value),
      },
    },
    options,
  );
}

function storedObject(type: Type, value: unknown): unknown {
  return isPlainObject(value) ? storedFields(type, value) : value;
}

function namesOf(type: Type): string[] {
  return fieldsOf(type).flatMap(({ name, sent }) => (sent === undefined ? [] : [name]));
}

function apiOf(type: Type): ApiPropertyOptions {
  const sent = fieldsOf(type).flatMap((field) => (field.sent ? [{ ...field.sent, ...field }] : []));
  const properties = sent.map(({ name, api: { example: _shown, ...api } }) => [name, api] as const);
  return {
    type: 'object',
    properties: Object.fromEntries<unknown>(properties),
    required: sent.flatMap(({ name, isRequired }) => (isRequired ? [name] : [])),
    additionalProperties: false,
  } as ApiPropertyOptions;
}
