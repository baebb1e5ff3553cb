import type { OperatorLogEntry } from '../operator-log/operator-log.service.js';
import type { OperatorAction } from '../operator-log/operator-log.schema.js';
import { field, recordPath, type ViewField } from './view-field.js';

const actions: Readonly<Record<OperatorAction, string>> = {
  show: 'personal data shown',
  replay: 'sent again',
  enable: 'enabled',
  disable: 'disabled',
  erase: 'erased',
  import: 'imported',
  create: 'created',
  reset: 'contents replaced',
  prepare: 'prepared',
  reseal: 'secrets resealed',
  test: 'tested',
  add: 'endpoint added',
  update: 'changed',
  remove: 'removed',
  rotate: 'secret replaced',
  issue: 'key issued',
  limit: 'limit changed',
  revoke: 'revoked',
};
const results = { begun: 'started', done: 'done', failed: 'failed' } as const;

type Entry = OperatorLogEntry & { readonly organizationName: string };

export const operatorLogFields: readonly ViewField<Entry>[] = [
  field('time', 'Time', 'createdAt'),
  field('status', 'Action', ({ action }) => actions[action]),
  field('text', 'Subject', 'subject'),
  field('code', 'ID', ({ subjectId }) => subjectId, {
    to: ({ subject, subjectId, organizationId }) =>
      recordPath(subject, organizationId.toHexString(), subjectId),
  }),
  field('code', 'Details', 'details'),
  field('status', 'Result', ({ result }) => results[result], {
    note: ({ count }) => count,
  }),
  field('text', 'Organization', 'organizationName'),
  field('code', 'Address and session', ({ address, session }) => `${address} ${session}`),
];
