import type { RequestCaller } from '../../core/http/request-caller.js';
import type { SealedSecret } from '../../core/secrets/signing-secret.js';
import type { Organization } from '../organizations/organization.js';

/** Who makes a request; never part of a DTO. */
export interface Caller extends RequestCaller {
  readonly organization: Organization;
  /** Of a key whose callbacks have to be signed. */
  readonly secrets?: readonly SealedSecret[];
}

/** Whom a key stands for, whatever it is used for. */
export type Identity = Omit<Caller, 'requestId' | 'language' | 'expiresAt' | 'failures' | 'claim'>;
