import type { ApiKeyDocument } from '../../../tenants/keys/api-key.schema.js';
import type {
  ApiKeysService,
  NewApiKey,
  RotatedApiKey,
} from '../../../tenants/keys/api-keys.service.js';
import { keyRateLimit, permittedOperations } from '../../../tenants/keys/api-key-policy.js';
import type { UsedOperations } from '../../usage/key-counts.js';
import type { Columns } from '../command-line/result.js';

type KeyView = ReturnType<typeof keyView>;
type NewKeyView = ReturnType<typeof newKeyView>;
type RotatedKeyView = ReturnType<typeof rotatedKeyView>;

const keyColumns = {
  Id: ({ _id }) => _id,
  Prefix: ({ prefix }) => prefix,
  Name: ({ name }) => name,
  State: ({ state }) => state,
  External: ({ allowExternal }) => allowExternal,
  May: permissionText,
  Signed: ({ isSigned }) => (isSigned ? 'yes' : 'no'),
  From: ({ addresses }) => addresses ?? 'everywhere',
  Limit: ({ rateLimit }) => limitText(rateLimit),
  Created: ({ createdAt }) => createdAt,
  'Last used': ({ lastUsedAt }) => lastUsedAt,
  Expires: ({ expiresAt }) => expiresAt,
  Revoked: ({ revokedAt }) => revokedAt,
} satisfies Columns<KeyView>;

export const listedKeyColumns: Columns<KeyView & { readonly used: UsedOperations }> = {
  ...keyColumns,
  Used: ({ used }) => Object.entries(used).map(([operation, count]) => `${operation} ${count}`),
};

const { Id, Prefix, Name, State, Limit, Revoked, May, From } = keyColumns;

export const limitedColumns: Columns<KeyView> = { Id, Prefix, Name, Limit };

export const restrictedColumns: Columns<KeyView> = { Id, Prefix, Name, May, From };

export const revokedColumns: Columns<KeyView> = { Id, Prefix, Name, State, Revoked };

export const issuedColumns: Columns<NewKeyView> = {
  Id: ({ _id }) => _id,
  Organization: ({ organizationId }) => organizationId,
  Name: ({ name }) => name,
  Key: ({ key }) => `${key}  (shown once)`,
  'Signing secret': ({ signingSecret }) => signingSecret && `${signingSecret}  (shown once)`,
  May: ({ operations }) => operations,
  From: ({ addresses }) => addresses ?? 'everywhere',
  Expires: ({ expiresAt }) => expiresAt ?? 'never',
};

export const rotatedColumns: Columns<RotatedKeyView> = {
  ...issuedColumns,
  'Old key': ({ old }) => old.prefix,
  'Works until': ({ old }) => old.expiresAt,
};

export function keyView(document: ApiKeyDocument, keys: ApiKeysService) {
  return {
    ...identityOf(document),
    state: keys.stateOf(document),
    /** Without it the key is not accepted, whatever its state. */
    allowExternal: document.permissions?.allowExternal === true,
    readEvents: permittedOperations(document).includes('events.read'),
    ...restrictionsOf(document),
    isSigned: (document.secrets ?? []).length > 0,
    /** Null while the service's own limit counts. */
    rateLimit: keyRateLimit(document),
    createdAt: document.createdAt,
    lastUsedAt: document.lastUsedAt ?? null,
    expiresAt: document.expiresAt ?? null,
    revokedAt: document.revokedAt ?? null,
  };
}

/** The key itself is shown this once. */
export function newKeyView({ key, signingSecret, document }: NewApiKey) {
  const shown = { key, ...(signingSecret && { signingSecret }), ...restrictionsOf(document) };
  return { ...identityOf(document), ...shown, expiresAt: document.expiresAt ?? null };
}

export function rotatedKeyView({ _id, prefix }: ApiKeyDocument, rotated: RotatedApiKey) {
  const old = { _id: _id.toHexString(), prefix, expiresAt: rotated.oldExpiresAt };
  return { ...newKeyView(rotated), old };
}

/** A key without a list may do more than anybody chose. */
function permissionText({ operations, isUnrestricted }: KeyView): string | readonly string[] {
  if (!isUnrestricted) return operations;
  return operations.includes('events.read')
    ? 'everything (by default)'
    : 'all but events (by default)';
}

function restrictionsOf(document: ApiKeyDocument) {
  const { operations = null, addresses = null } = document.permissions ?? {};
  return {
    operations: permittedOperations(document),
    /** No operations were chosen for it. */
    isUnrestricted: operations === null,
    addresses,
  };
}

function limitText(limit: KeyView['rateLimit']): string {
  if (limit === null) return 'default';
  return limit.rps === 0 ? 'none' : `${limit.rps}/s, burst ${limit.burst}`;
}

function identityOf({ _id, organizationId, name, prefix }: ApiKeyDocument) {
  return { _id: _id.toHexString(), organizationId: organizationId.toHexString(), name, prefix };
}
