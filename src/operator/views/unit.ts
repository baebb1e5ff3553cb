import type { FoundUnit } from '../../units/reading/unit-lookup.service.js';
import { createdAt, externalIdField, id, statusField, updatedAt } from './common.js';
import type { ViewField } from './field.js';

export const unitFields: readonly ViewField<FoundUnit>[] = [
  id,
  statusField,
  { title: 'unit.slug', kind: 'code', of: ({ slug }) => slug },
  { title: 'unit.unitId', kind: 'code', of: ({ unitId }) => unitId },
  externalIdField,
  {
    title: 'shared.compound',
    kind: 'name',
    of: ({ compound }) => compound,
    note: ({ compound, compoundId }) => (compound === null ? compoundId || null : null),
  },
  { title: 'unit.price', kind: 'number', of: ({ price }) => price || null },
  createdAt,
  updatedAt,
];
