import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { ValidateBy, ValidateIf } from 'class-validator';
import { z } from 'zod';
import { MayBeOmitted } from './field-decorators.js';
import { isStorableText } from './json-body.js';
import { ruleMessage } from './rule-message.js';

/** Most items of a page (section 8). */
const pageLimit = 100;
/** Items of a page when the request does not say. */
export const defaultPageLimit = 10;

const time = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);
const strictQueries = new WeakSet<object>();

/** A query in which a parameter that is not known is a 400 that names it. */
export function RefusesUnknownParameters(): ClassDecorator {
  return (type) => void strictQueries.add(type);
}

/** Whether a query's class refuses parameters that it does not declare. */
export function refusesUnknownParameters(type: object): boolean {
  return strictQueries.has(type);
}

/** Number of the page, from 1. */
export function PageNumber(): PropertyDecorator {
  return applyDecorators(
    parameter({ type: 'integer', minimum: 1, default: 1, description: 'Number of the page.' }),
    rule('isPositiveNumber', (text) => isInteger(text) && Number(text) > 0 && isSafe(text)),
  );
}

/** How many items a page has. */
export function PageLimit(): PropertyDecorator {
  return applyDecorators(
    parameter({
      type: 'integer',
      minimum: 1,
      maximum: pageLimit,
      default: defaultPageLimit,
      description: 'Most items of a page.',
    }),
    rule('isPositiveNumber', (text) => isInteger(text) && Number(text) > 0),
    ValidateBy(
      {
        name: 'doesNotExceed',
        validator: { validate: (value) => !isInteger(value) || Number(value) <= pageLimit },
      },
      { message: ruleMessage('validation.doesNotExceed', { property: 'limit', limit: pageLimit }) },
    ),
  );
}

/** A parameter that means nothing, and is not checked, beside `all=1`. */
export function IgnoredWithAll(): PropertyDecorator {
  return ValidateIf((query: { all?: unknown }) => query.all !== '1');
}

/** A switch: 0 or 1. */
export function Switch(description: string): PropertyDecorator {
  return applyDecorators(
    parameter({ type: 'integer', enum: [0, 1], default: 0, description }),
    rule('isSwitch', (text) => text === '0' || text === '1'),
  );
}

/** A time in ISO 8601. */
export function Time(description: string): PropertyDecorator {
  return applyDecorators(
    parameter({ type: 'string', format: 'date-time', description }),
    rule('isTime', (text) => time.safeParse(text).success),
  );
}

/** A number that is not negative, in plain decimal notation. */
export function PlainNumber(description: string): PropertyDecorator {
  return applyDecorators(
    parameter({ type: 'number', minimum: 0, description }),
    rule('isPlainNumber', (text) => /^\d+(\.\d+)?$/.test(text) && isSafe(text)),
  );
}

/** Values separated by commas, none of them empty. */
export function CommaList(description: string): PropertyDecorator {
  return applyDecorators(
    parameter({ type: 'string', description }),
    rule('isCommaList', (text) => text.split(',').every((item) => item !== '')),
    rule('isStorableText', isStorableText),
  );
}

/** Fields separated by commas, each at most once, `-` before a field for descending order. */
export function SortList(fields: readonly string[], fallback: string): PropertyDecorator {
  return applyDecorators(
    parameter({
      type: 'string',
      default: fallback,
      description: `Comma list of ${fields.join(', ')}; - before a field for descending order.`,
    }),
    ValidateBy(
      { name: 'isSortList', validator: { validate: (value) => isSortList(value, fields) } },
      { message: ruleMessage('validation.isSortList', { fields: fields.join(', ') }) },
    ),
  );
}

function parameter(options: ApiPropertyOptions): PropertyDecorator {
  return applyDecorators(ApiPropertyOptional(options), MayBeOmitted());
}

/** A repeated parameter is a list, which no rule accepts. */
function rule(name: string, isValid: (text: string) => boolean): PropertyDecorator {
  return ValidateBy({
    name,
    validator: { validate: (value) => typeof value === 'string' && isValid(value) },
  });
}

function isInteger(value: unknown): boolean {
  return typeof value === 'string' && /^\d+$/.test(value);
}

function isSafe(text: string): boolean {
  return Number(text) <= Number.MAX_SAFE_INTEGER;
}

function isSortList(value: unknown, fields: readonly string[]): boolean {
  if (typeof value !== 'string') return false;
  const named = value.split(',').map((item) => item.replace(/^-/, ''));
  return named.every((field) => fields.includes(field)) && new Set(named).size === named.length;
}
