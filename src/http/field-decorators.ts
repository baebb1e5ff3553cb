import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import {
  IsArray,
  IsEmail,
  IsNotEmpty,
  IsObject,
  IsString,
  MaxLength,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import type { ClassConstructor } from 'class-transformer';
import { registerItems } from './instantiate.js';
import { isStorableText } from './json-body.js';
import { ruleMessage } from './rule-message.js';

/** Longest accepted external id: what a path parameter can carry ("All endpoints" 6). */
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
    IsNotEmpty(),
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
    (target: object, field: string | symbol) => {
      registerItems(target.constructor, String(field), type);
    },
  );
}

/** The id of a record in an outside system: not empty, used exactly as sent. */
export function ExternalId(property = 'recordSystemId'): PropertyDecorator {
  return applyDecorators(
    IsString(),
    IsNotEmpty(),
    MaxLength(externalIdLimit, {
      message: ruleMessage('validation.maxLength', { property, limit: externalIdLimit }),
    }),
    ValidateBy({
      name: 'isStorableText',
      validator: { validate: (value) => typeof value !== 'string' || isStorableText(value) },
    }),
  );
}

/** An {@link ExternalId} that may be left out. */
export function OptionalExternalId(options: ApiPropertyOptions = {}): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: String, minLength: 1, maxLength: externalIdLimit, ...options }),
    MayBeOmitted(),
    ExternalId(),
  );
}
