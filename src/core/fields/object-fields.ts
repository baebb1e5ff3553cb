import type { Type } from '@nestjs/common';
import { raw } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { asObjects } from '../database/documents/stored-values.js';
import { type Localized, localizedText } from '../localization/language.js';
import { asObject } from '../values/json.js';
import { declareField, type FieldOptions, present, responseClass } from './declared-fields.js';

export function EmbeddedObject<T extends object>(
  type: Type<T>,
  options: FieldOptions = {},
): PropertyDecorator {
  return declareField(
    {
      stored: { type: SchemaTypes.Mixed, bsonType: 'object' } as object,
      read: (value, language) => present(type, asObject(value), language),
      api: { type: responseClass(type) },
    },
    options,
  );
}

export function EmbeddedObjects<T extends object>(
  type: Type<T>,
  options: FieldOptions = {},
): PropertyDecorator {
  return declareField(
    {
      stored: { type: [] },
      read: (value, language) => asObjects(value).map((item) => present(type, item, language)),
      api: { type: [responseClass(type)] },
    },
    options,
  );
}

/** Responses show one language (rule HTTP-4). */
export function LocalizedText(options: FieldOptions = {}): PropertyDecorator {
  return declareField(
    {
      stored: raw({ 'en-us': String, 'ar-eg': String }),
      read: (value, language) => localizedText(value as Localized | undefined, language),
      api: { type: String, description: 'In the language of the request.' },
    },
    options,
  );
}
