import { keyPurposes, type PurposePermissions } from '../../tenants/keys/permissions.js';
import type { LoggedRequest } from '../request-log/request-log.service.js';
import type { Partner } from '../usage/partners.service.js';
import { field, type Severity, type ViewField } from './view-field.js';

const states: Readonly<Record<Partner['state'], readonly [text: string, severity: Severity]>> = {
  silent: ['silent', 'bad'],
  failing: ['failing', 'bad'],
  quieter: ['quieter than usual', 'warn'],
  busier: ['busier than usual', 'warn'],
  new: ['new', 'note'],
  usual: ['as usual', 'good'],
  unused: ['no calls in four weeks', 'note'],
  ended: ['revoked or expired', 'note'],
};

const calls: readonly ViewField<Partner>[] = [
  field('text', 'Organization', 'organizationName'),
  field('status', 'State', ({ state }) => states[state][0], {
    severity: ({ state }) => states[state][1],
  }),
  field('time', 'Last call', 'lastCallAt'),
  field('number', 'Calls in 24 hours', 'calls'),
  field('number', 'Usual', 'usualCalls'),
  field('number', 'Errors', 'errors'),
];

export const partnerListFields: readonly ViewField<Partner>[] = [
  field('text', 'Key', ({ name }) => name, {
    to: ({ keyId }) => `/partners/${keyId}`,
    note: ({ isSigned }) => (isSigned ? 'callbacks are signed' : null),
  }),
  ...calls,
];

export const partnerFields: readonly ViewField<Partner>[] = [
  ...calls,
  field('code', 'Permitted operations', ({ operations }) => operations, {
    note: ({ isUnrestricted }) => (isUnrestricted ? 'by default, not restricted' : null),
  }),
  field('status', 'Signature of callbacks', ({ isSigned }) => (isSigned ? 'required' : 'none')),
  field('code', 'Operations used in the last four weeks', ({ used }) =>
    Object.entries(used).map(([operation, count]) => `${operation} ${count}`),
  ),
  field('number', 'Expected calls since then', ({ usualCalls, missedCalls }) =>
    usualCalls === null ? null : missedCalls,
  ),
  field('time', 'Key expires', 'expiresAt'),
];

interface ListedKey {
  readonly _id: string;
  readonly prefix: string | undefined;
  readonly name: string | undefined;
  readonly organizationName: string;
  readonly operations: readonly string[];
  readonly isUnrestricted: boolean;
  readonly lostOperations: readonly string[];
  readonly lastUsedAt: Date | null;
  readonly state: string;
}

export const keyListFields: readonly ViewField<ListedKey>[] = [
  field('code', 'Key', ({ prefix, _id }) => prefix || _id),
  field('text', 'Name', 'name'),
  field('text', 'Organization', 'organizationName'),
  field('text', 'May', ({ operations, isUnrestricted, lostOperations }) => {
    if (!isUnrestricted) return purposeOf(operations) ?? operations;
    return ['unrestricted', ...lostOperations.map((operation) => `lost ${operation}`)];
  }),
  field('time', 'Last call', 'lastUsedAt'),
  field('status', 'State', 'state'),
];

export const loggedRequestFields: readonly ViewField<LoggedRequest>[] = [
  field('time', 'Time', 'time'),
  field('code', 'Route', 'route'),
  field('number', 'Status', ({ status }) => status, {
    severity: ({ status }) => (status < 400 ? 'warn' : 'bad'),
  }),
  field('code', 'Error codes', 'errorCodes'),
  field('text', 'Messages', 'messages'),
  field('code', 'Ignored fields', 'ignoredFields'),
  field('code', 'Notices', 'notices'),
  field('duration', 'Duration', 'durationMs'),
  field('code', 'Request', 'requestId'),
];

/** Fields of a list that gives each request one line. */
export const requestListFields: readonly ViewField<LoggedRequest>[] = [
  ...loggedRequestFields.slice(0, 1),
  field('number', 'Status', 'status'),
  field('code', 'Route', 'route'),
  field('code', 'Cause', ({ errorCodes, notices, ignoredFields }) => [
    ...errorCodes,
    ...notices,
    ...(ignoredFields.length > 0 ? [`fields.ignored: ${ignoredFields.join(', ')}`] : []),
  ]),
  field('text', 'Messages', 'messages'),
];

/** Returns the purpose that permits exactly these operations. */
function purposeOf(permitted: readonly string[]): string | undefined {
  const purposes: readonly (readonly [string, PurposePermissions])[] = Object.entries(keyPurposes);
  const found = purposes.find(
    ([, { operations }]) =>
      operations.length === permitted.length && operations.every((one) => permitted.includes(one)),
  );
  return found?.[0];
}
