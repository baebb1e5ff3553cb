import type { ApiKeyState } from '../../authentication/api-key-state.js';
import type { ApiKeyDocument } from '../../authentication/api-key.schema.js';
import type {
  ApiKeysService,
  NewApiKey,
  RotatedApiKey,
} from '../../authentication/api-keys.service.js';
import type { Columns } from '../command-line/output.js';

/** A stored key as the operator sees it: nothing that opens a door. */
export interface KeyView {
  readonly _id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly prefix: string;
  readonly state: ApiKeyState;
  /** Without it the key opens nothing here, whatever its state. */
  readonly allowExternal: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/** A new key, the one time that it is shown. */
export interface NewKeyView {
  readonly _id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly prefix: string;
  readonly key: string;
  readonly expiresAt: Date | null;
}

/** A new key and the old one that it takes the place of. */
export interface RotatedKeyView extends NewKeyView {
  readonly old: { readonly _id: string; readonly prefix: string; readonly expiresAt: Date };
}

/** The columns of `key list`. */
export const listColumns: Columns<KeyView> = {
  Id: ({ _id }) => _id,
  Prefix: ({ prefix }) => prefix,
  Name: ({ name }) => name,
  State: ({ state }) => state,
  External: ({ allowExternal }) => allowExternal,
  Created: ({ createdAt }) => createdAt,
  'Last used': ({ lastUsedAt }) => lastUsedAt,
  Expires: ({ expiresAt }) => expiresAt,
  Revoked: ({ revokedAt }) => revokedAt,
};

/** The lines of `key revoke`. */
export const revokedColumns: Columns<KeyView> = {
  Id: ({ _id }) => _id,
  Prefix: ({ prefix }) => prefix,
  Name: ({ name }) => name,
  State: ({ state }) => state,
  Revoked: ({ revokedAt }) => revokedAt,
};

/** The lines of `key issue`. */
export const issuedColumns: Columns<NewKeyView> = {
  Id: ({ _id }) => _id,
  Organization: ({ organizationId }) => organizationId,
  Name: ({ name }) => name,
  Key: ({ key }) => `${key}  (shown once)`,
  Expires: ({ expiresAt }) => expiresAt ?? 'never',
};

/** The lines of `key rotate`. */
export const rotatedColumns: Columns<RotatedKeyView> = {
  ...issuedColumns,
  'Old key': ({ old }) => old.prefix,
  'Works until': ({ old }) => old.expiresAt,
};

/** Shows a stored key. */
export function keyView(document: ApiKeyDocument, keys: ApiKeysService): KeyView {
  return {
    _id: document._id.toHexString(),
    organizationId: document.organizationId.toHexString(),
    name: document.name,
    prefix: document.prefix,
    state: keys.stateOf(document),
    allowExternal: document.permissions?.allowExternal === true,
    createdAt: document.createdAt,
    lastUsedAt: document.lastUsedAt ?? null,
    expiresAt: document.expiresAt ?? null,
    revokedAt: document.revokedAt ?? null,
  };
}

/** Shows a key that was just made. */
export function newKeyView({ key, document }: NewApiKey): NewKeyView {
  return {
    _id: document._id.toHexString(),
    organizationId: document.organizationId.toHexString(),
    name: document.name,
    prefix: document.prefix,
    key,
    expiresAt: document.expiresAt ?? null,
  };
}

/** Shows the successor of a key. */
export function rotatedKeyView(old: ApiKeyDocument, rotated: RotatedApiKey): RotatedKeyView {
  const { _id, prefix } = old;
  return {
    ...newKeyView(rotated),
    old: { _id: _id.toHexString(), prefix, expiresAt: rotated.oldExpiresAt },
  };
}
