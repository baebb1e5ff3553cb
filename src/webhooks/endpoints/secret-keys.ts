import { Inject, Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import { asText } from '../../core/values/text.js';
import {
  encryptionKeys,
  keyIdOf,
  unseal,
  seal,
  sealingKeyIdOf,
} from '../../core/secrets/secret-box.js';
import { type SealedSecret, signingSecrets } from '../../core/secrets/signing-secret.js';
import { SecretHoldersRepository } from './secret-holders.repository.js';
import type { WebhookEndpointDocument } from './webhook-endpoint.schema.js';

/** `key` is the id of an encryption key; the key itself is never shown. */
export interface NeededKey {
  readonly key: string;
  readonly secrets: number;
  /** `newest` is the first of ENCRYPTION_KEYS, `listed` another one of them. */
  readonly state: 'newest' | 'listed' | 'missing';
}

/** Belongs to an endpoint or a signed API key. */
export interface UndecryptableSecret {
  readonly endpointId?: string;
  readonly apiKeyId?: string;
  readonly organizationId: string;
  /** Id of the key that sealed it. */
  readonly key: string;
  readonly reason: string;
}

type HeldSecret = Awaited<ReturnType<SecretKeys['activeSecrets']>>[number];

/** Covers endpoints and signed API keys (rules HOOK-12 and HOOK-26). */
@Injectable()
export class SecretKeys {
  private readonly keys: readonly Buffer[];

  constructor(
    @Inject(ENVIRONMENT) environment: Environment,
    private readonly holders: SecretHoldersRepository,
    private readonly clock: Clock,
  ) {
    this.keys = encryptionKeys(environment);
  }

  seal(endpointId: Types.ObjectId, secret: string, createdAt: Date): SealedSecret {
    const sealed = seal(secret, this.keys, endpointId.toHexString());
    return { sealed, createdAt, expiresAt: null };
  }

  /** Returns active secrets, newest first. @throws Error when there is none, or its key is missing */
  signing(endpoint: WebhookEndpointDocument, now: Date): string[] {
    const secrets = signingSecrets(endpoint.secrets, now);
    if (secrets.length === 0)
      throw new Error('The endpoint has no secret: run `webhook rotate-secret`.');
    return secrets.map(({ sealed }) => unseal(sealed, this.keys, endpoint._id.toHexString()));
  }

  /** Returns missing keys first. */
  async neededKeys(): Promise<NeededKey[]> {
    const listed = this.keys.map(keyIdOf);
    const byKey = Map.groupBy(await this.activeSecrets(), ({ key }) => key);
    return [...byKey]
      .map(([key, { length }]) => ({ key, secrets: length, rank: listed.indexOf(key) }))
      .toSorted((one, other) => one.rank - other.rank)
      .map(({ rank, ...needed }) => {
        const state = (['missing', 'newest'] as const)[rank + 1] ?? 'listed';
        return { ...needed, state };
      });
  }

  /** Can be interrupted, repeated and run concurrently. */
  async reseal(progress: (done: number, total: number) => void) {
    const [newest] = this.keys.map(keyIdOf);
    const old = (await this.activeSecrets()).filter(({ key }) => key !== newest);
    const unopened: UndecryptableSecret[] = [];
    let resealed = 0;
    for (const [index, secret] of old.entries()) {
      const { kind, owner, sealed } = secret;
      const again = this.sealAgain(secret);
      if (typeof again === 'string') {
        resealed += await this.holders.replace(kind, owner._id, sealed, again);
      } else unopened.push(again);
      progress(index + 1, old.length);
    }
    return { resealed, unopened, keys: await this.neededKeys() };
  }

  private sealAgain({ kind, owner, sealed, key }: HeldSecret): string | UndecryptableSecret {
    const id = owner._id.toHexString();
    try {
      return seal(unseal(sealed, this.keys, id), this.keys, id);
    } catch (error) {
      const { message: reason } = error as Error;
      return { [kind]: id, organizationId: owner.organizationId.toHexString(), key, reason };
    }
  }

  private async activeSecrets() {
    const kinds = ['endpointId', 'apiKeyId'] as const;
    const held = kinds.map(async (kind) => {
      const owners = await this.holders.find(kind);
      return owners.flatMap((owner) =>
        signingSecrets(owner.secrets, this.clock.now()).map((secret) => {
          // Other programs may have stored a value that is not a string.
          const sealed = asText(secret.sealed);
          return { kind, owner, sealed, key: sealingKeyIdOf(sealed) };
        }),
      );
    });
    return (await Promise.all(held)).flat();
  }
}
