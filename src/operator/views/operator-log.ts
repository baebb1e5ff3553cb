import type { OperatorLogEntry } from '../operator-log/operator-log.service.js';
import { field, recordPath, type ViewField } from './view-field.js';

type Entry = OperatorLogEntry & { readonly organizationName: string };

export const operatorLogFields: readonly ViewField<Entry>[] = [
  field('time', 'shared.when', 'createdAt'),
  field('status', 'shared.type', ({ action }) => `log.action.${action}` as const),
  field('status', 'log.subject', ({ subject }) => `record.${subject}` as const),
  field('code', 'shared.id', ({ subjectId }) => subjectId, {
    to: ({ subject, subjectId, organizationId }) =>
      recordPath(subject, organizationId.toHexString(), subjectId),
  }),
  field('code', 'log.details', 'details'),
  field('status', 'log.result', ({ result }) => `log.result.${result}` as const, {
    note: ({ count }) => count,
  }),
  field('text', 'shared.organization', 'organizationName'),
  field('code', 'log.who', ({ address, session }) => `${address} ${session}`),
];
