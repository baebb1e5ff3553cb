import { IsIn, IsString, ValidateIf } from 'class-validator';
import { parseDecimal, parseInteger } from '../values/numbers.js';
import { hasAtMost, maxExternalIdLength, splitList } from '../values/text.js';
import { Field, TimeField } from './fields.js';
import { IsStorable, type MessageContext, Rule } from './rules.js';

const maxPageLimit = 100;
export const defaultPageLimit = 10;

/** Items must not be empty; `\` escapes a comma. */
const listItem = String.raw`(?:[^,\\\x00]|\\,?)+`;

export function PageNumber(): PropertyDecorator {
  const maximum = Number.MAX_SAFE_INTEGER;
  return Field(
    { type: 'integer', minimum: 1, maximum, default: 1, description: 'Number of the page.' },
    IsPositive(maximum),
  );
}

export function PageLimit(): PropertyDecorator {
  return Field(
    {
      type: 'integer',
      minimum: 1,
      maximum: maxPageLimit,
      default: defaultPageLimit,
      description: 'Maximum number of items of a page.',
    },
    IsPositive(Infinity),
    Rule('doesNotExceed', (value) => (parseInteger(value, 0, Infinity) ?? 0) <= maxPageLimit, {
      limit: maxPageLimit,
    }),
  );
}

export function ValidateUnlessAllRequested(): PropertyDecorator {
  return ValidateIf((query: { all?: unknown }) => query.all !== '1');
}

export function ZeroOrOneField(description: string): PropertyDecorator {
  const isSwitch = IsIn(['0', '1'], { context: { rule: 'isSwitch' } });
  return Field({ type: 'integer', enum: [0, 1], default: 0, description }, isSwitch);
}

export function PlainNumber(description: string): PropertyDecorator {
  const range = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
  const isDecimal = Rule('isPlainNumber', (value) => parseDecimal(value) !== null);
  return Field({ type: 'number', ...range, description }, isDecimal);
}

export function WholeNumber(options: {
  readonly description: string;
  readonly minimum: number;
  readonly maximum?: number;
  readonly default?: number;
}): PropertyDecorator {
  const { minimum, maximum = Number.MAX_SAFE_INTEGER } = options;
  return Field(
    { type: 'integer', ...options, maximum },
    Rule('isWholeNumber', (value) => parseInteger(value, minimum, maximum) !== null, {
      minimum,
      maximum: String(maximum),
    }),
  );
}

const separatorNote = 'Several are separated by commas; a comma within a value is sent as \\,.';

/** Refuses a repeated parameter. */
export function CommaList(
  description: string,
  itemPattern = listItem,
  ...rules: readonly PropertyDecorator[]
): PropertyDecorator {
  const pattern = `^${itemPattern}(?:,${itemPattern})*$`;
  return Field(
    { type: 'string', pattern, description: `${description} ${separatorNote}` },
    Rule('isCommaList', (value) => !itemsOf(value).includes('')),
    IsStorable(),
    ...rules,
  );
}

export function EachItem(
  name: string,
  isMet: (item: string) => boolean,
  context: MessageContext,
): PropertyDecorator {
  return Rule(name, (value) => itemsOf(value).every(isMet), context);
}

export function ExternalIdList(description: string): PropertyDecorator {
  const limit = maxExternalIdLength;
  const isShort = EachItem('maxLength', (item) => hasAtMost(limit, item), { limit });
  return CommaList(description, listItem, isShort);
}

export function SortList(fields: readonly string[], fallback: string): PropertyDecorator {
  const list = fields.join(', ');
  const names = fields.join('|');
  return Field(
    {
      type: 'string',
      pattern: `^-?(${names})(,-?(${names})){0,${fields.length - 1}}$`,
      description:
        `Comma-separated list of ${list}, each at most once; - before a field for descending order. ` +
        `Without it ${fallback}, with updatedSince updatedAt.`,
    },
    Rule('isSortList', (value) => isSortList(value, fields), { fields: list }),
  );
}

/** A comma-separated list of some of the values. */
export function ChoiceList(values: readonly string[], description: string): PropertyDecorator {
  const context = { values: values.join(', ') };
  const isChoice = EachItem('isIn', (item) => values.includes(item), context);
  return CommaList(description, `(?:${values.join('|')})`, isChoice);
}

export function AfterCursor(start: string): PropertyDecorator {
  const description =
    'Value of next from the previous response, with otherwise the same parameters and without ' +
    `page. ${start}`;
  return Field({ type: 'string', description }, IsString());
}

function itemsOf(value: unknown): string[] {
  return typeof value === 'string' ? splitList(value) : [''];
}

function IsPositive(maximum: number): PropertyDecorator {
  return Rule('isPositiveNumber', (value) => parseInteger(value, 1, maximum) !== null);
}

function isSortList(value: unknown, fields: readonly string[]): boolean {
  if (typeof value !== 'string') return false;
  const named = value.split(',').map((item) => item.replace(/^-/, ''));
  return named.every((field) => fields.includes(field)) && new Set(named).size === named.length;
}

/** Declares the parameters for polling changes (rules COMP-3 and COMP-16). */
export class PollingQuery {
  @TimeField({
    description:
      'Returns records that changed since then, themselves or in a part that they show; the ' +
      'oldest change comes first unless sort is sent. Send the x-updated-as-of of the last ' +
      'page.',
  })
  updatedSince?: Date;

  @AfterCursor('0 starts a copy of everything in the order of ids.')
  after?: string;

  @ZeroOrOneField(
    '1 includes soft-deleted records (isDeleted: true), so that a poller can remove them.',
  )
  includeDeleted?: string;
}
