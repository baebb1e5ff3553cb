import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import {
  IsArray,
  IsEmail,
  IsObject,
  IsString,
  ValidateBy,
  ValidateIf,
  ValidateNested,
  type ValidationOptions,
} from 'class-validator';
import type { ClassConstructor } from 'class-transformer';
import { registerItems } from './instantiate.js';
import { isStorableText } from './json-body.js';
import { ruleMessage } from './rule-message.js';

/** Longest accepted external id in Unicode characters ("All endpoints" 6). */
export const externalIdLimit = 1_024;

/** A field that may be left out, but not sent as null. */
export function MayBeOmitted(): PropertyDecorator {
  return ValidateIf((_object, value) => value !== undefined);
}

/** A text that is not empty when it is sent. */
export function OptionalText(options: ApiPropertyOptions = {}): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: String, minLength: 1, ...options }),
    MayBeOmitted(),
    IsString(),
    isNotEmpty(),
  );
}

/** A valid email address when it is sent. */
export function OptionalEmail(options: ApiPropertyOptions = {}): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: String, format: 'email', ...options }),
    MayBeOmitted(),
    IsEmail(),
  );
}

/** A JSON object of any content when it is sent, taken over exactly as it is. */
export function OptionalObject(options: ApiPropertyOptions = {}): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      type: 'object',
      additionalProperties: true,
      ...options,
    } as ApiPropertyOptions),
    MayBeOmitted(),
    IsObject(),
  );
}

/** A list of objects, each checked as a DTO of its own, when it is sent. */
export function OptionalItems(
  type: ClassConstructor<object>,
  options: ApiPropertyOptions = {},
): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: [type], ...options }),
    MayBeOmitted(),
    IsArray(),
    ValidateNested({ each: true }),
    areObjects(),
    (target: object, field: string | symbol) => {
      registerItems(target.constructor, String(field), type);
    },
  );
}

/** Class-validator takes a list in a list for more items. */
function areObjects(): PropertyDecorator {
  return ValidateBy({
    name: 'areObjects',
    validator: {
      validate: (items) => !Array.isArray(items) || !items.some((item) => Array.isArray(item)),
    },
  });
}

/** The id of a record in an outside system: not empty, used exactly as sent. */
export function ExternalId(property = 'recordSystemId'): PropertyDecorator {
  return applyDecorators(
    IsString(),
    isNotEmpty(),
    textRule('maxLength', (text) => isAtMost(externalIdLimit, text), {
      message: ruleMessage('validation.maxLength', { property, limit: externalIdLimit }),
    }),
    textRule('isStorableText', isStorableText),
  );
}

function isNotEmpty(): PropertyDecorator {
  return textRule('isNotEmpty', (text) => text !== '');
}

/** A rule for texts; what is none is told so by its type alone. */
function textRule(
  name: string,
  isValid: (text: string) => boolean,
  options: ValidationOptions = {},
): PropertyDecorator {
  const validate = (value: unknown) => typeof value !== 'string' || isValid(value);
  return ValidateBy({ name, validator: { validate } }, options);
}

/** Counts characters as people do and as OpenAPI's `maxLength` does: an emoji is one. */
function isAtMost(limit: number, text: string): boolean {
  // No character has more than two code units.
  return text.length <= limit || (text.length <= 2 * limit && Array.from(text).length <= limit);
}

/** An {@link ExternalId} that may be left out. */
export function OptionalExternalId(options: ApiPropertyOptions = {}): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: String, minLength: 1, maxLength: externalIdLimit, ...options }),
    MayBeOmitted(),
    ExternalId(),
  );
}
