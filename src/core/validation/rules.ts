import {
  ArrayMaxSize,
  ArrayNotEmpty,
  buildMessage,
  IsNotEmpty,
  IsNumber,
  ValidateBy,
  type ValidationArguments,
} from 'class-validator';
import { isLong, isPlainObject } from '../values/json.js';
import { isQuantity } from '../values/numbers.js';
import { hasAtMost, isPathSegment, isStorableText, isWebAddress } from '../values/text.js';
import { isWithoutZone } from '../values/time.js';

/**
 * The context of a rule has the variables of its message in `validation.json`, whose key is the name of the rule, or
 * `rule` if several rules share a message. `property` replaces the name of the field.
 */
export type MessageContext = Readonly<Record<string, string | number>>;

/** Declares a rule that class-validator does not have. Names must be unique within a field. */
export function Rule(
  name: string,
  isMet: (value: unknown, dto: object | undefined) => boolean,
  context?: MessageContext,
): PropertyDecorator {
  const validate = (value: unknown, args?: ValidationArguments) => isMet(value, args?.object);
  const defaultMessage = buildMessage((each) => `${each}$property must satisfy ${name}`);
  return ValidateBy({ name, validator: { validate, defaultMessage } }, { context });
}

/** Accepts other types, so that only their type is reported. */
export function ifText(isMet: (text: string) => boolean): (value: unknown) => boolean {
  return (value) => typeof value !== 'string' || isMet(value);
}

function TextRule(
  name: string,
  isMet: (text: string) => boolean,
  context?: MessageContext,
): PropertyDecorator {
  return Rule(name, ifText(isMet), context);
}

const ofTexts = { validateIf: (_dto: object, value: unknown) => typeof value === 'string' };
const ofLists = { validateIf: (_dto: object, value: unknown) => Array.isArray(value) };
const ofDoubles = { validateIf: (_dto: object, value: unknown) => !isLong(value) };

export const IsNotEmptyText = (): PropertyDecorator => IsNotEmpty(ofTexts);

export const IsNotBlank = (): PropertyDecorator =>
  TextRule('isNotEmpty', (text) => text.trim() !== '');

export const IsWellFormed = (): PropertyDecorator =>
  TextRule('isStorableText', (text) => text.isWellFormed());

export const IsStorable = (): PropertyDecorator => TextRule('isStorableText', isStorableText);

/** Unlike `MaxLength`, it counts every code point, as OpenAPI does. */
export const MaxCharacters = (limit: number): PropertyDecorator =>
  TextRule('maxLength', (text) => hasAtMost(limit, text), { limit });

export const IsPathSegment = (): PropertyDecorator => TextRule('isSlug', isPathSegment);

export const IsWebAddress = (): PropertyDecorator => Rule('isWebAddress', isWebAddress);

/** 64-bit integers, which are objects, are judged by {@link IsExact}. */
export const IsFinite = (): PropertyDecorator => IsNumber({}, ofDoubles);

export const IsQuantity = (): PropertyDecorator => Rule('isQuantity', isQuantity);

/** Refuses integers that a double would change (rule HTTP-8). */
export const IsExact = (): PropertyDecorator =>
  Rule('isExactNumber', (value) => !isLong(value), { digits: 15 });

/** Unlike `IsObject`, it refuses 64-bit integers. */
export const IsPlainObject = (): PropertyDecorator => Rule('isObject', isPlainObject);

/** Judges parsed times; `parseTime` leaves others as they were sent. */
export const IsTime = (): PropertyDecorator =>
  Rule('isTime', (value) => value instanceof Date || isWithoutZone(value));

export const HasTimeZone = (): PropertyDecorator =>
  Rule('hasTimeZone', (value) => !isWithoutZone(value));

export const IsNotEmptyList = (): PropertyDecorator => ArrayNotEmpty(ofLists);

export const MaxItems = (limit: number): PropertyDecorator =>
  ArrayMaxSize(limit, { ...ofLists, context: { limit } });
