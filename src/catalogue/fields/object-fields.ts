import type { Type } from '@nestjs/common';
import { raw } from '@nestjs/mongoose';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import { SchemaTypes } from 'mongoose';
import { objectsOf } from '../../core/database/documents/stored-values.js';
import { NamesInside } from '../../core/http/validation/field.js';
import { atMostItems, ItemsField, NestedField } from '../../core/http/validation/fields.js';
import { languages } from '../../core/localization/language.js';
import { textIn } from '../../core/localization/localized.js';
import { isPlainObject, objectOf } from '../../core/values/plain-object.js';
import {
  declareField,
  documented,
  type FieldOptions,
  fieldsOf,
  isSentObject,
  present,
  sentAs,
  storedFields,
} from './declared-fields.js';
import { importClass, shownClass } from './derived-classes.js';
import { Text } from './fields.js';
import { fits, itemsLimit, limited, localizedText } from './sent-values.js';

interface ObjectOptions extends Pick<FieldOptions, 'description' | 'imported'> {
  /** The rule by which requests are refused, and their example. */
  readonly sent?: { readonly rule: string; readonly example?: unknown };
}

/** An object; its fields are empty where there is none. */
export function ObjectOf<T extends object>(
  type: Type<T>,
  { sent: request, ...options }: ObjectOptions,
): PropertyDecorator {
  const rule = request?.rule ?? 'isObject';
  const sent = sentAs(
    { ...options, ...(request && { sent: { example: request.example } }) },
    {
      rules: [
        fits,
        { name: rule, isMet: (value) => !fits.isMet(value) || isSentObject(type, value) },
      ],
      api: apiOf(type),
    },
  );
  return declareField({
    stored: { type: SchemaTypes.Mixed, bsonType: 'object' } as object,
    shown: {
      read: (value, language) => present(type, objectOf(value), language),
      api: documented({ type: shownClass(type) }, options),
    },
    sent: sent && {
      ...sent,
      inRequests: NamesInside(namesOf(type)),
      inImports: NestedField(importClass(type)),
      toStored: (value) => storedObject(type, value),
    },
  });
}

/** A list of objects. */
export function ObjectsOf<T extends object>(
  type: Type<T>,
  { sent: request, ...options }: ObjectOptions = {},
): PropertyDecorator {
  const isList = (value: unknown) =>
    Array.isArray(value) && value.every((item) => isSentObject(type, item));
  const rule = { name: request?.rule ?? 'isArray', isMet: isList, values: limited };
  const sent = sentAs(
    { ...options, ...(request && { sent: {} }) },
    {
      rules: [atMostItems(itemsLimit), rule],
      api: { type: 'array', maxItems: itemsLimit, items: apiOf(type) } as ApiPropertyOptions,
    },
  );
  return declareField({
    stored: { type: [] },
    shown: {
      read: (value, language) => objectsOf(value).map((item) => present(type, item, language)),
      api: { type: [shownClass(type)] },
    },
    sent: sent && {
      ...sent,
      inRequests: NamesInside(namesOf(type)),
      inImports: ItemsField(importClass(type), { maxItems: request ? itemsLimit : Infinity }),
      toStored: (value) =>
        Array.isArray(value) ? value.map((item) => storedObject(type, item)) : undefined,
    },
  });
}

class Translations {
  @Text({ imported: 'required' })
  'en-us'!: string;

  @Text({ imported: true })
  'ar-eg'?: string;
}

/** A text in several languages, of which a response shows one (rule HTTP-4). */
export function LocalizedText(options: FieldOptions = {}): PropertyDecorator {
  const { description: _shown, ...ofRequest } = options;
  const sent = sentAs(ofRequest, localizedText);
  const required = options.imported === 'required';
  return declareField({
    stored: raw({ 'en-us': String, 'ar-eg': String }),
    shown: {
      read: (value, language) => textIn(value as Parameters<typeof textIn>[0], language),
      api: documented({ type: String }, options),
    },
    sent: sent && {
      ...sent,
      inRequests: NamesInside(languages),
      inImports: NestedField(importClass(Translations), { required }),
      toStored: (value) => storedObject(Translations, value),
    },
  });
}

function storedObject(type: Type, value: unknown): unknown {
  return isPlainObject(value) ? storedFields(type, value) : value;
}

function namesOf(type: Type): string[] {
  return fieldsOf(type).flatMap(({ name, sent }) => (sent === undefined ? [] : [name]));
}

/** How requests document an object of a class. */
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
