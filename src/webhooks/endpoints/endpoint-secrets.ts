import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { EncryptionKeys } from './encryption-keys.js';
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
  constructor(private readonly keys: EncryptionKeys) {}

  async seal(endpointId: Types.ObjectId, secret: string, createdAt: Date): Promise<SealedSecret> {
    const sealed = seal(secret, await this.keys.all(), endpointId.toHexString());
    return { sealed, createdAt, expiresAt: null };
  }

  /**
   * The secrets that sign at a time, newest first.
   *
   * @throws Error when there is none, or the key that sealed one is missing
   */
  async signing(endpoint: WebhookEndpointDocument, now: Date): Promise<string[]> {
    const keys = await this.keys.all();
    const secrets = signingSecrets(endpoint, now);
    if (secrets.length === 0) throw new Error('The endpoint has no secret: rotate it.');
    return secrets.map(({ sealed }) => open(sealed, keys, endpoint._id.toHexString()));
  }
}
