import { applyDecorators } from '@nestjs/common';
import {
  ApiProperty,
  type ApiPropertyOptions,
  ApiSchema,
  type ApiSchemaOptions,
} from '@nestjs/swagger';
import {
  IsArray,
  IsBoolean,
  IsEmail,
  IsEnum,
  IsIn,
  IsOptional,
  IsString,
  Matches,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { languages } from '../localization/language.js';
import { withoutInvisible } from '../values/email.js';
import { isPlainObject } from '../values/json.js';
import {
  hasAtMost,
  isShortText,
  isVisibleText,
  maxExternalIdLength,
  maxShortTextLength,
  maxSlugLength,
} from '../values/text.js';
import { parseTime } from '../values/time.js';
import { type DtoClass, ReadAs } from './dto-reader.js';
import {
  HasTimeZone,
  IsExact,
  IsFinite,
  IsNotBlank,
  IsNotEmptyList,
  IsNotEmptyText,
  IsPathSegment,
  IsPlainObject,
  IsQuantity,
  IsStorable,
  IsTime,
  IsWebAddress,
  IsWellFormed,
  MaxCharacters,
  MaxItems,
  Rule,
} from './rules.js';

/** Optional unless `required`. Null counts as not sent (rule HTTP-9), unless it is documented as a value. */
export function Field(
  api: ApiPropertyOptions,
  ...rules: readonly PropertyDecorator[]
): PropertyDecorator {
  const { nullable: isNullable = false } = api as { nullable?: boolean };
  const condition = isNullable ? IsOptionalOrNull() : IsOptional();
  return applyDecorators(
    ApiProperty({ required: false, ...api } as ApiPropertyOptions),
    // On an object, `required` may also be its list of required fields.
    ...(api.required === true ? [] : [condition]),
    ...rules,
  );
}

/** The reader of DTOs drops null from a field with `IsOptional`, but not from this one. */
function IsOptionalOrNull(): PropertyDecorator {
  return ValidateIf((_dto, value) => value !== undefined && value !== null);
}

/** Documents rules over several fields as JSON Schema, but does not check them. */
export function CrossFieldRules(
  rules:
    | { readonly anyOf: readonly { readonly required: readonly string[] }[] }
    | { readonly dependentRequired: Readonly<Record<string, readonly string[]>> },
): ClassDecorator {
  return ApiSchema(rules as ApiSchemaOptions);
}

export const externalIdApi = {
  type: 'string',
  minLength: 1,
  maxLength: maxExternalIdLength,
  pattern: String.raw`^[^\x00]+$`,
} as const;

const shortTextApi = {
  type: 'string',
  minLength: 1,
  maxLength: maxShortTextLength,
  pattern: String.raw`^[^\x00]*[^\s\x00][^\x00]*$`,
} as const;

export function TextField(
  options: ApiPropertyOptions = {},
  ...rules: readonly PropertyDecorator[]
): PropertyDecorator {
  const api = { type: String, minLength: 1, ...options };
  return Field(api, IsString(), IsNotEmptyText(), IsWellFormed(), ...rules);
}

export function ShortTextField(
  options: ApiPropertyOptions = {},
  ...rules: readonly PropertyDecorator[]
): PropertyDecorator {
  const own = [IsString(), IsNotBlank(), MaxCharacters(maxShortTextLength), IsStorable()];
  return Field({ ...shortTextApi, ...options }, ...own, ...rules);
}

export function SlugField(options: ApiPropertyOptions = {}): PropertyDecorator {
  return ShortTextField(options, MaxCharacters(maxSlugLength), IsPathSegment());
}

export function UrlField(options: ApiPropertyOptions = {}): PropertyDecorator {
  return ShortTextField({ format: 'uri', ...options }, IsWebAddress());
}

export function TextOrNullField(options: ApiPropertyOptions = {}): PropertyDecorator {
  const api = { ...shortTextApi, nullable: true, ...options } as ApiPropertyOptions;
  return Field(api, MaxCharacters(maxShortTextLength), Rule('isTextOrNull', isVisibleText));
}

const localizedTextApi = {
  oneOf: [
    { ...shortTextApi, description: 'In the language of the request.' },
    {
      type: 'object',
      properties: { 'en-us': shortTextApi, 'ar-eg': shortTextApi },
      minProperties: 1,
      additionalProperties: false,
    },
  ],
};

/** A text in the language of the request, or an object with one for each language. */
export function LocalizedTextField(options: ApiPropertyOptions = {}): PropertyDecorator {
  return Field(
    { ...localizedTextApi, ...options },
    ReadAs({ names: languages }),
    Rule('maxLength', hasShortTexts, { limit: maxShortTextLength }),
    Rule('isName', (value) => isVisibleText(value) || isTranslated(value)),
  );
}

function hasShortTexts(value: unknown): boolean {
  const texts = isPlainObject(value) ? Object.values(value) : [value];
  return texts.every((text) => typeof text !== 'string' || hasAtMost(maxShortTextLength, text));
}

/** Other languages are reported as unknown names. */
function isTranslated(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const sent = languages.filter((language) => Object.hasOwn(value, language));
  return sent.length > 0 && sent.every((language) => isVisibleText(value[language]));
}

export function ExternalIdField(options: ApiPropertyOptions): PropertyDecorator {
  const rules = [IsString(), IsNotEmptyText(), MaxCharacters(maxExternalIdLength), IsStorable()];
  return Field({ ...externalIdApi, ...options }, ...rules);
}

export function EmailField(options: ApiPropertyOptions): PropertyDecorator {
  const isVisible = Matches(withoutInvisible, { context: { rule: 'isEmail' } });
  return Field({ type: String, format: 'email', ...options }, IsEmail(), isVisible);
}

export function NumberField(options: ApiPropertyOptions): PropertyDecorator {
  return Field({ type: Number, ...options }, IsFinite(), IsExact());
}

export function QuantityField(options: ApiPropertyOptions = {}): PropertyDecorator {
  return Field({ type: Number, minimum: 0, ...options }, IsQuantity(), IsExact());
}

export function BooleanField(options: ApiPropertyOptions = {}): PropertyDecorator {
  return Field({ type: Boolean, ...options }, IsBoolean());
}

export function TimeField(options: ApiPropertyOptions): PropertyDecorator {
  const api = { type: String, format: 'date-time', ...options } as ApiPropertyOptions;
  return Field(api, ReadAs({ parse: timeOrValue }), IsTime(), HasTimeZone());
}

function timeOrValue(value: unknown): unknown {
  return parseTime(value) ?? value;
}

/** An invalid status gets two messages (rule CALL-1). */
export function StatusField(
  statuses: readonly string[],
  options: ApiPropertyOptions,
  ...rules: readonly PropertyDecorator[]
): PropertyDecorator {
  const values = statuses.join(', ');
  return Field(
    { type: String, enum: [...statuses], example: statuses[1], ...options },
    ...rules,
    IsEnum(statuses, { context: { rule: 'isValidEnum', values } }),
    IsOneOf(statuses),
  );
}

export function IsOneOf(values: readonly string[]): PropertyDecorator {
  return IsIn(values, { context: { values: values.join(', ') } });
}

export function ObjectField(
  options: ApiPropertyOptions,
  ...rules: readonly PropertyDecorator[]
): PropertyDecorator {
  const api = { type: 'object', additionalProperties: true, ...options } as ApiPropertyOptions;
  return Field(api, ...rules, IsPlainObject());
}

export const maxListItems = 500;

export function TextListField(options: ApiPropertyOptions = {}): PropertyDecorator {
  return Field(
    {
      type: 'array',
      items: shortTextApi,
      maxItems: maxListItems,
      ...options,
    },
    MaxItems(maxListItems),
    Rule('isTextList', isTextList, { limit: maxShortTextLength }),
  );
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isShortText);
}

type ListOptions = ApiPropertyOptions & { maxItems: number };

/** A `required` list must not be empty. */
export function ItemsField(
  type: DtoClass,
  options: ListOptions,
  ...rules: readonly PropertyDecorator[]
): PropertyDecorator {
  return applyDecorators(
    SeparatelyValidatedItems(type, options, ...rules),
    ValidateNested({ each: true }),
  );
}

/** Differs from {@link ItemsField}: the service validates each item, and null is not an object. */
export function SeparatelyValidatedItems(
  type: DtoClass,
  { maxItems, ...options }: ListOptions,
  ...rules: readonly PropertyDecorator[]
): PropertyDecorator {
  const isRequired = options.required === true;
  return Field(
    { type: [type], ...(isRequired && { minItems: 1 }), maxItems, ...options },
    ReadAs({ type, maxItems }),
    ...(isRequired ? [IsNotEmptyList()] : []),
    ...rules,
    MaxItems(maxItems),
    IsArray(),
  );
}

export function NestedField(type: DtoClass, options: ApiPropertyOptions = {}): PropertyDecorator {
  return Field({ type, ...options }, ReadAs({ type }), IsPlainObject(), ValidateNested());
}
