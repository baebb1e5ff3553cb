import { Inject, Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../core/configuration/clock.js';
import { ENVIRONMENT, type Environment } from '../../core/configuration/environment.js';
import {
  type CollectionAcrossTenants,
  InjectAcrossTenants,
} from '../../core/database/documents/across-tenants.js';
import { textOf } from '../../core/database/documents/stored-values.js';
import type { TenantDocument } from '../../core/database/documents/tenant-document.js';
import {
  encryptionKeys,
  keyIdOf,
  open,
  seal,
  sealingKeyOf,
} from '../../core/secrets/secret-box.js';
import { type SealedSecret, signingSecrets } from '../../core/secrets/signing-secret.js';
import type { WebhookEndpointDocument } from './webhook-endpoint.schema.js';

/** A key that seals active secrets, by its id: the key itself is never shown. */
export interface NeededKey {
  readonly key: string;
  readonly secrets: number;
  /** Whether it is the first of ENCRYPTION_KEYS, another one of them, or none. */
  readonly state: 'newest' | 'listed' | 'missing';
}

/** A secret that could not be opened, by its endpoint or its signed API key. */
export interface UndecryptableSecret {
  readonly endpointId?: string;
  readonly apiKeyId?: string;
  readonly organizationId: string;
  /** The id of the key that sealed it. */
  readonly key: string;
  readonly reason: string;
}

interface SecretHolder extends TenantDocument {
  readonly secrets?: readonly SealedSecret[] | null;
}

interface HeldSecret {
  readonly kind: 'endpointId' | 'apiKeyId';
  readonly holders: CollectionAcrossTenants<SecretHolder>;
  readonly owner: SecretHolder;
  readonly sealed: string;
  /** The id of the key that sealed it. */
  readonly key: string;
}

/** The secrets of endpoints and signed API keys, and the keys that seal them (rules HOOK-12 and HOOK-26). */
@Injectable()
export class SecretKeys {
  private readonly keys: readonly Buffer[];

  constructor(
    @Inject(ENVIRONMENT) environment: Environment,
    @InjectAcrossTenants('WebhookEndpoint')
    private readonly endpoints: CollectionAcrossTenants<SecretHolder>,
    @InjectAcrossTenants('ApiKey') private readonly apiKeys: CollectionAcrossTenants<SecretHolder>,
    private readonly clock: Clock,
  ) {
    this.keys = encryptionKeys(environment);
  }

  seal(endpointId: Types.ObjectId, secret: string, createdAt: Date): SealedSecret {
    const sealed = seal(secret, this.keys, endpointId.toHexString());
    return { sealed, createdAt, expiresAt: null };
  }

  /** The active secrets of an endpoint, newest first. @throws Error when there is none, or its key is missing */
  signing(endpoint: WebhookEndpointDocument, now: Date): string[] {
    const secrets = signingSecrets(endpoint.secrets, now);
    if (secrets.length === 0) throw new Error('The endpoint has no secret: rotate it.');
    return secrets.map(({ sealed }) => open(sealed, this.keys, endpoint._id.toHexString()));
  }

  /** The keys of all active secrets, the missing ones first. */
  async needed(): Promise<NeededKey[]> {
    const counts = new Map<string, number>();
    for await (const { key } of this.active()) counts.set(key, (counts.get(key) ?? 0) + 1);
    const listed = this.keys.map(keyIdOf);
    return [...counts]
      .map(([key, secrets]) => ({ key, secrets, rank: listed.indexOf(key) }))
      .toSorted((one, other) => one.rank - other.rank)
      .map(({ key, secrets, rank }) => ({ key, secrets, state: stateOf(rank) }));
  }

  /** Seals all active secrets with the newest key; may be interrupted, repeated and run concurrently. */
  async reseal(progress: (done: number, total: number) => void) {
    const [newest] = this.keys.map(keyIdOf);
    const old = (await this.needed()).filter(({ state }) => state !== 'newest');
    const total = old.reduce((sum, { secrets }) => sum + secrets, 0);
    const unopened: UndecryptableSecret[] = [];
    let [done, resealed] = [0, 0];
    for await (const secret of this.active()) {
      if (secret.key === newest) continue;
      const again = this.sealAgain(secret);
      if (again instanceof Error) unopened.push(undecryptableSecret(secret, again));
      else if (await replace(secret, again)) resealed += 1;
      done += 1;
      progress(done, Math.max(done, total));
    }
    return { resealed, unopened, keys: await this.needed() };
  }

  private sealAgain({ owner: { _id }, sealed }: HeldSecret): string | Error {
    const owner = _id.toHexString();
    try {
      return seal(open(sealed, this.keys, owner), this.keys, owner);
    } catch (error) {
      return error as Error;
    }
  }

  private async *active(): AsyncGenerator<HeldSecret> {
    for (const [kind, holders] of [
      ['endpointId', this.endpoints],
      ['apiKeyId', this.apiKeys],
    ] as const) {
      const projection = { organizationId: 1, secrets: 1 } as const;
      const cursor = holders.acrossTenants
        .find({ 'secrets.0': { $exists: true } }, { projection })
        .sort({ _id: 1 });
      for await (const owner of cursor) {
        for (const secret of signingSecrets(owner.secrets, this.clock.now())) {
          // Other programs may have stored a value that is no text.
          const sealed = textOf(secret.sealed);
          yield { kind, holders, owner, sealed, key: sealingKeyOf(sealed) };
        }
      }
    }
  }
}

async function replace({ holders, owner, sealed }: HeldSecret, again: string): Promise<boolean> {
  const update = { $set: { 'secrets.$.sealed': again } };
  const same = { _id: owner._id, 'secrets.sealed': sealed };
  return (await holders.acrossTenants.updateOne(same, update)).modifiedCount === 1;
}

function stateOf(rank: number): NeededKey['state'] {
  if (rank === 0) return 'newest';
  return rank > 0 ? 'listed' : 'missing';
}

function undecryptableSecret(
  { kind, owner, key }: HeldSecret,
  { message }: Error,
): UndecryptableSecret {
  const organizationId = owner.organizationId.toHexString();
  return { [kind]: owner._id.toHexString(), organizationId, key, reason: message };
}
