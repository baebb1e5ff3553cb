import { applyDecorators } from '@nestjs/common';
import { Field, NamesInside } from '../../core/http/validation/field.js';
import { atMostItems } from '../../core/http/validation/fields.js';
import { isPlainObject } from '../../core/values/plain-object.js';
import { languages } from '../../core/localization/language.js';
import { isValid, type Rule } from '../../core/values/rule.js';
import { maxLength, shortText, shortTextLimit, webAddress } from '../../core/values/text.js';

const itemsLimit = 500;
const limited = { limit: shortTextLimit };
const { name: tooLong, isMet: isShort } = maxLength(shortTextLimit);
/** A text, or each of those in an object, is not too long. */
const fits: Rule = {
  name: tooLong,
  isMet: (value) =>
    (isPlainObject(value) ? Object.values(value) : [value]).every((text) => isShort(text)),
  values: limited,
};
/** How long a text may be is a rule of its own where the field is no list. */
const textOfAnyLength = shortText.filter(({ name }) => name !== tooLong);
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
      [fits, { name: 'isName', isMet: (value) => isText(value) || isLocalized(value) }],
    ),
    NamesInside(languages),
  );
}

/** The name of another document, or null for none. */
export function ReferenceField(description: string): PropertyDecorator {
  return Field({ ...textApi, nullable: true, description }, [
    fits,
    { name: 'isTextOrNull', isMet: (value) => value === null || isText(value) },
  ]);
}

export function TextsField(description: string): PropertyDecorator {
  return Field({ type: 'array', items: textApi, maxItems: itemsLimit, description }, [
    atMostItems(itemsLimit),
    { name: 'isTextList', isMet: (value) => isList(value, isShortText), values: limited },
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
      [fits, { name: 'isFloor', isMet: (value) => isPlainObject(value) && isText(value['name']) }],
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
        maxItems: itemsLimit,
        items: { type: 'object', required: ['image'], properties, additionalProperties: false },
      },
      [
        atMostItems(itemsLimit),
        { name: 'isMediaList', isMet: (value) => isList(value, isMedia), values: limited },
      ],
    ),
    NamesInside(Object.keys(properties)),
  );
}

function isText(value: unknown): boolean {
  return isValid(textOfAnyLength, value);
}

function isShortText(value: unknown): boolean {
  return isValid(shortText, value);
}

/** Names of other languages are told by themselves. */
function isLocalized(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const texts = languages.filter((language) => Object.hasOwn(value, language));
  return texts.length > 0 && texts.every((language) => isText(value[language]));
}

function isList(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

function isMedia(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const { image, imageType = null, type = 'image' } = value;
  const isTyped = (imageType === null || isShortText(imageType)) && isShortText(type);
  return isValid(webAddress, image) && isTyped;
}
