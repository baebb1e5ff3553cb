import { SchemaFactory } from '@nestjs/mongoose';
import { addChangeIndexes, addUniqueIndex } from '../../core/database/documents/tenant-document.js';
import type { TenantFilter } from '../../core/database/documents/tenant-queries.js';
import { defaultLanguage, type Language, languages } from '../../core/localization/language.js';
import { UnitDocument } from './unit-document.js';

/** Partial indexes of these fields hold only units with the field, so the planner uses them for these filters alone. */
const partialFilterFields = [
  'unitDesignId',
  'locationId',
  'compoundId',
  'amenitiesIds',
  'propertyTypeId',
] as const satisfies readonly (keyof UnitDocument)[];

/** Indexes of these fields hold all units and also serve `distinct` and conditions that match a missing field. */
const fullFilterFields = [
  'saleType',
  'rentalStatus',
] as const satisfies readonly (keyof UnitDocument)[];

const unitOrderFields = [
  'unitId',
  'price',
  'bua',
  'beds',
  'status',
] as const satisfies readonly (keyof UnitDocument)[];

/** The fields whose distinct values an index of all units lists. */
export type ListableUnitField = 'status' | (typeof fullFilterFields)[number];

const unitVisibilityIndex = 'by-visibility';

export const unitSchema = SchemaFactory.createForClass(UnitDocument);

addUniqueIndex(unitSchema, 'slug');
addUniqueIndex(unitSchema, 'recordSystemId');
addUniqueIndex(unitSchema, 'unitId', { compoundId: 1, unitId: 1 });
addChangeIndexes(unitSchema);
/** Full copies read documents in the order of `_id`. */
unitSchema.index({ organizationId: 1, _id: 1 }, { name: 'byOrganization' });

// With `isDeleted` in the index, the server counts without reading documents.
const organizationPrefix = { organizationId: 1, isDeleted: 1 } as const;
unitSchema.index({ ...organizationPrefix, createdAt: -1, _id: -1 }, { name: 'by-createdAt' });
for (const field of unitOrderFields) {
  unitSchema.index({ ...organizationPrefix, [field]: 1, _id: 1 }, { name: `by-${field}` });
}
const newestFirst = { createdAt: -1, _id: -1 } as const;
for (const field of partialFilterFields) {
  const partialFilterExpression = { [field]: { $exists: true } };
  const options = { name: `by-${field}`, partialFilterExpression };
  unitSchema.index({ ...organizationPrefix, [field]: 1, ...newestFirst }, options);
}
for (const field of fullFilterFields) {
  unitSchema.index({ ...organizationPrefix, [field]: 1, ...newestFirst }, { name: `by-${field}` });
}
/** Lets the server count the units that keys with public visibility see without reading documents. */
unitSchema.index(
  { ...organizationPrefix, isAdminOnly: 1, compoundId: 1 },
  { name: unitVisibilityIndex },
);
/** Units without a translation are sorted by the default name. */
for (const language of languages) {
  const names = { [`name.${language}`]: 1, [`name.${defaultLanguage}`]: 1 } as const;
  unitSchema.index({ ...organizationPrefix, ...names, _id: 1 }, { name: `by-name.${language}` });
}

const mostSelectiveFirst: readonly string[] = [
  'unitId',
  ...partialFilterFields,
  ...unitOrderFields.filter((field) => field !== 'unitId'),
  ...fullFilterFields,
];

/**
 * Names the most selective index when several conditions apply: the planner samples only the first entries of each
 * index, where all conditions may match. Returns undefined otherwise.
 */
export function countIndexFor(filter: TenantFilter<UnitDocument>): string | undefined {
  const fields = indexedFieldsOf(filter);
  const [narrowest, ...others] = mostSelectiveFirst.filter((field) => fields.includes(field));
  const conditions = conditionsOf(filter).map(([field]) => field);
  const isCovered = conditions.every((field) => ['isDeleted', 'compoundId'].includes(field));
  if ('isAdminOnly' in filter && isCovered) return unitVisibilityIndex;
  return narrowest !== undefined && others.length > 0 ? `by-${narrowest}` : undefined;
}

/**
 * Names the index, because the planner would otherwise try every index of the organization down to the depth of the
 * page. Returns undefined if a filter's index may beat the sort index.
 */
export function readIndexFor(
  filter: TenantFilter<UnitDocument>,
  [item, ...others]: readonly string[],
  language: Language,
): string | undefined {
  if (item === undefined || others.length > 0) return undefined;
  const field = item.replace(/^-/, '');
  const conditions = conditionsOf(filter).filter(([name]) => name !== 'isDeleted');
  if (conditions.every(([name]) => name === field)) return indexOfOrder(field, language);
  const [only, ...further] = indexedFieldsOf(filter).filter((name) => listsNewestFirst(name));
  const isOnly = further.length === 0 && conditions.length === 1;
  return only !== undefined && isOnly && field === 'createdAt' ? `by-${only}` : undefined;
}

function indexOfOrder(field: string, language: Language): string | undefined {
  if (field === 'name') return `by-name.${language}`;
  const isIndexed = field === 'createdAt' || unitOrderFields.some((name) => name === field);
  return isIndexed ? `by-${field}` : undefined;
}

const isPartial = (field: string) => partialFilterFields.some((name) => name === field);
const listsNewestFirst = (field: string) =>
  isPartial(field) || fullFilterFields.some((name) => name === field);

/** Skips partial indexes for conditions that also match units without the field, such as `$ne`. */
function indexedFieldsOf(filter: TenantFilter<UnitDocument>): string[] {
  return conditionsOf(filter)
    .filter(([field, condition]) => !isPartial(field) || '$in' in Object(condition))
    .map(([field]) => field);
}

function conditionsOf({ $and = [] }: TenantFilter<UnitDocument>): [string, unknown][] {
  return $and.flatMap((condition) => Object.entries(condition));
}
