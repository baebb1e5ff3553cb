import type { CatalogueOverview } from '../catalogue-import/catalogue-overview.service.js';
import { field, type ViewField } from './view-field.js';

type Import = CatalogueOverview['imports'][number];

const states: Readonly<Record<Import['state'], string>> = {
  running: 'running or interrupted',
  finished: 'finished',
  interrupted: 'stopped by an error',
};

export const importFields: readonly ViewField<Import>[] = [
  field('time', 'Started', 'createdAt'),
  field('status', 'State', ({ state }) => states[state], {
    severity: ({ state }) => (state === 'finished' ? 'good' : 'warn'),
  }),
  field('number', 'Entries stored', 'done'),
  field('number', 'Total entries', 'total'),
  field('number', 'Created', 'created'),
  field('number', 'Updated', 'updated'),
];
