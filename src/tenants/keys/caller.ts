import type { RequestCaller } from '../../core/http/requests/request-caller.js';
import type { SealedSecret } from '../../core/secrets/signing-secret.js';
import type { Organization } from '../organizations/organization.js';

/** It contains settings of the organization, so it must never be part of a DTO. */
export interface Caller extends RequestCaller {
  readonly organization: Organization;
  readonly secrets?: readonly SealedSecret[];
}

/** The caller of an HTTP request. */
export interface KeyCaller extends Caller {
  readonly keyName: string;
}

export type Identity = Omit<
  KeyCaller,
  'requestId' | 'language' | 'expiresAt' | 'failures' | 'claim'
>;
