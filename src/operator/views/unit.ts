import type { FoundUnit } from '../../units/reading/unit-lookup.service.js';
import { createdAt, externalIdField, id, statusField, updatedAt } from './common.js';
import { field, type ViewField } from './field.js';

export const unitFields: readonly ViewField<FoundUnit>[] = [
  id,
  statusField,
  field('code', 'unit.slug', 'slug'),
  field('code', 'unit.unitId', 'unitId'),
  externalIdField,
  field('name', 'shared.compound', ({ compound }) => compound, {
    note: ({ compound, compoundId }) => (compound === null ? compoundId || null : null),
  }),
  field('number', 'unit.price', ({ price }) => price || null),
  createdAt,
  updatedAt,
];
