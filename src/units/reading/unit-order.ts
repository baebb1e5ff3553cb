import type { Document } from 'mongodb';
import type { ComputedOrder, Run } from '../../core/database/documents/ordered-steps.js';
import type { Position } from '../../core/database/documents/positions.js';
import { defaultLanguage, type Language } from '../../core/localization/language.js';

/** Fields that units can be sorted by (rule UNIT-5). */
export const sortFields = [
  'createdAt',
  'updatedAt',
  'price',
  'bua',
  'beds',
  'name',
  'unitId',
  'status',
] as const;

/** What a filter finds of numbers that are shown as 0 and are not. */
const countsAsZero = [null, Number.NaN];
const noTranslation = [null, ''];

/** The order of a list: fields of {@link sortFields}, descending ones with a `-`. */
export interface UnitOrder {
  readonly sort: readonly string[];
  readonly language: Language;
}

/** The order of stored documents; ids decide between equal ones, so that pages do not overlap. */
export function sortOf({ sort, language }: UnitOrder): Record<string, 1 | -1> {
  const keys = sort.map((item): [string, 1 | -1] => {
    return [shownPath(item, language), item.startsWith('-') ? -1 : 1];
  });
  return { ...Object.fromEntries(keys), _id: keys.at(-1)?.[1] ?? 1 };
}

/** Where a document, as an order reads it, has the value that it is ordered by. */
export function shownPath(item: string, language: Language): string {
  const field = fieldOf(item);
  if (shownValue(field, language) !== null) return shownField(field);
  return field === 'name' ? `name.${language}` : field;
}

/** The filter on what is shown with a value of an order's field, and stands with it in the order. */
export function shownEqual(item: string, language: Language, value: unknown): Document {
  const field = fieldOf(item);
  const same = { $eq: value };
  if (field !== 'name') {
    const isNumber = shownValue(field, language) !== null;
    const isZero = isNumber && Number(String(value)) === 0;
    return { [field]: isZero ? { $in: [...countsAsZero, 0] } : same };
  }
  const [translated, fallback] = [`name.${language}`, `name.${defaultLanguage}`];
  if (language === defaultLanguage) return { [translated]: same };
  const standsIn = { [translated]: { $in: noTranslation }, [fallback]: same };
  return noTranslation.some((missing) => missing === value)
    ? standsIn
    : { $or: [{ [translated]: same }, standsIn] };
}

/**
 * How an order by what is shown comes from stored ones; null where it is a stored one. By one field it
 * is read in runs, by several it has to be sorted.
 */
export function computedOrder({ sort, language }: UnitOrder): ComputedOrder | null {
  const computed = sort.map(fieldOf).flatMap((field) => {
    const value = shownValue(field, language);
    return value === null ? [] : [[shownField(field), value] as const];
  });
  if (computed.length === 0) return null;
  const fields = Object.fromEntries(computed);
  const [item, ...others] = sort;
  if (item === undefined || others.length > 0) return { fields, runs: [], isSequence: false };
  const direction = item.startsWith('-') ? -1 : 1;
  return fieldOf(item) === 'name'
    ? { fields, runs: nameRuns(language, direction), isSequence: false }
    : { fields, runs: numberRuns(fieldOf(item), direction), isSequence: true };
}

/** What counts as 0 stands between the numbers below and all else, in the order of ids. */
function numberRuns(field: string, direction: 1 | -1): Run[] {
  const stored = { [field]: direction, _id: direction } as const;
  const runs: Run[] = [
    { filter: { [field]: { $lt: 0 } }, sort: stored, after: behindInRun(-1, direction) },
    {
      filter: { [field]: { $in: [...countsAsZero, 0] } },
      sort: { _id: direction },
      after: behindInRun(0, direction, ([_zero, id]) => [id]),
    },
    {
      filter: { [field]: { $not: { $lte: 0 }, $nin: countsAsZero } },
      sort: stored,
      after: behindInRun(1, direction),
    },
  ];
  return direction === 1 ? runs : runs.toReversed();
}

function behindInRun(
  sign: number,
  direction: 1 | -1,
  own = (position: Position) => position,
): Run['after'] {
  return (position) => {
    const distance = (sign - signOf(position[0])) * direction;
    if (distance === 0) return own(position);
    return distance > 0 ? undefined : null;
  };
}

/** Of no number like that of those above 0, which it stands behind. */
function signOf(value: unknown): number {
  const number = typeof value === 'number' ? value : Number(String(value));
  return Number.isNaN(number) ? 1 : Math.sign(number);
}

const sameInRun: Run['after'] = (position) => position;

/** Translated names, and the default ones of what has no translation. */
function nameRuns(language: Language, direction: 1 | -1): Run[] {
  const [translated, fallback] = [`name.${language}`, `name.${defaultLanguage}`];
  return [
    {
      filter: { [translated]: { $exists: true, $nin: noTranslation } },
      sort: { [translated]: direction, _id: direction },
      after: sameInRun,
    },
    {
      filter: { [translated]: { $in: noTranslation } },
      sort: { [fallback]: direction, _id: direction },
      after: sameInRun,
    },
  ];
}

/** A number that is missing is shown as 0, a missing translation as the default one. */
function shownValue(field: string, language: Language): object | null {
  if (['price', 'bua', 'beds'].includes(field)) {
    const number = { $ifNull: [`$${field}`, 0] };
    return { $cond: [{ $eq: [number, Number.NaN] }, 0, number] };
  }
  if (field !== 'name' || language === defaultLanguage) return null;
  const [translated, fallback] = [`$name.${language}`, `$name.${defaultLanguage}`];
  const isMissing = { $in: [{ $ifNull: [translated, ''] }, ['']] };
  return { $cond: [isMissing, fallback, translated] };
}

function shownField(field: string): string {
  return `shown-${field}`;
}

function fieldOf(item: string): string {
  return item.replace(/^-/, '');
}
