import type { Order } from '../../core/database/documents/keyset.js';
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

/**
 * The order of stored units; ids decide between equal ones, so that pages do not overlap. A name that has
 * no translation stands before those that have one, in the order of the default names.
 *
 * @param sort fields of {@link sortFields}, descending ones with a `-`
 */
export function orderOf(sort: readonly string[], language: Language): Order {
  const order: Record<string, 1 | -1> = {};
  let direction: 1 | -1 = 1;
  for (const item of sort) {
    direction = item.startsWith('-') ? -1 : 1;
    const field = item.replace(/^-/, '');
    const names = [`name.${language}`, `name.${defaultLanguage}`];
    for (const path of field === 'name' ? names : [field]) order[path] ??= direction;
  }
  return { ...order, _id: direction };
}
