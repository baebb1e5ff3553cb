import type { CatalogueOverview } from '../catalogue-import/catalogue-overview.service.js';
import type { ViewField } from './field.js';

type Import = CatalogueOverview['imports'][number];

export const importFields: readonly ViewField<Import>[] = [
  { title: 'shared.started', kind: 'time', of: ({ createdAt }) => createdAt },
  {
    title: 'shared.state',
    kind: 'status',
    of: ({ state }) => `import.${state}` as const,
    severity: ({ state }) => (state === 'finished' ? 'good' : 'warn'),
  },
  { title: 'import.stored', kind: 'number', of: ({ done }) => done },
  { title: 'import.total', kind: 'number', of: ({ total }) => total },
  { title: 'import.created', kind: 'number', of: ({ created }) => created },
  { title: 'import.updated', kind: 'number', of: ({ updated }) => updated },
];
