import type { Type } from '@nestjs/common';
import { BSONType } from 'mongodb';
import {
  flagOf,
  idOf,
  idOrNull,
  idsOf,
  listOf,
  numberOf,
  objectsOf,
  textOf,
  timeOf,
  timeOrNull,
} from '../../core/database/documents/stored-values.js';
import { textIn } from '../../core/localization/localized.js';
import { objectOf } from '../../core/values/plain-object.js';
import {
  type JsonWriter,
  writeFilledText,
  writeFlag,
  writeId,
  writeList,
  writeLocalized,
  writeNumber,
  writeText,
  writeTime,
} from './json-writers.js';
import { present, Presented, writePresented } from './present.js';

const idPattern = '^([0-9a-f]{24})?$';
const exampleId = '6740b1f2c3d4e5f607182930';
const exampleTime = '2026-01-05T09:30:00.000Z';

/** An id; empty where the document refers to nothing. */
export const PresentedId = (description?: string): PropertyDecorator =>
  Presented(
    idOf,
    { type: String, pattern: idPattern, example: exampleId, ...described(description) },
    writeId,
  );

export const PresentedNullableId = (): PropertyDecorator =>
  Presented(idOrNull, { type: String, pattern: idPattern, nullable: true, example: null }, writeId);

export const PresentedIds = (): PropertyDecorator =>
  Presented(
    idsOf,
    { type: 'array', items: { type: 'string', pattern: idPattern }, example: [exampleId] },
    writeList(writeId),
  );

/** A text; empty where there is none. */
export const PresentedText = (example: string, description?: string): PropertyDecorator =>
  Presented(textOf, { type: String, example, ...described(description) }, writeText);

/** A text; null where there is none. */
export const PresentedNullableText = (description: string): PropertyDecorator =>
  Presented(
    (value) => textOf(value) || null,
    { type: String, nullable: true, description, example: null },
    writeFilledText,
  );

/** A text that is left out where there is none. */
export const PresentedOptionalText = (description: string): PropertyDecorator =>
  Presented(
    (value) => (typeof value === 'string' ? value : undefined),
    { type: String, required: false, description },
    writeText,
  );

/** A text in the language of the request, with the fallback of rule HTTP-4. */
export const PresentedLocalized = (example: string, description?: string): PropertyDecorator =>
  Presented(
    (value, language) => textIn(value as Parameters<typeof textIn>[0], language),
    { type: String, example, ...described(description) },
    writeLocalized,
  );

/** A number; 0 where there is none. */
export const PresentedNumber = (example: number, description?: string): PropertyDecorator =>
  Presented(numberOf, { type: Number, example, ...described(description) }, writeNumber);

/** A boolean; false where there is none. */
export const PresentedBoolean = (): PropertyDecorator =>
  Presented(flagOf, { type: Boolean, example: false }, writeFlag);

export const PresentedList = (): PropertyDecorator =>
  Presented(listOf, { type: 'array', items: {}, example: [] }, writeList(writeText));

export const PresentedTime = (): PropertyDecorator =>
  Presented(timeOf, { type: String, format: 'date-time', example: exampleTime }, writeTime);

export const PresentedNullableTime = (): PropertyDecorator =>
  Presented(
    timeOrNull,
    { type: String, format: 'date-time', nullable: true, example: null },
    writeTime,
  );

/** A time; empty where there is none. */
export const PresentedTimeOrEmpty = (): PropertyDecorator =>
  Presented(timeOf, { type: String, example: exampleTime, description: 'ISO 8601.' }, writeTime);

/** An object; its fields are empty where there is none. */
export const PresentedObject = <T extends object>(
  shape: Type<T>,
  description?: string,
): PropertyDecorator =>
  Presented(
    (value, language) => present(shape, objectOf(value), language),
    { type: shape, ...described(description) },
    writeObject(shape),
  );

export const PresentedObjects = <T extends object>(shape: Type<T>): PropertyDecorator =>
  Presented(
    (value, language) => objectsOf(value).map((item) => present(shape, item, language)),
    { type: [shape] },
    writeList(writeObject(shape)),
  );

function writeObject(shape: Type<object>): JsonWriter {
  return (json, value, language) => {
    if (value.type !== BSONType.object) return false;
    writePresented(json, shape, value, language);
    return true;
  };
}

function described(description: string | undefined): { description?: string } {
  return description === undefined ? {} : { description };
}
