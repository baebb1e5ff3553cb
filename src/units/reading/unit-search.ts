import type { Types } from 'mongoose';
import type { TenantFilter } from '../../database/documents/tenant-filter.js';
import type { UnitDocument } from '../../catalogue/collections/unit.schema.js';
import { defaultLanguage, type Language } from '../../localization/language.js';

/** Fields that units can be sorted by ("Units and reservation records" 2). */
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

type Ids = readonly Types.ObjectId[];

/** Which units are wanted; what is left out does not matter. */
export interface UnitSearch {
  readonly statuses?: readonly string[];
  readonly rentalStatuses?: readonly string[];
  readonly saleTypes?: readonly string[];
  readonly unitIds?: readonly string[];
  readonly recordSystemIds?: readonly string[];
  readonly compoundIds?: Ids;
  readonly phaseIds?: Ids;
  readonly propertyTypeIds?: Ids;
  readonly unitDesignIds?: Ids;
  /** For each wanted amenity the ids that its name stands for; a unit has one of each. */
  readonly amenities?: readonly Ids[];
  readonly price?: NumberRange;
  readonly bua?: NumberRange;
  readonly beds?: NumberRange;
  readonly updatedSince?: Date;
  readonly includesDeleted: boolean;
}

/** A range of numbers with its ends. */
export interface NumberRange {
  readonly from?: number;
  readonly to?: number;
}

/** The order of a list: fields of {@link sortFields}, descending ones with a `-`. */
export interface UnitOrder {
  readonly sort: readonly string[];
  readonly language: Language;
}

/** The stored documents that a search means. */
export function filterOf(search: UnitSearch): TenantFilter<UnitDocument> {
  const conditions = [
    anyOf('status', search.statuses),
    anyOf('rentalStatus', search.rentalStatuses),
    anyOf('saleType', search.saleTypes),
    anyOf('unitId', search.unitIds),
    anyOf('recordSystemId', search.recordSystemIds),
    anyOf('compoundId', search.compoundIds),
    anyOf('locationId', search.phaseIds),
    anyOf('propertyTypeId', search.propertyTypeIds),
    anyOf('unitDesignId', search.unitDesignIds),
    ...(search.amenities ?? []).map((ids) => anyOf('amenitiesIds', ids)),
    within('price', search.price),
    within('bua', search.bua),
    within('beds', search.beds),
    search.updatedSince === undefined ? {} : { updatedAt: { $gte: search.updatedSince } },
    search.includesDeleted ? {} : { isDeleted: false },
  ].filter((condition) => Object.keys(condition).length > 0);
  return conditions.length === 0 ? {} : { $and: conditions };
}

/** The order of stored documents; ids decide between equal ones, so that pages do not overlap. */
export function orderOf({ sort, language }: UnitOrder): Record<string, 1 | -1> {
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

function anyOf(
  field: string,
  values: readonly (string | Types.ObjectId)[] | undefined,
): TenantFilter<UnitDocument> {
  return values === undefined ? {} : { [field]: { $in: values } };
}

function within(field: string, { from, to }: NumberRange = {}): TenantFilter<UnitDocument> {
  const range = {
    ...(from === undefined ? {} : { $gte: from }),
    ...(to === undefined ? {} : { $lte: to }),
  };
  return Object.keys(range).length === 0 ? {} : { [field]: range };
}
