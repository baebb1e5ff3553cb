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
    const field = item.replace(/^-/, '');
    const key = field === 'name' ? nameKey(language) : field;
    return [key, item.startsWith('-') ? -1 : 1];
  });
  return { ...Object.fromEntries(keys), _id: keys.at(-1)?.[1] ?? 1 };
}

/** Field that the shown name is computed into where it is not simply a stored one. */
const shownName = 'shownName';

function nameKey(language: Language): string {
  return language === defaultLanguage ? `name.${language}` : shownName;
}

/** The field that an order needs and no document has: the name as it is shown, with its fallback. */
export function computedFields({ sort, language }: UnitOrder): Record<string, object> | null {
  const sortsByName = sort.some((item) => item.replace(/^-/, '') === 'name');
  if (!sortsByName || language === defaultLanguage) return null;
  const [translated, fallback] = [`$name.${language}`, `$name.${defaultLanguage}`];
  const isMissing = { $in: [{ $ifNull: [translated, ''] }, ['']] };
  return { [shownName]: { $cond: [isMissing, fallback, translated] } };
}
