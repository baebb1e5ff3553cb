import type { CatalogueOverview } from '../catalogue-import/catalogue-overview.service.js';
import { field, type ViewField } from './view-field.js';

type Import = CatalogueOverview['imports'][number];

export const importFields: readonly ViewField<Import>[] = [
  field('time', 'shared.started', 'createdAt'),
  field('status', 'shared.state', ({ state }) => `import.${state}` as const, {
    severity: ({ state }) => (state === 'finished' ? 'good' : 'warn'),
  }),
  field('number', 'import.stored', 'done'),
  field('number', 'import.total', 'total'),
  field('number', 'import.created', 'created'),
  field('number', 'import.updated', 'updated'),
];
