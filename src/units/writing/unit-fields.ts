import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, ValidateBy } from 'class-validator';
import {
  externalIdLimit,
  MayBeOmitted,
  OptionalText,
} from '../../http/validation/field-decorators.js';
import { isStorableText } from '../../http/validation/json-body.js';
import { ruleMessage } from '../../http/validation/rule-message.js';
import { languages } from '../../localization/language.js';

/** Most items of a list, and characters of a text in it. */
const mostItems = 500;
const longestText = 2_048;

type Rule = (value: unknown) => boolean;

/** The id that people give a unit within its compound. */
export function OptionalUnitId(): PropertyDecorator {
  return applyDecorators(
    OptionalText({
      description: 'Id of the unit within its compound.',
      maxLength: externalIdLimit,
      example: 'PM-V-101',
    }),
    rule('isStorableText', (value) => typeof value !== 'string' || isStorableText(value)),
    ValidateBy(
      {
        name: 'maxLength',
        validator: {
          validate: (value) => typeof value !== 'string' || value.length <= externalIdLimit,
        },
      },
      {
        message: ruleMessage('validation.maxLength', {
          property: 'unitId',
          limit: externalIdLimit,
        }),
      },
    ),
  );
}

/** A text in the language of the request, or one in several languages. */
export function OptionalName(): PropertyDecorator {
  const text = { type: 'string' as const };
  return optional(
    {
      oneOf: [
        { ...text, description: 'In the language of the request.' },
        { type: 'object', properties: { 'en-us': text, 'ar-eg': text } },
      ],
      example: { 'en-us': 'Garden Villa', 'ar-eg': 'فيلا بحديقة' },
    },
    'isName',
    (value) => isText(value) || isLocalized(value),
  );
}

/** A finite number that is not negative. */
export function OptionalQuantity(property: string, example: number): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: Number, minimum: 0, example }),
    MayBeOmitted(),
    ValidateBy(
      {
        name: 'isQuantity',
        validator: { validate: (value) => Number.isFinite(value) && Number(value) >= 0 },
      },
      { message: ruleMessage('validation.isQuantity', { property }) },
    ),
  );
}

/** The name of another record, or null for none. */
export function OptionalReference(description: string): PropertyDecorator {
  return optional(
    { type: String, nullable: true, description },
    'isTextOrNull',
    (value) => value === null || isText(value),
  );
}

/** A list of texts. */
export function OptionalTexts(description: string): PropertyDecorator {
  return optional(
    { type: 'array', items: { type: 'string' }, maxItems: mostItems, description },
    'isTextList',
    (value) => isList(value, isText),
  );
}

/** The storey. */
export function OptionalFloor(): PropertyDecorator {
  return optional(
    {
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
      example: { name: 'Ground' },
    },
    'isFloor',
    (value) => isRecord(value) && isText(value['name']),
  );
}

/** A list of pictures. */
export function OptionalMedia(): PropertyDecorator {
  const text = { type: 'string' as const };
  return optional(
    {
      type: 'array',
      maxItems: mostItems,
      items: {
        type: 'object',
        required: ['image'],
        properties: {
          image: { ...text, format: 'uri' },
          imageType: { ...text, nullable: true, description: 'floorplan, or null' },
          type: { ...text, default: 'image' },
        },
      },
    },
    'isMediaList',
    (value) => isList(value, isMedia),
  );
}

/** A switch. */
export function OptionalSwitch(): PropertyDecorator {
  return applyDecorators(ApiPropertyOptional({ type: Boolean }), MayBeOmitted(), IsBoolean());
}

function optional(options: object, name: string, isValid: Rule): PropertyDecorator {
  return applyDecorators(ApiPropertyOptional(options), MayBeOmitted(), rule(name, isValid));
}

function rule(name: string, isValid: Rule): PropertyDecorator {
  return ValidateBy({ name, validator: { validate: isValid } });
}

function isText(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > longestText) return false;
  return value.trim() !== '' && isStorableText(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isLanguage(key: string): boolean {
  return languages.some((language) => language === key);
}

function isLocalized(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const entries = Object.entries(value);
  return entries.length > 0 && entries.every(([key, text]) => isLanguage(key) && isText(text));
}

function isList(value: unknown, isItem: Rule): boolean {
  return Array.isArray(value) && value.length <= mostItems && value.every(isItem);
}

function isMedia(value: unknown): boolean {
  if (!isRecord(value) || !isText(value['image'])) return false;
  const { imageType, type } = value;
  const isKind = imageType === undefined || imageType === null || isText(imageType);
  return URL.canParse(value['image']) && isKind && (type === undefined || isText(type));
}
