import { applyDecorators } from '@nestjs/common';
import { Field, NamesInside } from '../../http/validation/field.js';
import { isPlainObject } from '../../values/plain-object.js';
import { languages } from '../../localization/language.js';
import { isValid } from '../../values/rule.js';
import { shortText, shortTextLimit } from '../../values/text.js';
import { webAddress } from '../../values/web-address.js';

const maxItems = 500;
/** A text with something in it, and without a null character. */
const textApi = {
  type: 'string' as const,
  minLength: 1,
  maxLength: shortTextLimit,
  pattern: String.raw`^[^\x00]*[^\s\x00][^\x00]*$`,
};

/** A text in the language of the request, or one in several languages. */
export function NameField(): PropertyDecorator {
  return applyDecorators(
    Field(
      {
        oneOf: [
          { ...textApi, description: 'In the language of the request.' },
          {
            type: 'object',
            properties: { 'en-us': textApi, 'ar-eg': textApi },
            minProperties: 1,
            additionalProperties: false,
          },
        ],
        example: { 'en-us': 'Garden Villa', 'ar-eg': 'فيلا بحديقة' },
      },
      [{ name: 'isName', isMet: (value) => isText(value) || isLocalized(value) }],
    ),
    NamesInside(languages),
  );
}

/** The name of another document, or null for none. */
export function ReferenceField(description: string): PropertyDecorator {
  return Field({ ...textApi, nullable: true, description }, [
    { name: 'isTextOrNull', isMet: (value) => value === null || isText(value) },
  ]);
}

export function TextsField(description: string): PropertyDecorator {
  return Field({ type: 'array', items: textApi, maxItems, description }, [
    { name: 'isTextList', isMet: (value) => isList(value, isText) },
  ]);
}

export function FloorField(): PropertyDecorator {
  return applyDecorators(
    Field(
      {
        type: 'object',
        properties: { name: textApi },
        required: ['name'],
        additionalProperties: false,
        example: { name: 'Ground' },
      },
      [{ name: 'isFloor', isMet: (value) => isPlainObject(value) && isText(value['name']) }],
    ),
    NamesInside(['name']),
  );
}

export function MediaField(): PropertyDecorator {
  const properties = {
    image: { ...textApi, format: 'uri' },
    imageType: { ...textApi, nullable: true, description: 'floorplan, or null' },
    type: { ...textApi, default: 'image' },
  };
  return applyDecorators(
    Field(
      {
        type: 'array',
        maxItems,
        items: { type: 'object', required: ['image'], properties, additionalProperties: false },
      },
      [{ name: 'isMediaList', isMet: (value) => isList(value, isMedia) }],
    ),
    NamesInside(Object.keys(properties)),
  );
}

function isText(value: unknown): boolean {
  return isValid(shortText, value);
}

/** Names of other languages are told by themselves. */
function isLocalized(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const texts = languages.filter((language) => Object.hasOwn(value, language));
  return texts.length > 0 && texts.every((language) => isText(value[language]));
}

function isList(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length <= maxItems && value.every(isItem);
}

function isMedia(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const { image, imageType = null, type = 'image' } = value;
  return isValid(webAddress, image) && (imageType === null || isText(imageType)) && isText(type);
}
