import type { LoggedRequest } from '../request-log/request-log.service.js';
import type { Partner } from '../usage/partners.service.js';
import { field, type Severity, type ViewField } from './view-field.js';

const severities: Readonly<Record<Partner['state'], Severity>> = {
  silent: 'bad',
  failing: 'bad',
  quieter: 'warn',
  busier: 'warn',
  new: 'note',
  usual: 'good',
  unused: 'note',
  ended: 'note',
};

const calls: readonly ViewField<Partner>[] = [
  field('text', 'shared.organization', 'organizationName'),
  field('status', 'shared.state', ({ state }) => `partners.state.${state}` as const, {
    severity: ({ state }) => severities[state],
  }),
  field('time', 'partners.lastCall', 'lastCallAt'),
  field('number', 'partners.day', 'calls'),
  field('number', 'partners.usual', 'usualCalls'),
  field('number', 'partners.errors', 'errors'),
];

export const partnerListFields: readonly ViewField<Partner>[] = [
  field('text', 'shared.key', ({ name }) => name, {
    to: ({ keyId }) => `/partners/${keyId}`,
    note: ({ isSigned }) => (isSigned ? 'partners.signed' : null),
  }),
  ...calls,
];

export const partnerFields: readonly ViewField<Partner>[] = [
  ...calls,
  field('code', 'partners.may', ({ operations }) => operations, {
    note: ({ isUnrestricted }) => (isUnrestricted ? 'partners.byDefault' : null),
  }),
  field('status', 'partners.signature', ({ isSigned }) =>
    isSigned ? 'partners.required' : 'shared.none',
  ),
  field('code', 'partners.used', ({ used }) =>
    Object.entries(used).map(([operation, count]) => `${operation} ${count}`),
  ),
  field('number', 'partners.missed', ({ usualCalls, missedCalls }) =>
    usualCalls === null ? null : missedCalls,
  ),
  field('time', 'partners.expires', 'expiresAt'),
];

export const loggedRequestFields: readonly ViewField<LoggedRequest>[] = [
  field('time', 'shared.when', 'time'),
  field('code', 'requests.route', 'route'),
  field('number', 'shared.status', ({ status }) => status, {
    severity: ({ status }) => (status < 400 ? 'warn' : 'bad'),
  }),
  field('code', 'requests.codes', 'errorCodes'),
  field('text', 'requests.messages', 'messages'),
  field('code', 'requests.ignored', 'ignoredFields'),
  field('code', 'requests.notices', 'notices'),
  field('duration', 'shared.duration', 'durationMs'),
  field('code', 'shared.request', 'requestId'),
];
