import type { Type } from '@nestjs/common';
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
import { present, Presented } from './present.js';

const idPattern = '^([0-9a-f]{24})?$';
const exampleId = '6740b1f2c3d4e5f607182930';
const exampleTime = '2026-01-05T09:30:00.000Z';

/** An id; empty where the document refers to nothing. */
export const PresentedId = (description?: string): PropertyDecorator =>
  Presented(idOf, {
    type: String,
    pattern: idPattern,
    example: exampleId,
    ...described(description),
  });

export const PresentedNullableId = (): PropertyDecorator =>
  Presented(idOrNull, { type: String, pattern: idPattern, nullable: true, example: null });

export const PresentedIds = (): PropertyDecorator =>
  Presented(idsOf, {
    type: 'array',
    items: { type: 'string', pattern: idPattern },
    example: [exampleId],
  });

/** A text; empty where there is none. */
export const PresentedText = (example: string, description?: string): PropertyDecorator =>
  Presented(textOf, { type: String, example, ...described(description) });

/** A text; null where there is none. */
export const PresentedNullableText = (description: string): PropertyDecorator =>
  Presented((value) => textOf(value) || null, {
    type: String,
    nullable: true,
    description,
    example: null,
  });

/** A text that is left out where there is none. */
export const PresentedOptionalText = (description: string): PropertyDecorator =>
  Presented((value) => (typeof value === 'string' ? value : undefined), {
    type: String,
    required: false,
    description,
  });

/** A text in the language of the request, with the fallback of rule HTTP-4. */
export const PresentedLocalized = (example: string, description?: string): PropertyDecorator =>
  Presented((value, language) => textIn(value as Parameters<typeof textIn>[0], language), {
    type: String,
    example,
    ...described(description),
  });

/** A number; 0 where there is none. */
export const PresentedNumber = (example: number, description?: string): PropertyDecorator =>
  Presented(numberOf, { type: Number, example, ...described(description) });

/** A boolean; false where there is none. */
export const PresentedBoolean = (): PropertyDecorator =>
  Presented(flagOf, { type: Boolean, example: false });

export const PresentedList = (): PropertyDecorator =>
  Presented(listOf, { type: 'array', items: {}, example: [] });

export const PresentedTime = (): PropertyDecorator =>
  Presented(timeOf, { type: String, format: 'date-time', example: exampleTime });

export const PresentedNullableTime = (): PropertyDecorator =>
  Presented(timeOrNull, { type: String, format: 'date-time', nullable: true, example: null });

/** A time; empty where there is none. */
export const PresentedTimeOrEmpty = (): PropertyDecorator =>
  Presented(timeOf, { type: String, example: exampleTime, description: 'ISO 8601.' });

/** An object; its fields are empty where there is none. */
export const PresentedObject = <T extends object>(
  shape: Type<T>,
  description?: string,
): PropertyDecorator =>
  Presented((value, language) => present(shape, objectOf(value), language), {
    type: shape,
    ...described(description),
  });

export const PresentedObjects = <T extends object>(shape: Type<T>): PropertyDecorator =>
  Presented((value, language) => objectsOf(value).map((item) => present(shape, item, language)), {
    type: [shape],
  });

function described(description: string | undefined): { description?: string } {
  return description === undefined ? {} : { description };
}
