import { keyPurposes, type PurposeRestrictions } from '../../tenants/keys/operations.js';
import type { LoggedRequest } from '../request-log/request-log.service.js';
import type { Partner, PartnerState } from '../usage/partners.service.js';
import { field, type Severity, type ViewField } from './view-field.js';

const states: Readonly<Record<PartnerState, readonly [text: string, severity: Severity]>> = {
  silent: ['silent', 'bad'],
  failing: ['many refused', 'bad'],
  active: ['active', 'good'],
  unused: ['not used', 'note'],
  ended: ['ended', 'note'],
};

export function partnerState({ state }: Pick<Partner, 'state'>): (typeof states)[PartnerState] {
  return states[state];
}

const organization: ViewField<Partner> = field('text', 'Organization', 'organizationName');
const state: ViewField<Partner> = field('status', 'State', (partner) => partnerState(partner)[0], {
  severity: (partner) => partnerState(partner)[1],
});
const lastCall: ViewField<Partner> = field('time', 'Last call', 'lastCallAt');
const calls: readonly ViewField<Partner>[] = [
  field('number', 'Calls in 24 h', 'calls'),
  field('number', 'Refused', 'refused'),
  field('number', 'Failed', 'failed'),
];
const unusedOperations: ViewField<Partner> = field(
  'text',
  'Permitted but not used',
  ({ isReducible, unusedOperations: unused, operations }) =>
    isReducible ? `${unused.length} of ${operations.length}` : null,
);
const feed: ViewField<Partner> = field(
  'number',
  'Events behind',
  ({ feed: reader }) => reader?.lag,
);

/** As many fields as fit into a line of a terminal. */
export const keyUsageFields: readonly ViewField<Partner>[] = [
  field('text', 'Key', ({ name, keyId }) => name || keyId, {
    to: ({ keyId }) => `/partners/${keyId}`,
  }),
  organization,
  state,
  lastCall,
  ...calls,
];

export const partnerListFields: readonly ViewField<Partner>[] = [
  ...keyUsageFields,
  unusedOperations,
  feed,
];

export const partnerFields: readonly ViewField<Partner>[] = [
  field('code', 'ID', 'keyId'),
  organization,
  state,
  lastCall,
  field('number', 'Days with calls, of seven', 'activeDays'),
  ...calls,
  field('code', 'May', ({ operations }) => operations, {
    note: ({ isUnrestricted }) => (isUnrestricted ? 'by default: nobody has chosen' : null),
  }),
  field('code', 'Has used', ({ usedOperations }) =>
    usedOperations.map(({ operation }) => operation),
  ),
  field('status', 'Callbacks', ({ isSigned }) => (isSigned ? 'must be signed' : null)),
  field('status', 'Visibility', ({ visibility }) =>
    visibility === 'public' ? 'only what is public' : null,
  ),
  field('text', 'Only from pages of', 'origins'),
  field('text', 'Only from addresses', 'addresses'),
  field('time', 'Expires', 'expiresAt'),
  field('number', 'Has read the feed up to', ({ feed: reader }) => reader?.after),
  field('time', 'Has read the feed', ({ feed: reader }) => reader?.at),
  field('number', 'Events behind', ({ feed: reader }) => reader?.lag),
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
  const purposes: readonly (readonly [string, PurposeRestrictions])[] = Object.entries(keyPurposes);
  const found = purposes.find(
    ([, { operations }]) =>
      operations.length === permitted.length &&
      operations.every((operation) => permitted.includes(operation)),
  );
  return found?.[0];
}
