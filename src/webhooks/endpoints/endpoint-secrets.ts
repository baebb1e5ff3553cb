import { Inject, Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { encryptionKeys } from '../../core/secrets/encryption-keys.js';
import { open, seal } from '../../core/secrets/secret-box.js';
import type { SealedSecret, WebhookEndpointDocument } from './webhook-endpoint.schema.js';

/** The secrets of an endpoint that sign at a time, newest first. */
export function signingSecrets(
  { secrets }: Pick<WebhookEndpointDocument, 'secrets'>,
  now: Date,
): SealedSecret[] {
  return (secrets ?? []).filter(({ expiresAt }) => !expiresAt || expiresAt > now);
}

/** Seals the secrets of endpoints and opens those that sign. */
@Injectable()
export class EndpointSecrets {
  private readonly keys: readonly Buffer[];

  constructor(@Inject(ENVIRONMENT) environment: Environment) {
    this.keys = encryptionKeys(environment);
  }

  seal(endpointId: Types.ObjectId, secret: string, createdAt: Date): SealedSecret {
    const sealed = seal(secret, this.keys, endpointId.toHexString());
    return { sealed, createdAt, expiresAt: null };
  }

  /**
   * The secrets that sign at a time, newest first.
   *
   * @throws Error when there is none, or the key that sealed one is missing
   */
  signing(endpoint: WebhookEndpointDocument, now: Date): string[] {
    const secrets = signingSecrets(endpoint, now);
    if (secrets.length === 0) throw new Error('The endpoint has no secret: rotate it.');
    return secrets.map(({ sealed }) => open(sealed, this.keys, endpoint._id.toHexString()));
  }
}
