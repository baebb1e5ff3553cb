import type { OperatorLogEntry } from '../operator-log/operator-log.service.js';
import type { OperatorAction } from '../operator-log/operator-actions.js';
import { field, recordPath, type ViewField } from './view-field.js';

const actions: Readonly<Record<OperatorAction, string>> = {
  'catalogue.import': 'catalogue imported',
  'database.prepare': 'database prepared',
  'delivery.replay': 'delivery sent again',
  'delivery.show': 'personal data shown',
  'endpoint.add': 'endpoint added',
  'endpoint.disable': 'endpoint disabled',
  'endpoint.enable': 'endpoint enabled',
  'endpoint.remove': 'endpoint removed',
  'endpoint.replay': 'deliveries sent again',
  'endpoint.rotate_secret': 'secret rotated',
  'endpoint.test': 'endpoint tested',
  'endpoint.update': 'endpoint updated',
  'erasures.reapply': 'erasures reapplied',
  'erasures.show': 'erasures listed',
  'key.issue': 'key issued',
  'key.limit': 'rate limit changed',
  'key.revoke': 'key revoked',
  'key.rotate': 'key rotated',
  'key.update': 'key updated',
  'lead.erase': 'lead erased',
  'lead.show': 'personal data shown',
  'leads.import': 'leads imported',
  'organization.create': 'organization created',
  'organization.update': 'organization updated',
  'sandbox.create': 'sandbox created',
  'sandbox.reset': 'sandbox reset',
  'secrets.reseal': 'secrets resealed',
};
const results = { begun: 'started', done: 'done', failed: 'failed' } as const;

type Entry = OperatorLogEntry & { readonly organizationName: string };

export const operatorLogFields: readonly ViewField<Entry>[] = [
  field('time', 'Time', 'createdAt'),
  // An entry of an earlier version is shown as stored.
  field('status', 'Action', ({ action }) => actions[action] ?? action),
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
