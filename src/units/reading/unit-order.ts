import { defaultLanguage, type Language } from '../../localization/language.js';

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

/** The order of a list: fields of {@link sortFields}, descending ones with a `-`. */
export interface UnitOrder {
  readonly sort: readonly string[];
  readonly language: Language;
}

/** The order of stored documents; ids decide between equal ones, so that pages do not overlap. */
export function sortOf({ sort, language }: UnitOrder): Record<string, 1 | -1> {
  const keys = sort.map((item): [string, 1 | -1] => {
    const field = fieldOf(item);
    const key = field === 'name' ? `name.${language}` : field;
    const isComputed = shownValue(field, language) !== null;
    return [isComputed ? shownField(field) : key, item.startsWith('-') ? -1 : 1];
  });
  return { ...Object.fromEntries(keys), _id: keys.at(-1)?.[1] ?? 1 };
}

/** The fields that an order needs and no document has: what is shown where that is no stored field. */
export function computedFields({ sort, language }: UnitOrder): Record<string, object> | null {
  const computed = sort.map(fieldOf).flatMap((field) => {
    const value = shownValue(field, language);
    return value === null ? [] : [[shownField(field), value] as const];
  });
  return computed.length === 0 ? null : Object.fromEntries(computed);
}

/** A number that is missing is shown as 0, a missing translation as the default one. */
function shownValue(field: string, language: Language): object | null {
  if (['price', 'bua', 'beds'].includes(field)) return { $ifNull: [`$${field}`, 0] };
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
