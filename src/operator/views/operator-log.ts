import type { OperatorLogEntry } from '../audit/operator-log.service.js';
import { type ViewField, recordPath } from './field.js';

type Entry = OperatorLogEntry & { readonly organizationName: string };

export const operatorLogFields: readonly ViewField<Entry>[] = [
  { title: 'shared.when', kind: 'time', of: ({ createdAt }) => createdAt },
  { title: 'shared.what', kind: 'status', of: ({ action }) => `log.action.${action}` as const },
  {
    title: 'log.subject',
    kind: 'status',
    of: ({ subject }) => `record.${subject}` as const,
  },
  {
    title: 'shared.id',
    kind: 'code',
    of: ({ subjectId }) => subjectId,
    to: ({ subject, subjectId, organizationId }) =>
      recordPath(subject, organizationId.toHexString(), subjectId),
  },
  { title: 'log.details', kind: 'code', of: ({ details }) => details },
  {
    title: 'log.result',
    kind: 'status',
    of: ({ result }) => `log.result.${result}` as const,
    note: ({ count }) => count,
  },
  { title: 'shared.organization', kind: 'text', of: ({ organizationName }) => organizationName },
  { title: 'log.who', kind: 'code', of: ({ address, session }) => `${address} ${session}` },
];
