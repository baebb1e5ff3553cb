import type { UnitDocument } from '../../catalogue/collections/unit-document.js';
import { unitFilterFields, unitOrderFields } from '../../catalogue/collections/unit.schema.js';
import type { TenantFilter } from '../../core/database/documents/tenant-queries.js';
import type { Language } from '../../core/localization/language.js';

/** Filter fields with an index, the most selective first. */
const narrowing: readonly string[] = [
  'unitId',
  ...unitFilterFields.filter((field) => field.endsWith('Id') || field.endsWith('Ids')),
  ...unitOrderFields.filter((field) => field !== 'unitId'),
  'saleType',
  'rentalStatus',
];

/**
 * The index that counts fastest; undefined if the planner finds it. The planner judges indexes by their first
 * entries, which may match several conditions everywhere.
 */
export function indexToCountBy(filter: TenantFilter<UnitDocument>): string | undefined {
  const fields = fieldsOf(filter);
  const [narrowest, ...others] = narrowing.filter((field) => fields.includes(field));
  return narrowest !== undefined && others.length > 0 ? `by-${narrowest}` : undefined;
}

/**
 * The index that has the order; undefined if the planner may know a better one. The planner would try every
 * index of the organization as deep as the page.
 */
export function indexToReadBy(
  filter: TenantFilter<UnitDocument>,
  [item, ...others]: readonly string[],
  language: Language,
): string | undefined {
  if (item === undefined || others.length > 0) return undefined;
  const field = item.replace(/^-/, '');
  const conditions = fieldsOf(filter).filter((name) => name !== 'isDeleted');
  if (conditions.every((name) => name === field)) return indexOfOrder(field, language);
  const [only, ...further] = unitFilterFields.filter((name) => conditions.includes(name));
  const isOnly = further.length === 0 && conditions.length === 1;
  return only !== undefined && isOnly && field === 'createdAt' ? `by-${only}` : undefined;
}

function indexOfOrder(field: string, language: Language): string | undefined {
  if (field === 'name') return `by-name.${language}`;
  const isIndexed = field === 'createdAt' || unitOrderFields.some((name) => name === field);
  return isIndexed ? `by-${field}` : undefined;
}

function fieldsOf({ $and = [] }: TenantFilter<UnitDocument>): string[] {
  return $and.flatMap((condition) => Object.keys(condition));
}
