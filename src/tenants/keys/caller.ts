import type { RequestCaller } from '../../core/http/request-caller.js';
import type { SealedSecret } from '../../core/secrets/signing-secret.js';
import type { Organization } from '../organizations/organization.js';

/** The sender of a request; never part of a DTO. */
export interface Caller extends RequestCaller {
  readonly organization: Organization;
  readonly secrets?: readonly SealedSecret[];
}

export type Identity = Omit<Caller, 'requestId' | 'language' | 'expiresAt' | 'failures' | 'claim'>;
