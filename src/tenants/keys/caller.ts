import type { RequestCaller } from '../../core/http/requests/request-caller.js';
import type { SealedSecret } from '../../core/secrets/signing-secret.js';
import type { Organization } from '../organizations/organization.js';

/** It contains settings of the organization, so it must never be part of a DTO. */
export interface Caller extends RequestCaller {
  readonly organization: Organization;
  readonly secrets?: readonly SealedSecret[];
}

export type Identity = Omit<Caller, 'requestId' | 'language' | 'expiresAt' | 'failures' | 'claim'>;
