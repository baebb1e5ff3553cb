import type { LoggedRequest } from '../requests/request-log.service.js';
import type { Field } from './field.js';

/** A request that was refused or half understood, in a list. */
export const requestFields: readonly Field<LoggedRequest>[] = [
  { title: 'shared.when', kind: 'time', of: ({ time }) => time },
  { title: 'requests.route', kind: 'code', of: ({ route }) => route },
  {
    title: 'shared.status',
    kind: 'number',
    of: ({ status }) => status,
    mood: ({ status }) => (status < 400 ? 'warn' : 'bad'),
  },
  { title: 'requests.codes', kind: 'code', of: ({ errorCodes }) => errorCodes },
  { title: 'requests.messages', kind: 'text', of: ({ messages }) => messages },
  { title: 'requests.ignored', kind: 'code', of: ({ ignoredFields }) => ignoredFields },
  { title: 'requests.took', kind: 'duration', of: ({ durationMs }) => durationMs },
  { title: 'shared.request', kind: 'code', of: ({ requestId }) => requestId },
];
