import type { LoggedRequest } from '../requests/request-log.service.js';
import type { Partner } from '../usage/partners.service.js';
import type { ViewField, Severity } from './field.js';

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
  { title: 'shared.organization', kind: 'text', of: ({ organizationName }) => organizationName },
  {
    title: 'shared.state',
    kind: 'status',
    of: ({ state }) => `partners.state.${state}` as const,
    severity: ({ state }) => severities[state],
  },
  { title: 'partners.lastCall', kind: 'time', of: ({ lastCallAt }) => lastCallAt },
  { title: 'partners.day', kind: 'number', of: (partner) => partner.calls },
  { title: 'partners.usual', kind: 'number', of: ({ usualCalls }) => usualCalls },
  { title: 'partners.errors', kind: 'number', of: ({ errors }) => errors },
];

export const partnerListFields: readonly ViewField<Partner>[] = [
  {
    title: 'shared.key',
    kind: 'text',
    of: ({ name }) => name,
    to: ({ keyId }) => `/partners/${keyId}`,
    note: ({ isSigned }) => (isSigned ? 'partners.signed' : null),
  },
  ...calls,
];

export const partnerFields: readonly ViewField<Partner>[] = [
  ...calls,
  {
    title: 'partners.may',
    kind: 'code',
    of: ({ operations }) => operations,
    note: ({ isUnrestricted }) => (isUnrestricted ? 'partners.byDefault' : null),
  },
  {
    title: 'partners.signature',
    kind: 'status',
    of: ({ isSigned }) => (isSigned ? 'partners.required' : 'shared.noneOfIt'),
  },
  {
    title: 'partners.used',
    kind: 'code',
    of: ({ used }) => Object.entries(used).map(([operation, count]) => `${operation} ${count}`),
  },
  {
    title: 'partners.missed',
    kind: 'number',
    of: ({ usualCalls, missedCalls }) => (usualCalls === null ? null : missedCalls),
  },
  { title: 'partners.expires', kind: 'time', of: ({ expiresAt }) => expiresAt },
];

/** A request that was refused or had ignored fields, in a list. */
export const loggedRequestFields: readonly ViewField<LoggedRequest>[] = [
  { title: 'shared.when', kind: 'time', of: ({ time }) => time },
  { title: 'requests.route', kind: 'code', of: ({ route }) => route },
  {
    title: 'shared.status',
    kind: 'number',
    of: ({ status }) => status,
    severity: ({ status }) => (status < 400 ? 'warn' : 'bad'),
  },
  { title: 'requests.codes', kind: 'code', of: ({ errorCodes }) => errorCodes },
  { title: 'requests.messages', kind: 'text', of: ({ messages }) => messages },
  { title: 'requests.ignored', kind: 'code', of: ({ ignoredFields }) => ignoredFields },
  { title: 'shared.took', kind: 'duration', of: ({ durationMs }) => durationMs },
  { title: 'shared.request', kind: 'code', of: ({ requestId }) => requestId },
];
