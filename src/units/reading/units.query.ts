import type { SortOrder } from '../../core/database/documents/keyset.js';
import { Field, IsOneOf } from '../../core/validation/fields.js';
import {
  CommaList,
  ExternalIdList,
  PageLimit,
  PageNumber,
  PlainNumber,
  PollingQuery,
  SortList,
  ZeroOrOneField,
} from '../../core/validation/query-fields.js';
import { type Language, defaultLanguage } from '../../core/localization/language.js';

const sortFields = [
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
 * `_id` orders equal units, so that pages do not overlap. Units without a translated name come first, by their
 * default name.
 */
export function orderOf(sort: readonly string[], language: Language): SortOrder {
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

export const exportFormats = ['json', 'csv', 'ndjson'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export class UnitFiltersQuery extends PollingQuery {
  @SortList(sortFields, '-createdAt')
  sort?: string;

  @CommaList('Any of these statuses, in any case.')
  status?: string;

  @CommaList('Any of these rental statuses, in any case.')
  rentalStatus?: string;

  @CommaList('Any of these sale types, in any case.')
  saleType?: string;

  @CommaList('Any of these property types: names or slugs, in any case.')
  propertyType?: string;

  @CommaList('In any of these compounds: slugs in any case.')
  compound?: string;

  @CommaList('In any of these phases: slugs in any case.')
  phase?: string;

  @CommaList('Of any of these unit designs: slugs in any case.')
  unitDesign?: string;

  @ExternalIdList('Any of these unit ids.')
  unitId?: string;

  @ExternalIdList('Any of these external ids.')
  recordSystemId?: string;

  @CommaList('All of these amenities: names in any language and case.')
  amenities?: string;

  @PlainNumber('Lowest price.')
  minPrice?: string;

  @PlainNumber('Highest price.')
  maxPrice?: string;

  @PlainNumber('Smallest built-up area in square meters.')
  minBua?: string;

  @PlainNumber('Largest built-up area in square meters.')
  maxBua?: string;

  @PlainNumber('Fewest bedrooms.')
  minBeds?: string;

  @PlainNumber('Most bedrooms.')
  maxBeds?: string;
}

export class ListUnitsQuery extends UnitFiltersQuery {
  @PageNumber()
  page?: string;

  @PageLimit()
  limit?: string;
}

export class ExportUnitsQuery extends UnitFiltersQuery {
  @Field(
    {
      enum: [...exportFormats],
      description: 'Overrides the Accept header.',
    },
    IsOneOf(exportFormats),
  )
  format?: ExportFormat;

  @ZeroOrOneField('1 starts CSV with a byte-order mark, by which spreadsheets recognize UTF-8.')
  bom?: string;
}
